// Numbers of a Plan's dtype in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "vecc/program.h"

namespace vecc::cpu {

/// Zeros at first; begins at a cache line. Copies are the same memory.
class NativeBlock {
 public:
  NativeBlock() = default;
  /// Throws std::bad_alloc.
  NativeBlock(DType dtype, std::uint64_t elements);
  /// In memory that is zeros, of taken_bytes() at least.
  NativeBlock(DType dtype, std::uint64_t elements, std::shared_ptr<std::byte> memory)
      : dtype_(dtype), elements_(elements), memory_(std::move(memory)) {}
  /// Of a block of so many bytes: up to a cache line's end, which is not the block's.
  [[nodiscard]] static std::uint64_t taken_bytes(std::uint64_t bytes);

  [[nodiscard]] std::uint64_t elements() const { return elements_; }
  [[nodiscard]] std::uint64_t bytes() const { return elements_ * byte_size(dtype_); }
  /// Where an element is.
  [[nodiscard]] std::byte* at(std::uint64_t element) const {
    return memory_.get() + element * byte_size(dtype_);
  }
  void write(std::span<const double> values, std::uint64_t first = 0) const;
  void write(const SharedNumbers& values) const;
  /// values[i] at rows[i].
  void write(std::span<const double> values, std::span<const std::uint32_t> rows) const;
  /// 0 at each of `rows`.
  void clear(std::span<const std::uint32_t> rows) const;
  void fill(double value) const;
  /// `count` elements from `first` on are appended to `values`.
  void read(std::uint64_t first, std::uint64_t count, std::vector<double>& values) const;
  /// Elements from `first` on, as many as `to` has.
  void copy(std::uint64_t first, std::span<float> to) const;
  void copy(std::uint64_t first, std::span<double> to) const;
  /// All numbers are 0 again, and take no memory until they are written. Of a block of less than a
  /// few pages nothing happens.
  void give_back() const;
  /// Before numbers are written, all of which will be: in pages as large as the system has, so that
  /// rows that are read in any order are found sooner. Takes no more memory.
  void use_large_pages() const;
  /// Where one number is written no more than a page of 4 KiB becomes memory.
  void use_small_pages() const;

 private:
  DType dtype_ = DType::F32;
  std::uint64_t elements_ = 0;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace vecc::cpu
