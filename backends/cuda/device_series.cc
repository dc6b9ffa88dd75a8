#include "backends/cuda/device_series.h"

#include <array>
#include <cstring>
#include <utility>

namespace vecc::cuda {

DeviceSeries::DeviceSeries(const std::shared_ptr<Device>& device, DType dtype, SeriesPlaces places)
    : places_(std::move(places)),
      totals_(device, dtype, kLongestSeries),
      values_(device, dtype, kLongestSeries * places_.inputs.size()),
      targets_(device, places_.inputs.size() * sizeof(CUdeviceptr)),
      state_(device, sizeof(SeriesArguments) + sizeof(std::uint32_t)),
      arguments_{.total = places_.total,
                 .totals = totals_.at(0),
                 .values = places_.inputs.empty() ? 0 : values_.at(0),
                 .targets = places_.inputs.empty() ? 0 : targets_.address(),
                 .inputs = static_cast<std::uint32_t>(places_.inputs.size()),
                 .runs = 0} {
  targets_.write(0, places_.inputs.data(), places_.inputs.size() * sizeof(CUdeviceptr));
}

void DeviceSeries::begin(std::uint32_t runs, std::span<const double> values) {
  arguments_.runs = runs;
  values_.write(values);
  std::array<std::byte, sizeof(SeriesArguments) + sizeof(std::uint32_t)> state{};
  std::memcpy(state.data(), &arguments_, sizeof arguments_);
  state_.write(0, state.data(), state.size());
}

void DeviceSeries::read_totals(std::vector<double>& to) const {
  totals_.read(0, arguments_.runs, to);
}

}  // namespace vecc::cuda
