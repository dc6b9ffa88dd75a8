#include "backends/cuda/device.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

namespace vecc::cuda {
namespace {

std::uint32_t attribute(const Driver& driver, int number, CUdevice device) {
  int value = 0;
  check(driver, driver.device_attribute(&value, number, device), "asking the GPU what it is");
  return static_cast<std::uint32_t>(std::max(value, 0));
}

Result<CUdevice> find_device(const Driver& driver, std::uint32_t index) {
  const std::uint32_t count = device_count();
  CUdevice device = 0;
  if (index < count && driver.device_get(&device, static_cast<int>(index)) == kSuccess)
    return device;
  const std::string found = count == 0   ? "no GPU is visible"
                            : count == 1 ? "the only GPU is cuda:0"
                                         : "GPUs are cuda:0 to cuda:" + std::to_string(count - 1);
  return Errors(ErrorCode::DeviceAbsent, "cuda:" + std::to_string(index),
                found + " (nvidia-smi -L, CUDA_VISIBLE_DEVICES); --backend=cpu needs none");
}

}  // namespace

std::uint32_t device_count() {
  const auto driver = find_driver();
  int count = 0;
  if (!driver || (*driver)->device_count(&count) != kSuccess || count < 0) return 0;
  return static_cast<std::uint32_t>(count);
}

Result<DeviceInfo> describe_device(std::uint32_t index) {
  VECC_TRY(const Driver* driver, find_driver());
  VECC_TRY(const CUdevice device, find_device(*driver, index));
  try {
    DeviceInfo info;
    std::array<char, 128> name{};
    check(*driver, driver->device_name(name.data(), name.size() - 1, device), "asking for a name");
    const auto ask = [&](int number) { return attribute(*driver, number, device); };
    info.facts.device = name.data();
    info.facts.capability = ask(kCapabilityMajor) * 10 + ask(kCapabilityMinor);
    info.facts.multiprocessors = ask(kMultiprocessorCount);
    info.facts.threads = ask(kThreadsOfMultiprocessor);
    info.facts.registers = ask(kRegistersOfMultiprocessor);
    info.facts.shared_bytes = ask(kSharedBytesOfMultiprocessor);
    info.facts.cache_bytes = ask(kCacheBytes);
    std::size_t bytes = 0;
    check(*driver, driver->device_memory(&bytes, device), "asking for the memory");
    info.bytes = bytes;
    return info;
  } catch (const DeviceError& error) {
    return error.errors;
  }
}

Result<std::shared_ptr<Device>> Device::open(std::uint32_t index) {
  static std::mutex mutex;
  static std::map<std::uint32_t, std::shared_ptr<Device>>& devices =
      *new std::map<std::uint32_t, std::shared_ptr<Device>>;  // outlives what runs on them
  const std::lock_guard lock(mutex);
  if (const auto found = devices.find(index); found != devices.end()) return found->second;
  VECC_TRY(const Driver* driver, find_driver());
  VECC_TRY(const DeviceInfo info, describe_device(index));
  VECC_TRY(const CUdevice device, find_device(*driver, index));
  VECC_TRY_VOID(
      check_capability(info.facts.capability, "cuda:" + std::to_string(index), info.facts.device));
  std::shared_ptr<Device> opened(new Device(*driver));
  opened->number_ = device;
  opened->name_ = "cuda:" + std::to_string(index) + " " + info.facts.device;
  opened->target_ = target_of(info.facts);
  try {
    opened->check(driver->context_retain(&opened->context_, device), "making a context");
    opened->use();
    opened->check(driver->stream_create(&opened->stream_, 1), "making a stream");
    opened->check(driver->stream_create(&opened->copy_stream_, 1), "making a stream");
  } catch (const DeviceError& error) {
    return error.errors;
  }
  devices[index] = opened;
  return opened;
}

void Device::use() const {
  check(driver_.context_set(context_), "choosing the GPU");
}

std::uint64_t Device::free_bytes() const {
  std::size_t free = 0;
  std::size_t total = 0;
  check(driver_.memory_info(&free, &total), "asking for free memory");
  return free;
}

void Device::wait() const {
  check(driver_.stream_synchronize(stream_), "running on the GPU");
}

}  // namespace vecc::cuda
