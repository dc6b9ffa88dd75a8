// How many rows a launch has, and how many members these.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace vecc {

/// Rows of about the same length.
struct RowClass {
  std::uint32_t rows = 0;
  std::uint64_t members = 0;
  std::uint32_t longest = 0;
  bool are_long = false;  ///< others are not

  void add(std::uint32_t length, std::uint32_t count = 1) {
    rows += count;
    members += std::uint64_t{length} * count;
    longest = std::max(longest, length);
  }
  void add(const RowClass& other) {
    rows += other.rows;
    members += other.members;
    longest = std::max(longest, other.longest);
  }
};
[[nodiscard]] inline RowClass sum_of(std::span<const RowClass> classes) {
  RowClass all;
  for (const RowClass& some : classes) all.add(some);
  return all;
}

/// What of a launch decides how its kernel runs.
struct RowSizes {
  std::uint32_t rows = 0;
  std::uint64_t work = 0;         ///< as Launch::work
  std::vector<RowClass> classes;  ///< in the launch's order; several if the long rows come first
};

}  // namespace vecc
