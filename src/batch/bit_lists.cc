#include "src/batch/bit_lists.h"

#include <bit>
#include <iterator>
#include <numeric>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vecc {
namespace {

// Eight at a time, the last of which are written over: how many bits there are is another number
// for each word, and a jump for each would be guessed wrong.
[[gnu::always_inline]] inline std::uint64_t list_bits_of(std::span<const BitWord> words,
                                                         std::uint32_t* const to) {
  constexpr std::uint64_t kLast = std::uint64_t{1} << 63;  // so that none is looked for in 0
  std::uint64_t size = 0;
  for (const BitWord& word : words) {
    std::uint64_t bits = word.bits;
    const auto count = static_cast<std::uint64_t>(std::popcount(bits));
    for (std::uint64_t done = 0; done < count; done += 8) {
      std::uint32_t* const eight = to + size + done;
      for (int i = 0; i < 8; ++i) {
        eight[i] = word.base + static_cast<std::uint32_t>(std::countr_zero(bits | kLast));
        bits &= bits - 1;
      }
    }
    size += count;
  }
  return size;
}

// Each member writes, and the next one writes over it unless its row is another.
[[gnu::always_inline]] inline std::uint64_t list_rows_of(std::span<const std::uint32_t> members,
                                                         const MemberRows& of,
                                                         std::uint32_t* const rows,
                                                         std::uint32_t* const offsets) {
  std::uint64_t count = 0;
  std::uint32_t last = ~std::uint32_t{0};
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::uint32_t row = of.number_of(members[i]);
    rows[count] = row;
    offsets[count] = static_cast<std::uint32_t>(i);
    count += row == last ? 0 : 1;
    last = row;
  }
  offsets[count] = static_cast<std::uint32_t>(members.size());
  return count;
}

[[gnu::always_inline]] inline std::uint64_t list_rows_of(std::span<const BitWord> words,
                                                         const MemberRows& of,
                                                         std::uint32_t* const rows) {
  std::uint64_t count = 0;
  std::uint32_t last = ~std::uint32_t{0};
  for (const BitWord& word : words) {
    of.for_each_number(word.base, word.bits, [&](std::uint32_t row) {
      rows[count] = row;
      count += row == last ? 0 : 1;
      last = row;
    });
  }
  return count;
}

[[gnu::always_inline]] inline std::uint64_t keep_members_in(std::span<const std::uint32_t> rows,
                                                            const MemberRows& of,
                                                            std::span<std::uint32_t> members,
                                                            std::uint32_t* const offsets) {
  std::uint32_t kept = 0;
  std::size_t r = 0;  // whose members come next
  offsets[0] = 0;
  for (const std::uint32_t member : members) {
    const std::uint32_t number = of.number_of(member);
    const std::uint32_t row = of.numbers_rows() ? number : of.row(number);
    while (r < rows.size() && rows[r] < row) offsets[++r] = kept;
    if (r < rows.size() && rows[r] == row) members[kept++] = member;
  }
  while (r < rows.size()) offsets[++r] = kept;
  return kept;
}

#if defined(__x86_64__)
// Bits are counted by one instruction, which nearly every processor has.
[[gnu::target("popcnt")]] std::uint64_t list_bits_counted(std::span<const BitWord> words,
                                                          std::uint32_t* to) {
  return list_bits_of(words, to);
}

[[gnu::target("popcnt")]] std::uint64_t list_rows_counted(std::span<const std::uint32_t> members,
                                                          const MemberRows& of, std::uint32_t* rows,
                                                          std::uint32_t* offsets) {
  return list_rows_of(members, of, rows, offsets);
}

[[gnu::target("popcnt")]] std::uint64_t list_rows_counted(std::span<const BitWord> words,
                                                          const MemberRows& of,
                                                          std::uint32_t* rows) {
  return list_rows_of(words, of, rows);
}

[[gnu::target("popcnt")]] std::uint64_t keep_members_counted(std::span<const std::uint32_t> rows,
                                                             const MemberRows& of,
                                                             std::span<std::uint32_t> members,
                                                             std::uint32_t* offsets) {
  return keep_members_in(rows, of, members, offsets);
}

bool counts_bits() {
  return __builtin_cpu_supports("popcnt") != 0;
}

// The places of a word's bits by one instruction, 16 of them written at a time.
[[gnu::target("avx512f,avx512bw,avx512vbmi2,popcnt")]] std::uint64_t list_bits_compressed(
    std::span<const BitWord> words, std::uint32_t* const to) {
  alignas(64) std::uint8_t numbers[64];
  alignas(64) std::uint8_t places[64];
  std::iota(std::begin(numbers), std::end(numbers), std::uint8_t{0});
  const __m512i all = _mm512_load_si512(numbers);
  std::uint64_t size = 0;
  for (const BitWord word : words) {
    _mm512_store_si512(places, _mm512_maskz_compress_epi8(word.bits, all));
    const auto count = static_cast<std::uint64_t>(std::popcount(word.bits));
    for (std::uint64_t done = 0; done < count; done += 16) {
      std::uint32_t* const some = to + size + done;
      for (int i = 0; i < 16; ++i) some[i] = word.base + places[done + static_cast<unsigned>(i)];
    }
    size += count;
  }
  return size;
}

bool compresses_bytes() {
  return counts_bits() && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vbmi2") != 0;
}
#endif

}  // namespace

std::uint64_t list_bits(std::span<const BitWord> words, std::uint32_t* to) {
#if defined(__x86_64__)
  if (compresses_bytes()) return list_bits_compressed(words, to);
  if (counts_bits()) return list_bits_counted(words, to);
#endif
  return list_bits_of(words, to);
}

std::uint64_t list_rows(std::span<const std::uint32_t> members, const MemberRows& of,
                        std::uint32_t* rows, std::uint32_t* offsets) {
#if defined(__x86_64__)
  if (counts_bits()) return list_rows_counted(members, of, rows, offsets);
#endif
  return list_rows_of(members, of, rows, offsets);
}

std::uint64_t list_rows(std::span<const BitWord> words, const MemberRows& of, std::uint32_t* rows) {
#if defined(__x86_64__)
  if (counts_bits()) return list_rows_counted(words, of, rows);
#endif
  return list_rows_of(words, of, rows);
}

std::uint64_t keep_members_of(std::span<const std::uint32_t> rows, const MemberRows& of,
                              std::span<std::uint32_t> members, std::uint32_t* offsets) {
#if defined(__x86_64__)
  if (counts_bits()) return keep_members_counted(rows, of, members, offsets);
#endif
  return keep_members_in(rows, of, members, offsets);
}

}  // namespace vecc
