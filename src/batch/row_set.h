// A set of row numbers: a bit each, and flags of three levels above, so that what few rows take is
// found without a walk over all.
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
      : chunks_((count + kChunk - 1) / kChunk),
        blocks_(chunks_.size() * 64),
        filled_((count + kBlock - 1) / kBlock * 64),
        words_(filled_.size()) {}

  [[nodiscard]] bool empty() const { return is_empty_; }
  [[nodiscard]] bool contains(std::uint64_t row) const {
    return (words_[row / 64] >> row % 64 & 1) != 0;
  }
  [[gnu::always_inline]] void insert(std::uint64_t row) {
    insert_word(row / 64, std::uint64_t{1} << row % 64);
  }
  void insert(std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t row = first; row < first + count; ++row) insert(row);
  }
  /// Rows 64 * word + i for the bits i of `bits`, which has some.
  // Flags are stored, not changed: one insertion does not wait for another.
  [[gnu::always_inline]] void insert_word(std::uint64_t word, std::uint64_t bits) {
    words_[word] |= bits;
    filled_[word] = kSet;
    blocks_[word / 64] = kSet;
    chunks_[word / 4096] = kSet;
    is_empty_ = false;
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t word) const { return words_[word]; }

  /// Calls visit(row) for those of first .. end - 1, in rising order. What is visited may not
  /// change the set.
  template <class Visit>
  void for_each(std::uint64_t first, std::uint64_t end, Visit&& visit) const {
    for_each_word(first, end,
                  [&](std::uint64_t w, std::uint64_t bits) { for_each_bit(w, bits, visit); });
  }
  /// Calls visit(word, bits) for those of first .. end - 1, in rising order.
  template <class Visit>
  void for_each_word(std::uint64_t first, std::uint64_t end, Visit&& visit) const {
    if (is_empty_ || first >= end) return;
    for_each_filled(first / 64, (end - 1) / 64 + 1, [&](std::uint64_t w) {
      std::uint64_t bits = words_[w];
      if (w == first / 64 || w == (end - 1) / 64) bits &= range_of(w, first, end);
      if (bits != 0) visit(w, bits);
    });
  }
  /// Calls visit(word, bits) for those that are not 0, in rising order.
  template <class Visit>
  void for_each_word(Visit&& visit) const {
    if (is_empty_) return;
    for_each_filled(0, words_.size(), [&](std::uint64_t w) { visit(w, words_[w]); });
  }
  /// How many rows it has.
  [[nodiscard]] std::uint64_t size() const {
    std::uint64_t size = 0;
    for_each_word([&](std::uint64_t, std::uint64_t bits) {
      size += static_cast<std::uint64_t>(std::popcount(bits));
    });
    return size;
  }
  void clear() {
    if (is_empty_) return;
    for (std::uint64_t c = 0; c < chunks_.size(); ++c) {
      if (chunks_[c] != kSet) continue;
      for_each_bit(c, flags_of(blocks_, c), [&](std::uint64_t b) {
        for_each_bit(b, flags_of(filled_, b), [&](std::uint64_t w) { words_[w] = 0; });
        std::memset(&filled_[b * 64], 0, 64);
      });
      std::memset(&blocks_[c * 64], 0, 64);
      chunks_[c] = kNotSet;
    }
    is_empty_ = true;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    return words_.size() * sizeof(std::uint64_t) + filled_.size() + blocks_.size() + chunks_.size();
  }

 private:
  using Flag = char8_t;  // no alias of what the set's vectors point to, as other bytes may be
  static constexpr Flag kNotSet = 0;
  static constexpr Flag kSet = 1;
  static constexpr std::uint64_t kBlock = 4096;    // rows
  static constexpr std::uint64_t kChunk = 262144;  // rows

  // Of flags 64 * place .. 64 * place + 63, a bit each.
  [[nodiscard]] static std::uint64_t flags_of(const std::vector<Flag>& flags, std::uint64_t place) {
    std::uint64_t bits = 0;
    for (std::uint64_t i = 0; i < 8; ++i) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, &flags[place * 64 + i * 8], sizeof eight);
      // (The first byte is the lowest one.)
      bits |= (eight * 0x0102040810204080 >> 56) << i * 8;
    }
    return bits;
  }
  static_assert(std::endian::native == std::endian::little);

  // Those bits of word `w` that stand for numbers first .. end - 1.
  [[nodiscard]] static std::uint64_t range_of(std::uint64_t w, std::uint64_t first,
                                              std::uint64_t end) {
    std::uint64_t range = ~std::uint64_t{0};
    if (w == first / 64) range &= range << first % 64;
    if (w == (end - 1) / 64) range &= ~std::uint64_t{0} >> (63 - (end - 1) % 64);
    return range;
  }
  // Calls visit(64 * word + i) for the bits.
  template <class Visit>
  static void for_each_bit(std::uint64_t word, std::uint64_t bits, Visit&& visit) {
    for (; bits != 0; bits &= bits - 1) {
      visit(word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits)));
    }
  }
  // Calls visit(word) for words first .. end - 1 that are not 0.
  template <class Visit>
  void for_each_filled(std::uint64_t first, std::uint64_t end, Visit&& visit) const {
    const std::uint64_t first_block = first / 64;
    const std::uint64_t end_block = (end - 1) / 64 + 1;
    for (std::uint64_t c = first_block / 64; c <= (end_block - 1) / 64; ++c) {
      if (chunks_[c] != kSet) continue;
      const std::uint64_t blocks = flags_of(blocks_, c) & range_of(c, first_block, end_block);
      for_each_bit(c, blocks, [&](std::uint64_t b) {
        for_each_bit(b, flags_of(filled_, b) & range_of(b, first, end), visit);
      });
    }
  }

  std::vector<Flag> chunks_;  // set where a block of the chunk is
  std::vector<Flag> blocks_;  // set where a word of the block is not 0
  std::vector<Flag> filled_;  // by word: set where it is not 0
  std::vector<std::uint64_t> words_;
  bool is_empty_ = true;
};

}  // namespace vecc
