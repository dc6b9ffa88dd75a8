#include "src/calibration/coefficient_file.h"

#include <fmt/format.h>

#include <vector>

#include "vecc/escape.h"

namespace vecc {
namespace {

using Json = nlohmann::ordered_json;

// Nothing, or what is wrong with a number of a file.
std::string check_number(const Json& json, const NamedCoefficient& coefficient) {
  const auto found = json.find(coefficient.name);
  if (found == json.end() || !found->is_number()) {
    return fmt::format("has no number \"{}\"", coefficient.name);
  }
  const double value = found->get<double>();
  if (value >= 0 && value <= coefficient.most) return {};
  return fmt::format("{} is {}, expected 0 to {}", coefficient.name, value, coefficient.most);
}

}  // namespace

Result<bool> load_coefficients(const DeviceFile& file, std::span<const NamedCoefficient> to) {
  VECC_TRY(const std::optional<Json> json, read_device_file(file));
  if (!json) return false;
  for (const NamedCoefficient& coefficient : to) {
    const std::string wrong = check_number(*json, coefficient);
    if (wrong.empty()) continue;
    VECC_TRY(const std::string path, device_file_path(file));
    return Errors(ErrorCode::BadTable, escape_terminal(path, 4096), wrong);
  }
  for (const NamedCoefficient& coefficient : to) {
    *coefficient.value = json->at(coefficient.name).get<double>();
  }
  return true;
}

Result<std::string> save_coefficients(const DeviceFile& file,
                                      std::span<const NamedCoefficient> from) {
  Json content = Json::object();
  for (const NamedCoefficient& coefficient : from) content[coefficient.name] = *coefficient.value;
  return write_device_file(file, content);
}

std::string unused_coefficients_text(const Errors& errors, const DeviceFile& file) {
  const std::string_view device = file.device.substr(0, file.device.find(' '));
  return fmt::format(
      "{}; it is not used: vecc-bench calibrate --backend={} --device={} writes another",
      errors.text(), file.backend, escape_terminal(device));
}

}  // namespace vecc
