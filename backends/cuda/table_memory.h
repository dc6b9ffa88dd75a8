// Arrays that go to a device as one piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "backends/cuda/driver.h"

namespace vecc::cuda {

class TableMemory {
 public:
  /// Of addresses as they are on the device, where the piece begins at `begin`; 0: what is added is
  /// counted alone. Nothing is at the beginning itself, which then is no address.
  explicit TableMemory(CUdeviceptr begin) : begin_(begin) {}

  /// Copies them. Returns where they are on the device; null for none.
  template <class T>
  const T* add(std::span<const T> items) {
    T* const place = reserve<T>(items.size());
    if (begin_ != 0 && !items.empty()) {
      bytes_.resize(size_);
      std::memcpy(bytes_.data() + size_ - items.size_bytes(), items.data(), items.size_bytes());
    }
    return place;
  }
  template <class T>
  const T* add(const std::vector<T>& items) {
    return add(std::span<const T>(items));
  }
  /// The same; of a vector that was added before, its first copy. The vector must not change.
  const std::uint32_t* share(const std::vector<std::uint32_t>& items) {
    const auto [found, is_new] = shared_.try_emplace(&items, nullptr);
    if (is_new) found->second = add(items);
    return found->second;
  }
  /// Zeros.
  template <class T>
  T* reserve(std::uint64_t count) {
    if (count == 0) return nullptr;
    const std::uint64_t first = (size_ + kAlignment - 1) / kAlignment * kAlignment;
    size_ = first + count * sizeof(T);
    return reinterpret_cast<T*>(begin_ + first);
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Up to the last that was added.
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  static constexpr std::uint64_t kAlignment = 256;

  CUdeviceptr begin_;
  std::uint64_t size_ = 1;
  std::vector<std::byte> bytes_;
  std::map<const void*, const std::uint32_t*> shared_;
};

}  // namespace vecc::cuda
