#include "backends/cuda/walk_items.h"

#include <algorithm>

namespace vecc::cuda {
namespace {

// What the call of a step takes beside its work, in units of that.
constexpr std::uint64_t kCallWork = 256;

class ItemLists {
 public:
  explicit ItemLists(std::uint32_t blocks) : lists_(blocks), work_(blocks) {}

  void add(const WalkStep& step) {
    std::uint64_t all = 0;
    for (const BlockRows& rows : step.rows) all += rows.end - rows.begin;
    for (const BlockRows& rows : step.rows) {
      const auto least = std::ranges::min_element(work_) - work_.begin();
      const auto block = static_cast<std::size_t>(least);
      lists_[block].push_back({step.step, step.arguments, rows.begin, rows.end, rows.type, 0});
      work_[block] +=
          kCallWork + step.work * (rows.end - rows.begin) / std::max<std::uint64_t>(all, 1);
    }
  }

  void end_level() {
    for (std::size_t block = 0; block < lists_.size(); ++block) {
      if (work_[block] == 0) lists_[block].push_back({kNoStep, 0, 0, 0, 0, 0});
      lists_[block].back().ends_level = 1;
    }
    std::ranges::fill(work_, 0);
  }

  [[nodiscard]] WalkItems take() const {
    WalkItems all;
    all.firsts.push_back(0);
    for (const auto& list : lists_) {
      all.items.insert(all.items.end(), list.begin(), list.end());
      all.firsts.push_back(static_cast<std::uint32_t>(all.items.size()));
      all.most = std::max(all.most, static_cast<std::uint32_t>(list.size()));
    }
    return all;
  }

 private:
  std::vector<std::vector<WalkItem>> lists_;
  std::vector<std::uint64_t> work_;  // of this level, by block
};

}  // namespace

std::vector<std::uint32_t> levels_of(std::span<const std::vector<std::uint32_t>> before) {
  std::vector<std::uint32_t> levels(before.size());
  for (std::size_t launch = 0; launch < before.size(); ++launch) {
    for (const std::uint32_t other : before[launch]) {
      levels[launch] = std::max(levels[launch], levels[other] + 1);
    }
  }
  return levels;
}

WalkItems make_walk_items(std::span<const WalkStep> steps, std::uint32_t blocks) {
  std::vector<const WalkStep*> order;
  for (const WalkStep& step : steps) order.push_back(&step);
  std::ranges::stable_sort(order, {}, &WalkStep::level);
  ItemLists lists(blocks);
  for (std::size_t s = 0; s < order.size(); ++s) {
    lists.add(*order[s]);
    if (s + 1 == order.size() || order[s + 1]->level != order[s]->level) lists.end_level();
  }
  return lists.take();
}

}  // namespace vecc::cuda
