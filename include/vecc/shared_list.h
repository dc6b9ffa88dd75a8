// Lists that copies share.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace vecc {

/// A list that only grows, in blocks that its copies share: a copy takes no time and no memory, and
/// growing moves nothing but what the last block holds. Its entries are as const as those of a
/// `const std::vector`.
template <class T>
class SharedList {
 public:
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator() = default;
    Iterator(const SharedList* list, difference_type at) : list_(list), at_(at) {}
    reference operator*() const { return (*list_)[static_cast<std::size_t>(at_)]; }
    pointer operator->() const { return &**this; }
    reference operator[](difference_type n) const { return *(*this + n); }
    Iterator& operator+=(difference_type n) {
      at_ += n;
      return *this;
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    friend Iterator operator+(Iterator i, difference_type n) { return i += n; }
    friend Iterator operator+(difference_type n, Iterator i) { return i += n; }
    friend Iterator operator-(Iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.at_ - b.at_; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }
    auto operator<=>(const Iterator& other) const { return at_ <=> other.at_; }

   private:
    const SharedList* list_ = nullptr;
    difference_type at_ = 0;
  };
  using value_type = T;
  using const_iterator = Iterator;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const { return (*blocks_[i / kBlock])[i % kBlock]; }
  [[nodiscard]] const T& front() const { return (*this)[0]; }
  [[nodiscard]] const T& back() const { return (*this)[size_ - 1]; }
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, static_cast<std::ptrdiff_t>(size_)}; }

  void push_back(T value) {
    own_last_block().push_back(std::move(value));
    ++size_;
  }
  /// Appends other's entry of that number, shared. All entries so far came from `other` in this
  /// way.
  void share_next(const SharedList& other) {
    if (size_ % kBlock == 0) blocks_.push_back(other.blocks_[size_ / kBlock]);
    ++size_;
  }

 private:
  using Block = std::vector<T>;
  static constexpr std::size_t kBlock = 256;

  // The block that the next entry goes to, which no other list has.
  Block& own_last_block() {
    const std::size_t used = size_ % kBlock;
    if (used == 0) {
      blocks_.push_back(std::make_shared<Block>());
      if (size_ > 0) blocks_.back()->reserve(kBlock);
    } else if (blocks_.back().use_count() > 1) {
      const Block& shared = *blocks_.back();
      const auto end = shared.begin() + static_cast<std::ptrdiff_t>(used);
      blocks_.back() = std::make_shared<Block>(shared.begin(), end);
    } else {
      std::atomic_thread_fence(std::memory_order_acquire);  // after what its last sharer read
      Block& own = *blocks_.back();  // with more entries than this list has, of one that is gone
      own.erase(own.begin() + static_cast<std::ptrdiff_t>(used), own.end());
    }
    return *blocks_.back();
  }

  std::vector<std::shared_ptr<Block>> blocks_;  // the last may hold entries of another list
  std::size_t size_ = 0;
};

}  // namespace vecc
