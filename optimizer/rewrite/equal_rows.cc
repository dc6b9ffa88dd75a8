#include "optimizer/rewrite/equal_rows.h"

#include <utility>

namespace vecc::opt {

// A stable counting sort by the upper bits: each range counts its own rows of a part.
EqualRows::Dealt EqualRows::deal(const std::vector<std::uint32_t>& first, std::uint32_t kept,
                                 UnsetArray<std::uint64_t> hashes) {
  const auto count = static_cast<std::uint32_t>(first.size());
  Dealt dealt;
  dealt.entries = UnsetArray<Entry>(kept);
  const std::uint32_t parts = std::min(std::bit_ceil(kept / kRowsOfPart + 1), kMostParts);
  dealt.part_bits = std::countr_zero(parts);
  if (parts == 1) {
    std::uint32_t place = 0;
    for (std::uint32_t row = 0; row < count; ++row) {
      if (first[row] == row) dealt.entries[place++].set(hashes[row], row);
    }
    dealt.begin = {0, kept};
    return dealt;
  }
  const auto part_of = [&](std::uint64_t hash) { return hash >> (64 - dealt.part_bits); };
  std::vector<std::vector<std::uint32_t>> next(ListThreads::ranges_of(count),
                                               std::vector<std::uint32_t>(parts));
  ListThreads::for_numbered_ranges(
      count, [&](std::size_t range, std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t>& own = next[range];
        for (auto row = static_cast<std::uint32_t>(begin); row < end; ++row) {
          if (first[row] == row) ++own[part_of(hashes[row])];
        }
      });
  std::uint32_t place = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    dealt.begin.push_back(place);
    for (auto& of_range : next) place += std::exchange(of_range[part], place);
  }
  dealt.begin.push_back(kept);
  ListThreads::for_numbered_ranges(
      count, [&](std::size_t range, std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t>& own = next[range];
        for (auto row = static_cast<std::uint32_t>(begin); row < end; ++row) {
          if (first[row] == row) dealt.entries[own[part_of(hashes[row])]++].set(hashes[row], row);
        }
      });
  return dealt;
}

}  // namespace vecc::opt
