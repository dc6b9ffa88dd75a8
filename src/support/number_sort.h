// Rows sorted by the numbers that they have, by all threads of a team: by counting, digit by digit,
// so that the order is the same for any number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "src/support/thread_team.h"

namespace vecc {

inline constexpr std::size_t kSortDigits = 256;
/// Of so many rows, those that one thread goes through at a time: up to 64 threads have some, but
/// no fewer each than are worth the counts of all digits.
[[nodiscard]] constexpr std::size_t sorted_piece(std::size_t rows) {
  return std::clamp<std::size_t>(rows / 64, 1 << 12, 1 << 15);
}

/// What sort_by_number() takes beside its results, in entries.
[[nodiscard]] constexpr std::size_t sorting_scratch(std::size_t rows) {
  const std::size_t piece = sorted_piece(rows);
  return rows + ((rows + piece - 1) / piece + 1) * kSortDigits;
}

/// `order` becomes the rows 0 .. numbers.size() - 1 by their numbers, those of one number in their
/// order; `scratch`: sorting_scratch() entries.
void sort_by_number(std::span<const std::uint32_t> numbers, std::uint32_t* order,
                    std::uint32_t* scratch, ThreadTeam& team);

/// Of an order that sort_by_number() has made: ranks[row] is how many numbers are below the row's;
/// `order` has the rows of rank r from offsets[r] on; offsets of ranks that no row has, and the
/// last, are numbers.size(). There are one more of them than rows have different numbers, or more.
void rank_by_number(std::span<const std::uint32_t> numbers, const std::uint32_t* order,
                    std::uint32_t* ranks, std::span<std::uint32_t> offsets, std::uint32_t* scratch,
                    ThreadTeam& team);

/// offsets[k]: where `order` has the first row of a number of at least k; `end` + 1 of them.
void find_numbers(std::span<const std::uint32_t> numbers, const std::uint32_t* order,
                  std::uint32_t* offsets, std::size_t end, ThreadTeam& team);

}  // namespace vecc
