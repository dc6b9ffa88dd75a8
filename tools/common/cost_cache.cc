#include "tools/common/cost_cache.h"

#include <array>

#include "src/calibration/coefficient_file.h"
#include "src/support/log.h"

namespace vecc::tools {
namespace {

constexpr std::string_view kTunedFolder = "tuned";

DeviceFile coefficients_of(std::string_view backend, std::string_view device) {
  return {kCoefficientFolder, "", backend, device};
}

// Seconds, of a unit of work: more than any device takes.
constexpr double kLongest = 1000;

std::array<NamedCoefficient, 5> named(CostCoefficients& c) {
  return {{{"run", &c.run, kLongest},
           {"launch", &c.launch, kLongest},
           {"byte", &c.byte, kLongest},
           {"batch_byte", &c.batch_byte, kLongest},
           {"multiply_add", &c.multiply_add, kLongest}}};
}

}  // namespace

std::optional<CostCoefficients> load_coefficients(std::string_view backend,
                                                  std::string_view device) {
  const DeviceFile file = coefficients_of(backend, device);
  CostCoefficients c;
  const Result<bool> loaded = load_coefficients(file, named(c));
  if (!loaded) log_warning(unused_coefficients_text(loaded.error(), file));
  if (!loaded || !*loaded) return std::nullopt;
  return c;
}

Result<std::string> save_coefficients(std::string_view backend, std::string_view device,
                                      const CostCoefficients& c) {
  CostCoefficients values = c;
  return save_coefficients(coefficients_of(backend, device), named(values));
}

// A file that cannot be used is as good as none: the next -O3 writes another.
std::optional<TunedChoice> load_tuned(const Fingerprint& program, std::string_view backend,
                                      std::string_view device) {
  const auto json = read_device_file({kTunedFolder, program.text(), backend, device});
  if (!json || !*json || !(*json)->contains("gather_preset") || !(*json)->contains("pad")) {
    return std::nullopt;
  }
  const auto& name = (*json)->at("gather_preset");
  const auto& pad = (*json)->at("pad");
  if (!name.is_string() || !pad.is_string()) return std::nullopt;
  const auto preset = name.get<std::string>();
  const Result<PadMode> pad_mode = parse_pad_mode(pad.get<std::string>());
  if (find_gather_preset(preset) == nullptr || !pad_mode) return std::nullopt;
  return TunedChoice{preset, *pad_mode};
}

Result<void> save_tuned(const Fingerprint& program, std::string_view backend,
                        std::string_view device, const TunedChoice& choice) {
  VECC_TRY_VOID(write_device_file(
      {kTunedFolder, program.text(), backend, device},
      {{"gather_preset", choice.gather_preset}, {"pad", text_of(choice.pad_mode)}}));
  return {};
}

}  // namespace vecc::tools
