// The row of each member of ragged segments, in little more than a bit each: it stays in a cache.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace vecc {

class MemberRows {
 public:
  /// By row, where its members begin, and the end of all.
  explicit MemberRows(std::span<const std::uint32_t> offsets);

  /// A number of the row of a member, rising with the rows.
  [[nodiscard, gnu::always_inline]] std::uint32_t number_of(std::uint32_t member) const {
    const Word& word = words_[member / 64];
    const std::uint64_t up_to = ~std::uint64_t{0} >> (63 - member % 64);
    return word.rows_before + static_cast<std::uint32_t>(std::popcount(word.begins & up_to)) - 1;
  }
  /// Calls visit(number) for the rows that have one of members base + i, for the bits i, rising;
  /// `base` is a multiple of 64.
  template <class Visit>
  [[gnu::always_inline]] void for_each_number(std::uint32_t base, std::uint64_t bits,
                                              Visit&& visit) const {
    const Word& word = words_[base / 64];
    while (bits != 0) {
      const std::uint64_t up_to = bits ^ (bits - 1);  // the first member's bit, and all below it
      visit(word.rows_before + static_cast<std::uint32_t>(std::popcount(word.begins & up_to)) - 1);
      const std::uint64_t later = word.begins & ~up_to;
      bits &= later == 0 ? 0 : ~((later & -later) - 1);  // those of rows that begin behind it
    }
  }
  /// Whether numbers are those of the rows; else row() has them.
  [[nodiscard]] bool numbers_rows() const { return rows_.empty(); }
  [[nodiscard]] std::uint32_t row(std::uint32_t number) const { return rows_[number]; }
  [[nodiscard]] std::uint64_t bytes() const {
    return words_.size() * sizeof(Word) + rows_.size() * sizeof(std::uint32_t);
  }

 private:
  // Of members 64 * word + i, for bits i.
  struct Word {
    std::uint64_t begins = 0;       // where a row begins that has members
    std::uint32_t rows_before = 0;  // that begin before the word
  };

  std::vector<Word> words_;
  std::vector<std::uint32_t> rows_;  // by number; none: all rows have members
};

}  // namespace vecc
