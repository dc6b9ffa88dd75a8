// A set of row numbers: a bit each, and a bit for each word of them, so that what few rows take is
// found without a walk over all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace vecc {

class RowSet {
 public:
  RowSet() = default;
  /// Of rows below `count`.
  explicit RowSet(std::uint64_t count)
      : words_((count + 63) / 64), filled_((count + 4095) / 4096) {}

  [[nodiscard]] bool empty() const { return is_empty_; }
  [[nodiscard]] bool contains(std::uint64_t row) const {
    return (words_[row / 64] >> row % 64 & 1) != 0;
  }
  void insert(std::uint64_t row) {
    words_[row / 64] |= bit(row);
    filled_[row / 4096] |= bit(row / 64);
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
    for (std::uint64_t f = first / 4096; f <= (end - 1) / 4096; ++f) {
      for (std::uint64_t filled = filled_[f]; filled != 0; filled &= filled - 1) {
        const std::uint64_t w = f * 64 + static_cast<std::uint64_t>(std::countr_zero(filled));
        if (w < first / 64) continue;
        if (w > (end - 1) / 64) return;
        for (std::uint64_t bits = words_[w] & range_of(w, first, end); bits != 0;
             bits &= bits - 1) {
          visit(w * 64 + static_cast<std::uint64_t>(std::countr_zero(bits)));
        }
      }
    }
  }
  void clear() {
    if (is_empty_) return;
    for (std::uint64_t f = 0; f < filled_.size(); ++f) {
      for (; filled_[f] != 0; filled_[f] &= filled_[f] - 1) {
        words_[f * 64 + static_cast<std::uint64_t>(std::countr_zero(filled_[f]))] = 0;
      }
    }
    is_empty_ = true;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return (words_.size() + filled_.size()) * sizeof(std::uint64_t);
  }

 private:
  [[nodiscard]] static std::uint64_t bit(std::uint64_t number) {
    return std::uint64_t{1} << number % 64;
  }
  // Those bits of word `w` that stand for rows first .. end - 1.
  [[nodiscard]] static std::uint64_t range_of(std::uint64_t w, std::uint64_t first,
                                              std::uint64_t end) {
    std::uint64_t range = ~std::uint64_t{0};
    if (w == first / 64) range &= range << first % 64;
    if (w == (end - 1) / 64) range &= ~std::uint64_t{0} >> (63 - (end - 1) % 64);
    return range;
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> filled_;  // a bit for each word that is not 0
  bool is_empty_ = true;
};

}  // namespace vecc
