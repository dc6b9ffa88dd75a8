// Lists of numbers that have one or two entries nearly always, in what there are millions of: the
// operands of an op, the tiles of a launch.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace vecc {

/// A list of 32-bit numbers, in 16 bytes while there are no more than two of them; no more than
/// 2^32 - 1.
class ShortList {
 public:
  using value_type = std::uint32_t;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = std::uint32_t&;
  using const_reference = const std::uint32_t&;
  using iterator = std::uint32_t*;
  using const_iterator = const std::uint32_t*;

  ShortList() = default;
  /// `count` zeros.
  explicit ShortList(std::size_t count) { resize_for(count); }
  ShortList(std::initializer_list<std::uint32_t> values)
      : ShortList(values.begin(), values.end()) {}
  template <std::forward_iterator Iterator>
  ShortList(Iterator begin, Iterator end) {
    resize_for(static_cast<std::size_t>(std::distance(begin, end)));
    std::copy(begin, end, this->begin());
  }
  ShortList(const ShortList& other) : ShortList(other.begin(), other.end()) {}
  ShortList(ShortList&& other) noexcept { swap(other); }
  ShortList& operator=(ShortList other) noexcept {
    swap(other);
    return *this;
  }
  ~ShortList() {
    if (!is_inline()) delete[] at_.heap;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint32_t* data() { return is_inline() ? at_.own : at_.heap; }
  [[nodiscard]] const std::uint32_t* data() const { return is_inline() ? at_.own : at_.heap; }
  [[nodiscard]] std::uint32_t* begin() { return data(); }
  [[nodiscard]] std::uint32_t* end() { return data() + size_; }
  [[nodiscard]] const std::uint32_t* begin() const { return data(); }
  [[nodiscard]] const std::uint32_t* end() const { return data() + size_; }
  [[nodiscard]] auto rbegin() const { return std::make_reverse_iterator(end()); }
  [[nodiscard]] auto rend() const { return std::make_reverse_iterator(begin()); }
  std::uint32_t& operator[](std::size_t i) { return data()[i]; }
  const std::uint32_t& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] const std::uint32_t& front() const { return data()[0]; }
  [[nodiscard]] const std::uint32_t& back() const { return data()[size_ - 1]; }
  std::uint32_t& back() { return data()[size_ - 1]; }

  void push_back(std::uint32_t value) {
    if (size_ == capacity()) {
      auto* const larger = new std::uint32_t[std::bit_ceil(size_ + std::size_t{1})];
      std::copy_n(data(), size_, larger);
      if (!is_inline()) delete[] at_.heap;
      at_.heap = larger;
    }
    ++size_;
    data()[size_ - 1] = value;
  }
  /// Of at least one entry.
  void pop_back() {
    if (size_ == kOwn + 1) {
      const std::uint32_t* const heap = at_.heap;
      std::copy_n(heap, kOwn, at_.own);
      delete[] heap;
    }
    --size_;
  }

  template <std::forward_iterator Iterator>
  void assign(Iterator begin, Iterator end) {
    *this = ShortList(begin, end);
  }

  bool operator==(const ShortList& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  static constexpr std::size_t kOwn = 2;

  [[nodiscard]] bool is_inline() const { return size_ <= kOwn; }
  /// Of the heap's array, at least: the power of two that holds them.
  [[nodiscard]] std::size_t capacity() const {
    return is_inline() ? kOwn : std::bit_ceil(std::size_t{size_});
  }
  void resize_for(std::size_t count) {
    size_ = static_cast<std::uint32_t>(count);
    if (!is_inline()) at_.heap = new std::uint32_t[capacity()]();
  }
  void swap(ShortList& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(size_, other.size_);
  }

  union {
    std::uint32_t own[kOwn] = {0, 0};
    std::uint32_t* heap;
  } at_;
  std::uint32_t size_ = 0;
};

}  // namespace vecc
