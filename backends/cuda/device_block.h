// Memory of a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/split_memory.h"
#include "vecc/program.h"
#include "vecc/table_place.h"

namespace vecc::cuda {

/// Bytes that go with their last owner, zeros at first; on the host those are pinned, and have the
/// same address on the GPU. Throws DeviceError (OutOfMemory).
class DeviceMemory {
 public:
  DeviceMemory() = default;
  /// `hot_bytes`: of the host's, the first so many are on the device (SplitMemory); where the
  /// driver refuses that, which a warning says, they are on the host as well.
  DeviceMemory(std::shared_ptr<Device> device, std::uint64_t bytes,
               TablePlace place = TablePlace::Device, std::uint64_t hot_bytes = 0);

  [[nodiscard]] CUdeviceptr address() const { return address_; }
  /// When all work before it is done; `from` may go at once.
  void write(std::uint64_t first, const void* from, std::uint64_t bytes) const;
  /// As write(): the first `words` of four bytes each.
  void fill_words(unsigned word, std::uint64_t words) const;
  /// Waits for all work before it.
  void read(std::uint64_t first, void* to, std::uint64_t bytes) const;

 private:
  [[nodiscard]] bool split(std::uint64_t bytes, std::uint64_t hot_bytes);

  std::shared_ptr<Device> device_;
  std::shared_ptr<const void> owner_;   // of the memory
  CUdeviceptr address_ = 0;             // 0: none
  const SplitMemory* split_ = nullptr;  // the owner, if it is one
};

/// Numbers of a Plan's dtype on a GPU; zeros at first. Copies are the same memory. What throws
/// throws DeviceError.
class DeviceBlock {
 public:
  DeviceBlock() = default;
  DeviceBlock(std::shared_ptr<Device> device, DType dtype, std::uint64_t elements,
              TablePlace place = TablePlace::Device, std::uint64_t hot_bytes = 0);

  [[nodiscard]] std::uint64_t elements() const { return elements_; }
  [[nodiscard]] TablePlace place() const { return place_; }
  [[nodiscard]] std::uint64_t bytes() const { return elements_ * byte_size(dtype_); }
  /// Where an element is.
  [[nodiscard]] CUdeviceptr at(std::uint64_t element) const {
    return memory_.address() + element * byte_size(dtype_);
  }
  void write(std::span<const double> values, std::uint64_t first = 0) const {
    write_numbers(values, first);
  }
  void write(std::span<const float> values, std::uint64_t first = 0) const {
    write_numbers(values, first);
  }
  void write(const SharedNumbers& values, std::uint64_t first = 0) const {
    values.visit([&](auto from) { write_numbers(from, first); });
  }
  void fill(double value) const;
  /// `count` elements from `first` on are appended to `values`.
  void read(std::uint64_t first, std::uint64_t count, std::vector<double>& values) const;
  /// As many as there is room for.
  void copy(std::uint64_t first, std::span<float> to) const;
  void copy(std::uint64_t first, std::span<double> to) const;

 private:
  template <class T>
  void write_numbers(std::span<const T> values, std::uint64_t first) const;
  // Elements of another type than the block's, some at a time.
  template <class From, class To>
  void convert(std::uint64_t first, std::span<To> to) const;

  DeviceMemory memory_;
  DType dtype_ = DType::F32;
  std::uint64_t elements_ = 0;
  TablePlace place_ = TablePlace::Device;
};

}  // namespace vecc::cuda
