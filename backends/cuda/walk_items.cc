#include "backends/cuda/walk_items.h"

#include <algorithm>
#include <utility>

namespace vecc::cuda {
namespace {

// What the call of a step takes beside its work, in units of that.
constexpr std::uint64_t kCallWork = 256;

class ItemLists {
 public:
  explicit ItemLists(std::uint32_t blocks) : lists_(blocks), work_(blocks), threads_(blocks) {}

  void add(const WalkStep& step) {
    std::uint64_t all = 0;
    for (const BlockRows& rows : step.rows) all += rows.end - rows.begin;
    for (std::size_t r = 0; r < step.rows.size(); ++r) {
      const BlockRows& rows = step.rows[r];
      const auto least = std::ranges::min_element(work_) - work_.begin();
      const auto block =
          step.blocks.empty() ? static_cast<std::size_t>(least) : std::size_t{step.blocks[r]};
      lists_[block].push_back({step.step, step.arguments, rows.begin, rows.end, rows.type, 0,
                               static_cast<std::uint32_t>(threads_[block] % kStepThreads)});
      const std::size_t number = step.row_threads.size() > 1 ? rows.type : 0;
      const std::uint64_t threads = std::uint64_t{rows.end - rows.begin} * step.row_threads[number];
      threads_[block] += (threads + kWarpThreads - 1) / kWarpThreads * kWarpThreads;
      work_[block] +=
          kCallWork + step.work * (rows.end - rows.begin) / std::max<std::uint64_t>(all, 1);
    }
  }

  // What a block does next waits for what it has done.
  void end_level() {
    std::ranges::fill(threads_, 0);
    for (auto& list : lists_) {
      if (!list.empty()) list.back().ends |= kEndsLevel;
    }
  }

  void end_phase() {
    for (std::size_t block = 0; block < lists_.size(); ++block) {
      if (work_[block] == 0) lists_[block].push_back({kNoStep, 0, 0, 0, 0, 0, 0});
      lists_[block].back().ends |= kEndsPhase;
    }
    std::ranges::fill(work_, 0);
  }

  [[nodiscard]] WalkItems take() const {
    WalkItems all;
    for (const auto& list : lists_) {
      all.most = std::max(all.most, static_cast<std::uint32_t>(list.size()));
    }
    for (const auto& list : lists_) {
      const std::size_t end = all.items.size() + all.most;
      all.items.insert(all.items.end(), list.begin(), list.end());
      if (!list.empty()) all.items.back().ends |= kEndsStage;
      all.items.resize(end, {kNoStep, 0, 0, 0, 0, kEndsPhase | kEndsStage | kEndsLevel, 0});
    }
    return all;
  }

 private:
  std::vector<std::vector<WalkItem>> lists_;
  std::vector<std::uint64_t> work_;     // of this phase, by block
  std::vector<std::uint64_t> threads_;  // of this level, by block: those that have rows
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
  std::ranges::stable_sort(
      order, {}, [](const WalkStep* step) { return std::pair(step->phase, step->level); });
  ItemLists lists(blocks);
  for (std::size_t s = 0; s < order.size(); ++s) {
    lists.add(*order[s]);
    const bool ends_phase = s + 1 == order.size() || order[s + 1]->phase != order[s]->phase;
    if (ends_phase || order[s + 1]->level != order[s]->level) lists.end_level();
    if (ends_phase) lists.end_phase();
  }
  return lists.take();
}

}  // namespace vecc::cuda
