#include "tools/common/number_options.h"

#include <fmt/format.h>

#include <CLI/Error.hpp>
#include <bit>
#include <charconv>
#include <cmath>

namespace vecc::tools {
namespace {

[[noreturn]] void refuse(const std::string& option, std::string_view text,
                         const std::string& expected) {
  throw CLI::ValidationError(option, fmt::format("\"{}\" is not {}", text, expected));
}

std::string text_of(std::string_view kind, WholeRange range) {
  return fmt::format("{} from {} to {}", kind, range.least, range.most);
}

std::string_view text_of(RealRange range) {
  switch (range) {
    case RealRange::Finite: return "a finite number";
    case RealRange::AtLeastZero: return "a finite number of at least 0";
    case RealRange::AboveZero: return "a finite number above 0";
    case RealRange::BelowOne: return "a number from 0 to below 1";
  }
  return {};
}

bool holds(RealRange range, double value) {
  switch (range) {
    case RealRange::Finite: return true;
    case RealRange::AtLeastZero: return value >= 0;
    case RealRange::AboveZero: return value > 0;
    case RealRange::BelowOne: return value >= 0 && value < 1;
  }
  return false;
}

template <class Number>
bool parse_all(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && last == end;
}

// The power of 2 that a size's suffix stands for; takes the suffix off.
int take_suffix(std::string_view& text) {
  constexpr std::string_view kSuffixes = "KMGT";
  if (!text.empty() && (text.back() == 'B' || text.back() == 'b')) text.remove_suffix(1);
  if (text.empty()) return 0;
  const char upper = static_cast<char>(text.back() & ~0x20);
  const std::size_t power = kSuffixes.find(upper);
  if (power == std::string_view::npos) return 0;
  text.remove_suffix(1);
  return 10 * (static_cast<int>(power) + 1);
}

}  // namespace

std::uint64_t parse_whole(const std::string& option, std::string_view text, WholeRange range) {
  std::uint64_t value = 0;
  if (!parse_all(text, value) || value < range.least || value > range.most) {
    refuse(option, text, text_of("a whole number", range));
  }
  return value;
}

double parse_real(const std::string& option, std::string_view text, RealRange range) {
  double value = 0;
  if (!parse_all(text, value) || !std::isfinite(value) || !holds(range, value)) {
    refuse(option, text, std::string(text_of(range)));
  }
  return value;
}

std::uint64_t parse_size(const std::string& option, std::string_view text, WholeRange range) {
  std::string_view digits = text;
  const int shift = take_suffix(digits);
  std::uint64_t value = 0;
  const bool fits = parse_all(digits, value) && std::bit_width(value) + shift <= 64;
  if (!fits || value << shift < range.least || value << shift > range.most) {
    refuse(option, text, text_of("a number of bytes (4096, 64M, 4G)", range));
  }
  return value << shift;
}

CLI::Option* add_real(CLI::App& app, const std::string& name, double& value, RealRange range,
                      const std::string& text) {
  return app
      .add_option_function<std::string>(
          name,
          [&value, name, range](const std::string& word) { value = parse_real(name, word, range); },
          text)
      ->type_name("X")
      ->default_str(fmt::format("{}", value));
}

CLI::Option* add_real(CLI::App& app, const std::string& name, std::optional<double>& value,
                      RealRange range, const std::string& text) {
  return app
      .add_option_function<std::string>(
          name,
          [&value, name, range](const std::string& word) { value = parse_real(name, word, range); },
          text)
      ->type_name("X");
}

CLI::Option* add_seed(CLI::App& app, const std::string& name, std::int64_t& value,
                      const std::string& text) {
  return app
      .add_option_function<std::string>(
          name,
          [&value, name](const std::string& word) {
            if (!parse_all(word, value)) refuse(name, word, "a whole number of 64 bits");
          },
          text)
      ->type_name("N")
      ->default_str(std::to_string(value));
}

CLI::Option* add_size(CLI::App& app, const std::string& name, std::uint64_t& value,
                      WholeRange range, const std::string& text) {
  return app
      .add_option_function<std::string>(
          name,
          [&value, name, range](const std::string& word) { value = parse_size(name, word, range); },
          text)
      ->type_name("SIZE")
      ->default_str(std::to_string(value));
}

}  // namespace vecc::tools
