// A set of row numbers: a bit each, a byte for each word of them and one for each block of 64
// words, so that what few rows take is found without a walk over all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace vecc {

class RowSet {
 public:
  RowSet() = default;
  /// Of rows below `count`.
  explicit RowSet(std::uint64_t count)
      : blocks_((count + kBlock - 1) / kBlock),
        filled_(blocks_.size() * 64),
        words_(blocks_.size() * 64) {}

  [[nodiscard]] bool empty() const { return is_empty_; }
  [[nodiscard]] bool contains(std::uint64_t row) const {
    return (words_[row / 64] >> row % 64 & 1) != 0;
  }
  // Bytes are stored, not changed: one insertion does not wait for another.
  [[gnu::always_inline]] void insert(std::uint64_t row) {
    words_[row / 64] |= std::uint64_t{1} << row % 64;
    filled_[row / 64] = 1;
    blocks_[row / kBlock] = 1;
    is_empty_ = false;
  }
  void insert(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t row = first; row < first + count; ++row) insert(row);
  }
  /// Calls visit(row) for those of first .. end - 1, in rising order. What is visited may not
  /// change the set.
  template <class Visit>
  void for_each(std::uint64_t first, std::uint64_t end, Visit&& visit) const {
    if (is_empty_ || first >= end) return;
    const std::uint64_t last = (end - 1) / 64;
    for (std::uint64_t b = first / kBlock; b <= (end - 1) / kBlock; ++b) {
      if (blocks_[b] == 0) continue;
      for (std::uint64_t filled = filled_words(b); filled != 0; filled &= filled - 1) {
        const std::uint64_t w = b * 64 + static_cast<std::uint64_t>(std::countr_zero(filled));
        if (w < first / 64) continue;
        if (w > last) return;
        std::uint64_t bits = words_[w];
        if (w == first / 64 || w == last) bits &= range_of(w, first, end);
        for (; bits != 0; bits &= bits - 1) {
          visit(w * 64 + static_cast<std::uint64_t>(std::countr_zero(bits)));
        }
      }
    }
  }
  void clear() {
    if (is_empty_) return;
    for (std::uint64_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b] == 0) continue;
      for (std::uint64_t filled = filled_words(b); filled != 0; filled &= filled - 1) {
        words_[b * 64 + static_cast<std::uint64_t>(std::countr_zero(filled))] = 0;
      }
      std::memset(&filled_[b * 64], 0, 128);
      blocks_[b] = 0;
    }
    is_empty_ = true;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return words_.size() * sizeof(std::uint64_t) + filled_.size() + blocks_.size();
  }

 private:
  static constexpr std::uint64_t kBlock = 4096;  // rows

  // A bit for each word of a block that is not 0.
  [[nodiscard]] std::uint64_t filled_words(std::uint64_t block) const {
    std::uint64_t filled = 0;
    for (std::uint64_t i = 0; i < 8; ++i) {
      std::uint64_t bytes = 0;  // the first one lowest
      for (std::uint64_t k = 0; k < 8; ++k) {
        bytes |= std::uint64_t{filled_[block * 64 + i * 8 + k]} << k * 8;
      }
      filled |= (bytes * 0x0102040810204080 >> 56) << i * 8;
    }
    return filled;
  }
  // Those bits of word `w` that stand for rows first .. end - 1.
  [[nodiscard]] static std::uint64_t range_of(std::uint64_t w, std::uint64_t first,
                                              std::uint64_t end) {
    std::uint64_t range = ~std::uint64_t{0};
    if (w == first / 64) range &= range << first % 64;
    if (w == (end - 1) / 64) range &= ~std::uint64_t{0} >> (63 - (end - 1) % 64);
    return range;
  }

  std::vector<std::uint16_t> blocks_;  // 1 where a word of the block is not 0
  std::vector<std::uint16_t> filled_;  // by word: 1 where it is not 0
  std::vector<std::uint64_t> words_;
  bool is_empty_ = true;
};

}  // namespace vecc
