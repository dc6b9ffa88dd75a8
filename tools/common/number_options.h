// Options that hold numbers. CLI11's own conversions let -1 into an unsigned integer, saturate at
// the largest number, and take `nan`; these refuse all that by name, with what was expected.
#pragma once

#include <CLI/App.hpp>
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vecc::tools {

struct WholeRange {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

enum class RealRange : std::uint8_t {
  Finite,
  AtLeastZero,
  AboveZero,
  BelowOne,  ///< 0 included, 1 not
};

/// `text` as a decimal number of that range. Throws CLI::ValidationError in the name of `option`.
[[nodiscard]] std::uint64_t parse_whole(const std::string& option, std::string_view text,
                                        WholeRange range);
[[nodiscard]] double parse_real(const std::string& option, std::string_view text, RealRange range);
/// The same of a number of bytes: 4096, 64K, 64M, 4G, 1T (powers of 1,024), with or without a B.
[[nodiscard]] std::uint64_t parse_size(const std::string& option, std::string_view text,
                                       WholeRange range);

/// Without a default in --help; default_str() gives it one.
template <std::unsigned_integral T>
CLI::Option* add_unset_whole(CLI::App& app, const std::string& name, T& value, WholeRange range,
                             const std::string& text) {
  range.most = std::min<std::uint64_t>(range.most, std::numeric_limits<T>::max());
  return app
      .add_option_function<std::string>(
          name,
          [&value, name, range](const std::string& word) {
            value = static_cast<T>(parse_whole(name, word, range));
          },
          text)
      ->type_name("N");
}

template <std::unsigned_integral T>
CLI::Option* add_whole(CLI::App& app, const std::string& name, T& value, WholeRange range,
                       const std::string& text) {
  return add_unset_whole(app, name, value, range, text)->default_str(std::to_string(value));
}

/// Several, with commas between them; the option may be given again.
template <std::unsigned_integral T>
CLI::Option* add_wholes(CLI::App& app, const std::string& name, std::vector<T>& values,
                        WholeRange range, const std::string& text) {
  range.most = std::min<std::uint64_t>(range.most, std::numeric_limits<T>::max());
  return app
      .add_option_function<std::vector<std::string>>(
          name,
          [&values, name, range](const std::vector<std::string>& words) {
            values.clear();
            for (const std::string& word : words) {
              values.push_back(static_cast<T>(parse_whole(name, word, range)));
            }
          },
          text)
      ->delimiter(',')
      ->type_name("N,N,...");
}

/// Any whole number of 64 bits with a sign.
CLI::Option* add_seed(CLI::App& app, const std::string& name, std::int64_t& value,
                      const std::string& text);
CLI::Option* add_real(CLI::App& app, const std::string& name, double& value, RealRange range,
                      const std::string& text);
CLI::Option* add_real(CLI::App& app, const std::string& name, std::optional<double>& value,
                      RealRange range, const std::string& text);
CLI::Option* add_size(CLI::App& app, const std::string& name, std::uint64_t& value,
                      WholeRange range, const std::string& text);

}  // namespace vecc::tools
