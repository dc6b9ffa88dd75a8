#include "src/graph_io/id_map.h"

#include <algorithm>
#include <numeric>

namespace vecc::graph_io {

std::vector<IdMap::Overlap> IdMap::seal() {
  std::erase_if(ranges_, [](const Range& range) { return range.count == 0; });
  std::vector<std::uint32_t> order(ranges_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return ranges_[a].first < ranges_[b].first;
  });

  std::vector<Overlap> overlaps;
  std::uint64_t end = 0;  // of the ids from 0 on that have no gap
  contiguous_ = true;
  std::vector<Range> joined;
  std::uint32_t widest = 0;  // the range seen that reaches furthest
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Range& range = ranges_[order[i]];
    const Range& reach = ranges_[order[widest]];
    contiguous_ = contiguous_ && range.first == end;
    end = range.first + range.count;
    if (i > 0 && reach.contains(range.first)) {
      const bool in_order = order[widest] < order[i];
      overlaps.push_back({in_order ? reach : range, in_order ? range : reach});
    }
    if (i > 0 && range.first - reach.first + range.count > reach.count) {
      widest = static_cast<std::uint32_t>(i);
    }
    if (!joined.empty()) {
      Range& last = joined.back();
      const bool adjacent = last.first + last.count == range.first &&
                            last.dense + last.count == range.dense && last.is_void == range.is_void;
      if (adjacent) {
        last.count += range.count;
        continue;
      }
    }
    joined.push_back(range);
  }
  ranges_ = std::move(joined);
  return overlaps;
}

const IdMap::Range* IdMap::find(std::uint64_t id) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), id,
                       [](std::uint64_t value, const Range& range) { return value < range.first; });
  if (after == ranges_.begin()) return nullptr;
  const Range& range = *(after - 1);
  return range.contains(id) ? &range : nullptr;
}

}  // namespace vecc::graph_io
