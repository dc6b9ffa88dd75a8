// Memory for many numbers that are all written before any is read: not zeroed, so that its pages
// are touched first by the threads that write them.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace vecc::opt {

template <class T>
class UnsetArray {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  UnsetArray() = default;
  explicit UnsetArray(std::size_t size)
      : data_(static_cast<T*>(::operator new(size * sizeof(T)))), size_(size) {}
  UnsetArray(UnsetArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  UnsetArray& operator=(UnsetArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~UnsetArray() { ::operator delete(data_); }

  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] std::span<T> part(std::size_t begin, std::size_t size) {
    return {data_ + begin, size};
  }
  [[nodiscard]] std::span<const T> part(std::size_t begin, std::size_t size) const {
    return {data_ + begin, size};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace vecc::opt
