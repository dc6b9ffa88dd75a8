// From bits to lists of numbers, for as many as a batch has.
#pragma once

#include <cstdint>
#include <span>

#include "src/batch/member_rows.h"

namespace vecc {

/// Numbers base + i, for the bits i.
struct BitWord {
  std::uint32_t base = 0;
  std::uint64_t bits = 0;
};

/// Writes the numbers to `to`, which has room for 16 more. Returns how many there are.
std::uint64_t list_bits(std::span<const BitWord> words, std::uint32_t* to);

/// `members` rise: writes to `rows` the number of each one's row, each once, and to `offsets` where
/// its members begin, and the end of all. Both have room for one more row. Returns how many rows.
std::uint64_t list_rows(std::span<const std::uint32_t> members, const MemberRows& of,
                        std::uint32_t* rows, std::uint32_t* offsets);

/// Writes to `rows`, which has room for one more, the number of the row of each member, each once.
/// Words are of rising members, their bases multiples of 64. Returns how many rows.
std::uint64_t list_rows(std::span<const BitWord> words, const MemberRows& of, std::uint32_t* rows);

/// `members` and `rows` rise: moves together the members of these rows, and writes to `offsets`,
/// which has room for one more than there are rows, where those of each begin, and the end of all.
/// Returns how many members there are then.
std::uint64_t keep_members_of(std::span<const std::uint32_t> rows, const MemberRows& of,
                              std::span<std::uint32_t> members, std::uint32_t* offsets);

}  // namespace vecc
