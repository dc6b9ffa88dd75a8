#include "backends/cuda/schedule_coefficients.h"

#include <array>
#include <map>
#include <mutex>

#include "src/calibration/coefficient_file.h"
#include "src/support/log.h"

namespace vecc::cuda {
namespace {

// More than any GPU takes: a second, and as much for a unit of work.
constexpr double kMostMicroseconds = 1e6;

std::array<NamedCoefficient, 12> named(ScheduleCoefficients& c) {
  const auto one = [](const char* name, double& value) {
    return NamedCoefficient{name, &value, kMostMicroseconds};
  };
  return {one("graph_begin", c.graph.begin),     one("graph_level", c.graph.level),
          one("graph_node", c.graph.node),       one("graph_work", c.graph.work),
          one("grid_begin", c.grid.begin),       one("grid_level", c.grid.level),
          one("grid_work", c.grid.work),         one("parts_begin", c.parts.begin),
          one("parts_barrier", c.parts.barrier), one("parts_level", c.parts.level),
          one("parts_step", c.parts.step),       one("parts_work", c.parts.work)};
}

DeviceFile file_of(std::string_view device) {
  return {kCoefficientFolder, "schedules", "cuda", device};
}

}  // namespace

std::vector<std::pair<std::string, double>> coefficient_values(
    const ScheduleCoefficients& coefficients) {
  ScheduleCoefficients values = coefficients;
  std::vector<std::pair<std::string, double>> list;
  for (const NamedCoefficient& c : named(values)) list.emplace_back(c.name, *c.value);
  return list;
}

DeviceCoefficients load_schedule_coefficients(std::string_view device, const Target& target) {
  const DeviceFile file = file_of(device);
  DeviceCoefficients found{target.schedules};
  const Result<bool> loaded = load_coefficients(file, named(found.coefficients));
  if (!loaded) log_warning(unused_coefficients_text(loaded.error(), file));
  found.is_calibrated = loaded && *loaded;
  return found;
}

const DeviceCoefficients& schedule_coefficients_of(const std::string& device,
                                                   const Target& target) {
  static std::mutex mutex;
  static std::map<std::string, DeviceCoefficients> devices;
  const std::lock_guard lock(mutex);
  const auto found = devices.find(device);
  if (found != devices.end()) return found->second;
  return devices.emplace(device, load_schedule_coefficients(device, target)).first->second;
}

Result<std::string> save_schedule_coefficients(std::string_view device,
                                               const ScheduleCoefficients& coefficients) {
  ScheduleCoefficients values = coefficients;
  return save_coefficients(file_of(device), named(values));
}

}  // namespace vecc::cuda
