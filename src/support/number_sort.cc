#include "src/support/number_sort.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "src/support/team_pieces.h"

namespace vecc {
namespace {

constexpr unsigned kDigitBits = 8;

using Numbers = std::span<const std::uint32_t>;

// The largest of all.
std::uint32_t largest_number(Numbers numbers, ThreadTeam& team) {
  const std::size_t piece_rows = sorted_piece(numbers.size());
  std::atomic<std::uint32_t> largest{0};
  for_team_pieces(team, numbers.size(), piece_rows, [&](std::size_t begin, std::size_t end) {
    const std::uint32_t own =
        *std::max_element(numbers.begin() + static_cast<std::ptrdiff_t>(begin),
                          numbers.begin() + static_cast<std::ptrdiff_t>(end));
    std::uint32_t known = largest;
    while (known < own && !largest.compare_exchange_weak(known, own)) {
    }
  });
  return largest;
}

// By one digit; `from`: the rows by lower digits, null: as they are.
void sort_by_digit(Numbers numbers, unsigned shift, const std::uint32_t* from, std::uint32_t* to,
                   std::uint32_t* counts, ThreadTeam& team) {
  const std::size_t piece_rows = sorted_piece(numbers.size());
  const auto row_at = [&](std::size_t i) {
    return from == nullptr ? static_cast<std::uint32_t>(i) : from[i];
  };
  const auto digit_of = [&](std::uint32_t row) {
    return numbers[row] >> shift & static_cast<std::uint32_t>(kSortDigits - 1);
  };
  for_team_pieces(team, numbers.size(), piece_rows, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const own = counts + begin / piece_rows * kSortDigits;
    std::fill_n(own, kSortDigits, 0u);
    for (std::size_t i = begin; i < end; ++i) ++own[digit_of(row_at(i))];
  });
  const std::size_t pieces = (numbers.size() + piece_rows - 1) / piece_rows;
  std::uint32_t place = 0;
  for (std::size_t digit = 0; digit < kSortDigits; ++digit) {
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      place += std::exchange(counts[piece * kSortDigits + digit], place);
    }
  }
  for_team_pieces(team, numbers.size(), piece_rows, [&](std::size_t begin, std::size_t end) {
    std::uint32_t* const own = counts + begin / piece_rows * kSortDigits;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = row_at(i);
      to[own[digit_of(row)]++] = row;
    }
  });
}

}  // namespace

void sort_by_number(Numbers numbers, std::uint32_t* order, std::uint32_t* scratch,
                    ThreadTeam& team) {
  const auto bits = static_cast<unsigned>(std::bit_width(largest_number(numbers, team)));
  const unsigned passes = std::max(1u, (bits + kDigitBits - 1) / kDigitBits);
  std::uint32_t* const counts = scratch + numbers.size();
  const std::uint32_t* from = nullptr;
  for (unsigned pass = 0; pass < passes; ++pass) {
    std::uint32_t* const to = (passes - pass) % 2 == 1 ? order : scratch;
    sort_by_digit(numbers, pass * kDigitBits, from, to, counts, team);
    from = to;
  }
}

void rank_by_number(Numbers numbers, const std::uint32_t* order, std::uint32_t* ranks,
                    std::span<std::uint32_t> offsets, std::uint32_t* scratch, ThreadTeam& team) {
  const std::size_t rows = numbers.size();
  const std::size_t piece_rows = sorted_piece(rows);
  const auto is_first = [&](std::size_t i) {
    return i == 0 || numbers[order[i]] != numbers[order[i - 1]];
  };
  // By piece: the numbers that begin there, then those before.
  for_team_pieces(team, rows, piece_rows, [&](std::size_t begin, std::size_t end) {
    std::uint32_t firsts = 0;
    for (std::size_t i = begin; i < end; ++i) firsts += is_first(i) ? 1 : 0;
    scratch[begin / piece_rows] = firsts;
  });
  const std::size_t pieces = (rows + piece_rows - 1) / piece_rows;
  std::uint32_t before = 0;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    before += std::exchange(scratch[piece], before);
  }
  for_team_pieces(team, rows, piece_rows, [&](std::size_t begin, std::size_t end) {
    std::uint32_t next = scratch[begin / piece_rows];
    for (std::size_t i = begin; i < end; ++i) {
      if (is_first(i)) offsets[next++] = static_cast<std::uint32_t>(i);
      ranks[order[i]] = next - 1;
    }
  });
  std::ranges::fill(offsets.subspan(before), static_cast<std::uint32_t>(rows));
}

void find_numbers(Numbers numbers, const std::uint32_t* order, std::uint32_t* offsets,
                  std::size_t end, ThreadTeam& team) {
  const std::size_t rows = numbers.size();
  // Row i of the order fills the numbers from behind the one before it to its own.
  for_team_pieces(team, rows, sorted_piece(rows), [&](std::size_t begin, std::size_t last) {
    for (std::size_t i = begin; i < last; ++i) {
      const std::size_t next = i == 0 ? 0 : std::size_t{numbers[order[i - 1]]} + 1;
      std::fill(offsets + next, offsets + std::max<std::size_t>(next, numbers[order[i]] + 1),
                static_cast<std::uint32_t>(i));
    }
  });
  const std::size_t next = rows == 0 ? 0 : std::size_t{numbers[order[rows - 1]]} + 1;
  std::fill(offsets + next, offsets + end + 1, static_cast<std::uint32_t>(rows));
}

}  // namespace vecc
