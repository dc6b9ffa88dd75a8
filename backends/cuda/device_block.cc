#include "backends/cuda/device_block.h"

#include <algorithm>
#include <utility>

namespace vecc::cuda {

DeviceMemory::DeviceMemory(std::shared_ptr<Device> device, std::uint64_t bytes)
    : device_(std::move(device)) {
  if (bytes == 0) return;
  CUdeviceptr memory = 0;
  device_->check(device_->driver().memory_allocate(&memory, bytes), "allocating memory");
  memory_ = std::shared_ptr<const CUdeviceptr>(
      new CUdeviceptr(memory), [owner = device_](const CUdeviceptr* address) {
        (void)owner->driver().memory_free(*address);  // at the end of the process it may be gone
        delete address;
      });
  device_->check(device_->driver().fill_bytes(memory, 0, bytes, device_->stream()),
                 "clearing memory");
}

void DeviceMemory::write(std::uint64_t first, const void* from, std::uint64_t bytes) const {
  if (bytes == 0) return;
  device_->check(
      device_->driver().copy_to_device(address() + first, from, bytes, device_->stream()),
      "copying to the GPU");
}

void DeviceMemory::read(std::uint64_t first, void* to, std::uint64_t bytes) const {
  if (bytes == 0) return;
  device_->check(device_->driver().copy_to_host(to, address() + first, bytes, device_->stream()),
                 "copying from the GPU");
  device_->wait();
}

DeviceBlock::DeviceBlock(std::shared_ptr<Device> device, DType dtype, std::uint64_t elements)
    : memory_(std::move(device), elements * byte_size(dtype)), dtype_(dtype), elements_(elements) {}

void DeviceBlock::write(std::span<const double> values, std::uint64_t first) const {
  const std::uint64_t begin = first * byte_size(dtype_);
  if (dtype_ == DType::F64) return memory_.write(begin, values.data(), values.size_bytes());
  std::vector<float> narrow(values.size());
  std::ranges::transform(values, narrow.begin(), [](double x) { return static_cast<float>(x); });
  memory_.write(begin, narrow.data(), narrow.size() * sizeof(float));
}

void DeviceBlock::fill(double value) const {
  write(std::vector<double>(elements_, value));
}

void DeviceBlock::read(std::uint64_t first, std::uint64_t count,
                       std::vector<double>& values) const {
  const std::size_t old = values.size();
  values.resize(old + count);
  const std::uint64_t begin = first * byte_size(dtype_);
  if (dtype_ == DType::F64) return memory_.read(begin, values.data() + old, count * sizeof(double));
  std::vector<float> narrow(count);
  memory_.read(begin, narrow.data(), count * sizeof(float));
  std::ranges::copy(narrow, values.begin() + static_cast<std::ptrdiff_t>(old));
}

}  // namespace vecc::cuda
