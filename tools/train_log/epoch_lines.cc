#include "tools/train_log/epoch_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "tools/train_log/epoch_fields.h"

namespace vecc::tools {
namespace {

constexpr std::string_view kJsonBegin = R"({"epoch":)";

std::string column_of(const EpochField& field) {
  return std::string(field.side) + (field.side.empty() ? "" : "_") + std::string(field.name);
}

std::string csv_line(const EpochReport& report) {
  std::string line = std::to_string(report.epoch);
  for (const EpochField& field : fields_of(report)) {
    line += ",";
    if (field.value) line += fmt::format("{}", *field.value);
  }
  return line + "\n";
}

std::string jsonl_line(const EpochReport& report) {
  nlohmann::ordered_json json{{"epoch", report.epoch}};
  for (const EpochField& field : fields_of(report)) {
    if (field.value && std::isfinite(*field.value)) json[column_of(field)] = *field.value;
  }
  return json.dump() + "\n";
}

// A number, nothing, or what is left of a number: all that a csv line has between commas.
bool is_number_text(std::string_view text) {
  return text.find_first_not_of("0123456789+-.einfa") == std::string_view::npos;
}

// The epoch of a whole line; none if it is not one of ours.
std::optional<std::uint64_t> epoch_of_csv(std::string_view line) {
  std::uint64_t epoch = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), epoch);
  static const std::string header = header_of(LineFormat::Csv);
  const auto commas = std::ranges::count(line, ',');
  if (read.ec != std::errc() || commas != std::ranges::count(header, ',')) return std::nullopt;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    if (!is_number_text(line.substr(at, end - at))) return std::nullopt;
    at = end + 1;
  }
  return *read.ptr == ',' ? std::optional(epoch) : std::nullopt;
}

std::optional<std::uint64_t> epoch_of_jsonl(std::string_view line) {
  const auto json = nlohmann::ordered_json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!line.starts_with(kJsonBegin) || !json.is_object()) return std::nullopt;
  const bool is_ours = json.contains("rate") && json.contains("seconds");
  if (!is_ours || !json.at("epoch").is_number_unsigned()) return std::nullopt;
  return json.at("epoch").get<std::uint64_t>();
}

// Whether a line without an end may be the beginning of one of ours.
bool is_beginning(std::string_view line, LineFormat format) {
  if (format == LineFormat::Jsonl) {
    return line.starts_with(kJsonBegin) || kJsonBegin.starts_with(line);
  }
  return std::ranges::all_of(line, [](char c) { return c == ',' || is_number_text({&c, 1}); });
}

Errors refuse_line(std::uint64_t number, std::string message) {
  return {
      ErrorCode::BadTable, "line " + std::to_string(number),
      std::move(message) + "; the file is left as it is: move it away, or give --log another path"};
}

}  // namespace

std::string header_of(LineFormat format) {
  if (format == LineFormat::Jsonl) return {};
  std::string line = "epoch";
  for (const EpochField& field : fields_of(EpochReport())) line += "," + column_of(field);
  return line + "\n";
}

std::string line_of(LineFormat format, const EpochReport& report) {
  return format == LineFormat::Csv ? csv_line(report) : jsonl_line(report);
}

Result<std::uint64_t> bytes_to_keep(std::istream& log, LineFormat format,
                                    std::uint64_t last_epoch) {
  const std::string header = header_of(format);
  std::uint64_t number = 0, kept = 0, before = 0;
  for (std::string line; std::getline(log, line);) {
    const bool has_end = !log.eof();
    if (++number == 1 && !header.empty()) {
      if (!has_end && header.starts_with(line)) return 0;
      if (!has_end || line + "\n" != header) {
        return refuse_line(number, "is not the header of a log of training, expected \"" +
                                       header.substr(0, header.size() - 1) + "\"");
      }
      kept = header.size();
      continue;
    }
    if (!has_end && is_beginning(line, format)) break;
    const auto epoch = format == LineFormat::Csv ? epoch_of_csv(line) : epoch_of_jsonl(line);
    if (!epoch || !has_end) return refuse_line(number, "is not an epoch of a log of training");
    if (*epoch <= before) {
      return refuse_line(number, "is epoch " + std::to_string(*epoch) + " after epoch " +
                                     std::to_string(before) + ", expected a later one");
    }
    before = *epoch;
    if (*epoch <= last_epoch) kept += line.size() + 1;
  }
  return kept;
}

}  // namespace vecc::tools
