#include "tools/common/cost_cache.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

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

}  // namespace

std::optional<CostCoefficients> load_coefficients(std::string_view backend,
                                                  std::string_view device) {
  const std::optional<Json> json = read_json(cost_path(backend, device));
  if (!json) return std::nullopt;
  const auto launch = number_at(*json, "launch");
  const auto byte = number_at(*json, "byte");
  const auto multiply_add = number_at(*json, "multiply_add");
  if (!launch || !byte || !multiply_add) return std::nullopt;
  return CostCoefficients{*launch, *byte, *multiply_add};
}

Result<std::string> save_coefficients(std::string_view backend, std::string_view device,
                                      const CostCoefficients& c) {
  VECC_TRY(const std::string path, cost_path(backend, device));
  const Json json{{"vecc", kVersion},   {"backend", backend}, {"device", device},
                  {"launch", c.launch}, {"byte", c.byte},     {"multiply_add", c.multiply_add}};
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
