#include "tools/common/cost_cache.h"

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "src/support/cache_folder.h"
#include "tools/common/data_sink.h"
#include "tools/common/statistics.h"

namespace vecc::tools {
namespace {

using Json = nlohmann::ordered_json;

// A file of an older vecc, whose counts or passes were others, is no file.
constexpr const char* kVersion = VECC_VERSION;

Result<std::string> cost_path(std::string_view backend, std::string_view device) {
  VECC_TRY(const std::string folder, cache_folder("cost"));
  return folder + "/" + cache_name(backend) + "-" + cache_name(device) + ".json";
}

Result<std::string> tuned_path(const Fingerprint& program, std::string_view backend,
                               std::string_view device) {
  VECC_TRY(const std::string folder, cache_folder("tuned"));
  return folder + "/" + program.text() + "-" + cache_name(backend) + "-" + cache_name(device) +
         ".json";
}

// None if it is not there, does not parse, or is another vecc's: it can be made again.
std::optional<Json> read_json(const Result<std::string>& path) {
  if (!path) return std::nullopt;
  std::ifstream file(*path);
  Json json = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("vecc", "") != kVersion) return std::nullopt;
  return json;
}

std::optional<double> number_at(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  if (!std::isfinite(value) || value < 0) return std::nullopt;
  return value;
}

std::array<std::pair<const char*, double*>, 5> fields_of(CostCoefficients& c) {
  return {{{"run", &c.run},
           {"launch", &c.launch},
           {"byte", &c.byte},
           {"batch_byte", &c.batch_byte},
           {"multiply_add", &c.multiply_add}}};
}

}  // namespace

std::optional<CostCoefficients> load_coefficients(std::string_view backend,
                                                  std::string_view device) {
  const std::optional<Json> json = read_json(cost_path(backend, device));
  if (!json) return std::nullopt;
  CostCoefficients c;
  for (const auto& [name, value] : fields_of(c)) {
    const std::optional<double> number = number_at(*json, name);
    if (!number) return std::nullopt;
    *value = *number;
  }
  return c;
}

Result<std::string> save_coefficients(std::string_view backend, std::string_view device,
                                      const CostCoefficients& c) {
  VECC_TRY(const std::string path, cost_path(backend, device));
  Json json{{"vecc", kVersion}, {"backend", backend}, {"device", device}};
  CostCoefficients values = c;
  for (const auto& [name, value] : fields_of(values)) json[name] = *value;
  VECC_TRY_VOID(write_data(path, dump_json(json) + "\n"));
  return path;
}

std::optional<TunedChoice> load_tuned(const Fingerprint& program, std::string_view backend,
                                      std::string_view device) {
  const std::optional<Json> json = read_json(tuned_path(program, backend, device));
  if (!json || !json->contains("gather_preset") || !json->contains("pad")) return std::nullopt;
  if (!json->at("gather_preset").is_string() || !json->at("pad").is_string()) return std::nullopt;
  const auto preset = json->at("gather_preset").get<std::string>();
  const Result<PadMode> pad = parse_pad_mode(json->at("pad").get<std::string>());
  if (find_gather_preset(preset) == nullptr || !pad) return std::nullopt;
  return TunedChoice{preset, *pad};
}

Result<void> save_tuned(const Fingerprint& program, std::string_view backend,
                        std::string_view device, const TunedChoice& choice) {
  VECC_TRY(const std::string path, tuned_path(program, backend, device));
  const Json json{{"vecc", kVersion},
                  {"backend", backend},
                  {"device", device},
                  {"gather_preset", choice.gather_preset},
                  {"pad", text_of(choice.pad_mode)}};
  return write_data(path, dump_json(json) + "\n");
}

}  // namespace vecc::tools
