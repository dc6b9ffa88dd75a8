#include "src/calibration/device_file.h"

#include <filesystem>
#include <utility>

#include "src/support/cache_folder.h"
#include "src/support/checksum.h"
#include "src/support/whole_file.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

using Json = nlohmann::ordered_json;

// A file of another vecc, whose counts or passes were others, says nothing about this one.
constexpr std::string_view kVersion = VECC_VERSION;

// How a file begins; the digits of the CRC-32 of all its bytes follow.
constexpr std::string_view kMark = "{\n  \"crc32\": \"";

Errors bad_file(const std::string& path, const std::string& what) {
  return Errors(ErrorCode::BadTable, escape_terminal(path, 4096), what);
}

bool states_checksum(std::string_view text) {
  return text.starts_with(kMark) && text.size() - kMark.size() >= kChecksumDigits;
}

// What a number has become by damage, no range of numbers tells.
Result<void> check_bytes(const std::string& path, std::string_view text) {
  const std::string wrong =
      compare_checksum(crc32_without_digits(text, kMark.size()),
                       text.substr(kMark.size(), kChecksumDigits), "what wrote it writes another");
  if (wrong.empty()) return {};
  return Errors(ErrorCode::WrongChecksum, escape_terminal(path, 4096), wrong);
}

// Of whom a file is, one of its strings.
Result<void> check_text(const std::string& path, const Json& json, const char* key,
                        std::string_view expected) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_string()) {
    return bad_file(path, "has no string \"" + std::string(key) + "\"");
  }
  const auto& text = found->get_ref<const std::string&>();
  if (text == expected) return {};
  return bad_file(path, std::string(key) + " is \"" + escape_terminal(text) + "\", expected \"" +
                            escape_terminal(expected) + "\"");
}

}  // namespace

Result<std::string> device_file_path(const DeviceFile& file) {
  VECC_TRY(const std::string folder, cache_folder(file.folder));
  std::string name = file.prefix.empty() ? std::string() : cache_name(file.prefix) + "-";
  name += cache_name(file.backend) + "-" + cache_name(file.device);
  return folder + "/" + name + ".json";
}

Result<std::optional<Json>> read_device_file(const DeviceFile& file) {
  const Result<std::string> path = device_file_path(file);
  std::error_code ignored;
  if (!path || !std::filesystem::exists(*path, ignored)) return std::optional<Json>();
  VECC_TRY(const std::string text, read_whole_file(*path));
  const bool is_stated = states_checksum(text);
  if (is_stated) VECC_TRY_VOID(check_bytes(*path, text));
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return bad_file(*path, "is no JSON object: damaged, or cut off");
  VECC_TRY_VOID(check_text(*path, json, "vecc", kVersion));
  VECC_TRY_VOID(check_text(*path, json, "backend", file.backend));
  VECC_TRY_VOID(check_text(*path, json, "device", file.device));
  if (!is_stated) return bad_file(*path, "states no CRC-32 of its bytes: damaged, or changed");
  return std::optional(std::move(json));
}

Result<std::string> write_device_file(const DeviceFile& file, const Json& content) {
  VECC_TRY(std::string path, device_file_path(file));
  Json json{{"crc32", kNoChecksum},
            {"vecc", kVersion},
            {"backend", file.backend},
            {"device", file.device}};
  json.update(content);
  std::string text =
      json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
  state_checksum(text, kMark.size());
  VECC_TRY_VOID(write_whole_file(path, text));
  return path;
}

}  // namespace vecc
