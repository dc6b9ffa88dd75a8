// What a series of runs reads and writes on a GPU (src/kernel/prelude/series.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/cuda/device_block.h"

namespace vecc::cuda {

/// As `Series` in prelude/series.h.
struct SeriesArguments {
  CUdeviceptr total = 0;
  CUdeviceptr totals = 0;
  CUdeviceptr values = 0;
  CUdeviceptr targets = 0;
  std::uint32_t inputs = 0;
  std::uint32_t runs = 0;
};

/// Where a series' numbers lie that are not its own.
struct SeriesPlaces {
  CUdeviceptr total = 0;
  std::vector<CUdeviceptr> inputs;
  bool operator==(const SeriesPlaces&) const = default;
};

/// Longer series are run as several.
inline constexpr std::uint32_t kLongestSeries = 1024;

class DeviceSeries {
 public:
  /// Throws DeviceError.
  DeviceSeries(const std::shared_ptr<Device>& device, DType dtype, SeriesPlaces places);

  [[nodiscard]] const SeriesPlaces& places() const { return places_; }
  /// Before a series: `values` by run and input. Throws DeviceError.
  void begin(std::uint32_t runs, std::span<const double> values);
  [[nodiscard]] const SeriesArguments& arguments() const { return arguments_; }
  /// The same on the device, and the number of runs that have ended.
  [[nodiscard]] CUdeviceptr device_arguments() const { return state_.address(); }
  [[nodiscard]] CUdeviceptr run() const { return state_.address() + sizeof(SeriesArguments); }
  /// The totals, when all runs have ended. Throws DeviceError.
  void read_totals(std::vector<double>& to) const;

 private:
  SeriesPlaces places_;
  DeviceBlock totals_;
  DeviceBlock values_;
  DeviceMemory targets_;
  DeviceMemory state_;
  SeriesArguments arguments_;
};

}  // namespace vecc::cuda
