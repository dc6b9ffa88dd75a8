#include "optimizer/rewrite/equal_rows.h"

#include <utility>

namespace vecc::opt {

bool EqualRows::are_mostly_different(std::vector<std::vector<std::uint64_t>> samples) {
  std::vector<std::uint64_t> all = std::move(samples.front());
  for (std::size_t k = 1; k < samples.size(); ++k) {
    all.insert(all.end(), samples[k].begin(), samples[k].end());
  }
  std::ranges::sort(all);
  std::size_t alone = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool as_before = i > 0 && all[i - 1] == all[i];
    const bool as_next = i + 1 < all.size() && all[i + 1] == all[i];
    if (!as_before && !as_next) ++alone;
  }
  return 2 * alone > all.size();
}

EqualRows::Dealt EqualRows::deal(const std::vector<std::uint32_t>& first, std::uint32_t kept,
                                 UnsetArray<std::uint64_t> hashes, bool mostly_different) {
  if (mostly_different) {
    const std::vector<std::uint32_t> rows = perhaps_shared(hashes, first);
    const auto count = static_cast<std::uint32_t>(rows.size());
    return deal_rows(count, count, hashes,
                     [&](std::size_t begin, std::size_t end, const auto& visit) {
                       for (; begin < end; ++begin) visit(rows[begin]);
                     });
  }
  const auto count = static_cast<std::uint32_t>(first.size());
  return deal_rows(count, kept, hashes, [&](std::size_t begin, std::size_t end, const auto& visit) {
    for (auto row = static_cast<std::uint32_t>(begin); row < end; ++row) {
      if (first[row] == row) visit(row);
    }
  });
}

// A stable counting sort by the upper bits: each range counts its own rows of a part.
// `for_each_row(begin, end, visit)` has those of `count` places; all have `dealt_rows`.
template <class ForEachRow>
EqualRows::Dealt EqualRows::deal_rows(std::uint32_t count, std::uint32_t dealt_rows,
                                      const UnsetArray<std::uint64_t>& hashes,
                                      const ForEachRow& for_each_row) {
  Dealt dealt;
  dealt.entries = UnsetArray<Entry>(dealt_rows);
  const std::uint32_t parts = std::min(std::bit_ceil(dealt_rows / kRowsOfPart + 1), kMostParts);
  dealt.part_bits = std::countr_zero(parts);
  if (parts == 1) {
    std::uint32_t place = 0;
    for_each_row(0, count,
                 [&](std::uint32_t row) { dealt.entries[place++].set(hashes[row], row); });
    dealt.begin = {0, dealt_rows};
    return dealt;
  }
  const auto part_of = [&](std::uint64_t hash) { return hash >> (64 - dealt.part_bits); };
  std::vector<std::vector<std::uint32_t>> next(ListThreads::ranges_of(count),
                                               std::vector<std::uint32_t>(parts));
  ListThreads::for_numbered_ranges(
      count, [&](std::size_t range, std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t>& own = next[range];
        for_each_row(begin, end, [&](std::uint32_t row) { ++own[part_of(hashes[row])]; });
      });
  std::uint32_t place = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    dealt.begin.push_back(place);
    for (auto& of_range : next) place += std::exchange(of_range[part], place);
  }
  dealt.begin.push_back(dealt_rows);
  ListThreads::for_numbered_ranges(
      count, [&](std::size_t range, std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t>& own = next[range];
        for_each_row(begin, end, [&](std::uint32_t row) {
          dealt.entries[own[part_of(hashes[row])]++].set(hashes[row], row);
        });
      });
  return dealt;
}

}  // namespace vecc::opt
