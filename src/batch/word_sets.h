// Many sets of numbers, kept as the words of one bitmap that are not 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vecc {

struct WordSets {
  std::vector<std::uint64_t> begins{0};  ///< by set, and the end of all: in `words`
  std::vector<std::uint32_t> words;      ///< of a set, rising: which numbers / 64 it has
  std::vector<std::uint64_t> bits;       ///< of these words

  [[nodiscard]] std::uint64_t size() const { return begins.size() - 1; }
  [[nodiscard]] std::uint64_t bytes() const;
};

/// Numbers first .. first + count - 1; `first` is a multiple of 64.
struct NumberSection {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Sections are in the order of their numbers, one after another, and have all numbers of the sets.
/// By section, the first one of the same count that has, in every set, the same numbers less where
/// it begins. A section of `is_own` is equal to itself alone.
[[nodiscard]] std::vector<std::uint32_t> find_equal_sections(
    const WordSets& sets, std::span<const NumberSection> sections, const std::vector<bool>& is_own);

/// Of sections that are equal to one before them (`equal`: as find_equal_sections() says) the
/// numbers go, and those of the others are moved together. Returns by section where it begins then,
/// which is where its equal does; and, behind them, the end of all.
[[nodiscard]] std::vector<std::uint64_t> drop_equal_sections(
    WordSets& sets, std::span<const NumberSection> sections, std::span<const std::uint32_t> equal);

}  // namespace vecc
