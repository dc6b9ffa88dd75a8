#include "src/emit/cuda/runtime/device.h"

#include "src/emit/native/runtime/failure.h"

namespace vecc::emitted {
namespace {

std::string error_text(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error);
}

[[noreturn]] void fail(const std::string& place, const std::string& message) {
  throw Failure(ExitCode::Device, place, message);
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "asking the GPU what it is");
  return value;
}

std::string built_for(cudaError_t error) {
  int device = 0;
  if (error != cudaErrorNoKernelImageForDevice && error != cudaErrorInvalidDeviceFunction &&
      error != cudaErrorUnsupportedPtxVersion) {
    return {};
  }
  (void)cudaGetLastError();
  if (cudaGetDevice(&device) != cudaSuccess) return {};
  const std::string architecture =
      std::to_string(attribute(cudaDevAttrComputeCapabilityMajor, device)) +
      std::to_string(attribute(cudaDevAttrComputeCapabilityMinor, device));
  return "; the program was built for other GPUs: configure it with "
         "-DCMAKE_CUDA_ARCHITECTURES=" +
         architecture;
}

}  // namespace

void check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  fail("program", std::string(what) + ": " + error_text(result) + built_for(result));
}

Device::Device(std::uint64_t number) {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  const std::string place = "cuda:" + std::to_string(number);
  if (result != cudaSuccess) {
    fail(place, "no GPU can be used (nvidia-smi shows GPUs and the driver): " + error_text(result));
  }
  if (number >= static_cast<std::uint64_t>(count)) {
    const std::string found = count == 0   ? "no GPU is visible"
                              : count == 1 ? "the only GPU is cuda:0"
                                           : "GPUs are cuda:0 to cuda:" + std::to_string(count - 1);
    fail(place, found + " (nvidia-smi -L, CUDA_VISIBLE_DEVICES)");
  }
  const int device = static_cast<int>(number);
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "asking the GPU what it is");
  name_ = place + " " + properties.name;
  check(cudaSetDevice(device), "choosing the GPU");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
}

Device::~Device() {
  (void)cudaStreamDestroy(stream_);
}

std::uint64_t Device::free_bytes() const {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  return free;
}

DeviceMemory::DeviceMemory(const Device& device, std::uint64_t bytes) : device_(device) {
  if (bytes == 0) return;
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "allocating memory");
  data_ = static_cast<std::byte*>(memory);
  check(cudaMemsetAsync(data_, 0, bytes, device_.stream()), "clearing memory");
}

DeviceMemory::~DeviceMemory() {
  (void)cudaFree(data_);
}

void DeviceMemory::write(std::uint64_t first, const void* from, std::uint64_t bytes) const {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(data_ + first, from, bytes, cudaMemcpyHostToDevice, device_.stream()),
        "copying to the GPU");
  device_.wait();  // `from` may go at once
}

}  // namespace vecc::emitted
