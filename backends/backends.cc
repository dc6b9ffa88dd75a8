// The table of backends, what all executables have, and the text of devices and of --torch-reduce.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "backends/cpu/cpu_backend.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/reference/program_interpreter.h"
#include "backends/torch/torch_backend.h"
#include "src/support/enum_names.h"
#include "vecc/backend.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

// Without the driver's library there is no CUDA device, and no backend need be asked.
bool has_cuda_driver() {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver != nullptr) ::dlclose(driver);
  return driver != nullptr;
}

}  // namespace

std::span<const Backend* const> backends() {
  static const std::array<const Backend*, 4> table = {&cpu_backend(), &cuda_backend(),
                                                      &libtorch::torch_backend(),
                                                      &reference::interpreter_backend()};
  return table;
}

std::vector<const Backend*> preferred_backends(const Device& device) {
  std::vector<const Backend*> order(backends().begin(), backends().end());
  const auto first = [&](const Backend& preferred) {
    std::stable_partition(order.begin(), order.end(),
                          [&](const Backend* backend) { return backend == &preferred; });
  };
  if (device.kind == Device::Kind::Cpu ||
      (device.kind == Device::Kind::Auto && !has_cuda_driver())) {
    std::erase(order, &cuda_backend());
    return order;
  }
  const Device gpu{Device::Kind::Cuda, device.index};
  const bool wants_gpu = device.kind == Device::Kind::Cuda;
  // What VECC_NVRTC names may fail: it is asked first all the same, so that it is not passed over.
  const auto cuda = cuda_backend().available(gpu);
  const bool has_cuda = cuda || cuda.error().list().front().code == ErrorCode::CompilerFailed;
  // libtorch takes half a second to load: it need not be asked where it comes second.
  if (wants_gpu || (!has_cuda && libtorch::torch_backend().available(gpu)))
    first(libtorch::torch_backend());
  if (wants_gpu || has_cuda) first(cuda_backend());
  return order;
}

const Backend* find_backend(std::string_view name) {
  const auto all = backends();
  const auto found = std::ranges::find(all, name, &Backend::name);
  return found == all.end() ? nullptr : *found;
}

std::string_view text_of(TorchReduce reduce) {
  switch (reduce) {
    case TorchReduce::Auto: return "auto";
    case TorchReduce::Segment: return "segment";
    case TorchReduce::Scatter: return "scatter";
    case TorchReduce::SpMM: return "spmm";
  }
  return "";
}

std::optional<TorchReduce> parse_torch_reduce(std::string_view text) {
  return parse_name<TorchReduce>(text);
}

Result<Device> parse_device(std::string_view text) {
  if (text == "auto") return Device{Device::Kind::Auto, 0};
  if (text == "cpu") return Device{Device::Kind::Cpu, 0};
  if (text == "cuda") return Device{Device::Kind::Cuda, 0};
  constexpr std::string_view kCuda = "cuda:";
  if (text.starts_with(kCuda)) {
    const char* const end = text.data() + text.size();
    Device device{Device::Kind::Cuda, 0};
    const auto [last, error] = std::from_chars(text.data() + kCuda.size(), end, device.index);
    if (error == std::errc() && last == end) return device;
  }
  return Errors(ErrorCode::Usage, "device",
                "\"" + escape_terminal(text) + "\", expected auto, cpu, cuda or cuda:N");
}

Result<void> set_parameters(Executable& executable, std::span<const ParameterValues> all) {
  for (const ParameterValues& each : all) {
    VECC_TRY_VOID(executable.set_parameter(each.parameter, each.values));
  }
  return {};
}

}  // namespace vecc
