#include "src/kernel/schedule/choose_loops.h"

#include <limits>
#include <span>
#include <vector>

#include "src/kernel/schedule/lanes.h"
#include "src/kernel/schedule/schedule_kernel.h"

namespace vecc {
namespace {

// The classes in up to kMostRowClasses ranges, of which earlier ones, of longer rows, have more
// slots.
class ClassCutter {
 public:
  ClassCutter(const LoopModel& model, std::span<const RowClass> classes)
      : model_(model), classes_(classes) {
    cut(0, {}, model_.choices().size());
  }

  [[nodiscard]] const RowLoops& best() const { return best_; }
  [[nodiscard]] double least() const { return least_; }  // what that takes, as Cycles::sum

 private:
  struct Range {
    RowClass rows;
    std::size_t choice = 0;
  };

  // From class `first` on, beside what stands before, with fewer slots than choice number `end`.
  void cut(std::size_t first, const Cycles& before, std::size_t end) {
    const auto choices = model_.choices();
    for (std::size_t next = first + 1; next <= classes_.size(); ++next) {
      const bool is_last = next == classes_.size();
      if (!is_last && ranges_.size() + 1 == kMostRowClasses) continue;
      RowClass rows = sum_of(classes_.subspan(first, next - first));
      rows.are_long = !is_last;
      for (std::size_t choice = 0; choice < end; ++choice) {
        const Cycles both = before.beside(model_.cycles_of(rows, choices[choice]));
        ranges_.push_back({rows, choice});
        if (is_last) {
          keep(both);
        } else {
          cut(next, both, choice);
        }
        ranges_.pop_back();
      }
    }
  }

  void keep(const Cycles& all) {
    constexpr double kMoreCode = 1.15;  // of cycles squared: what each range but one has to gain
    double sum = all.sum();
    for (std::size_t range = 1; range < ranges_.size(); ++range) sum *= kMoreCode;
    if (sum >= least_) return;
    least_ = sum;
    best_ = {model_.loops(), {}, all};
    best_.loops.of_class.clear();
    std::uint32_t end = 0;
    for (const Range& range : ranges_) {
      best_.loops.of_class.push_back(model_.loop_of(range.rows, model_.choices()[range.choice]));
      best_.ends.push_back(end += range.rows.rows);
    }
  }

  const LoopModel& model_;
  std::span<const RowClass> classes_;
  std::vector<Range> ranges_;
  RowLoops best_;
  double least_ = std::numeric_limits<double>::infinity();
};

// Of what is no count of rows: numbers that are moved one by one, and products that fill a GPU.
Cycles cycles_of_work(const RowSizes& sizes, bool is_flat, const LoopTimes& times) {
  return {static_cast<double>(sizes.work) / (is_flat ? times.moved : times.multiply_adds), 0};
}

// Long rows are a warp's each where these fill the GPU and a lane has registers for its share.
LaneChoices choices_for(const Kernel& kernel, std::uint64_t rows, const Target& target) {
  constexpr std::uint64_t kWarps = 8;            // of a multiprocessor
  constexpr std::uint64_t kRegisterBytes = 512;  // half of a thread's registers
  const LaneChoices by_blocks = lane_choices(kernel);
  if (!by_blocks.wide || rows < kWarps * target.multiprocessors) return by_blocks;
  const LaneChoices by_warps = lane_choices(kernel, true);
  const MemberLoops loops = most_of(kernel, by_warps);
  return schedule_kernel(kernel, loops, target).array_bytes <= kRegisterBytes ? by_warps
                                                                              : by_blocks;
}

// One loop for all rows.
RowLoops choose_loop(const Kernel& kernel, const RowSizes& sizes, const LaneChoices& choices,
                     const Target& target) {
  MemberLoops loops = most_of(kernel, choices);
  if (choices.flat) loops.of_class = {{1, kFlatBatch}};
  Cycles cycles = cycles_of_work(sizes, choices.flat, target.loops);
  if (kernel.segments != KernelSegments::None) {
    const LoopModel model(kernel, choices, loops, target);
    const RowClass all = sum_of(sizes.classes);
    const LoopModel::Choice& choice = model.best_of(all);
    loops.of_class = {model.loop_of(all, choice)};
    cycles = cycles.beside(model.cycles_of(all, choice));
  }
  return {loops, {sizes.rows}, cycles};
}

}  // namespace

RowLoops choose_loops(const Kernel& kernel, const RowSizes& sizes, const Target& target,
                      std::uint32_t fewest_threads) {
  const LaneChoices choices = choices_for(kernel, sizes.rows, target);
  // (A block has no memory for the products of two kinds of rows.)
  if (choices.flat || runs_in_blocks(kernel)) return choose_loop(kernel, sizes, choices, target);
  RowLoops best;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t lanes = choices.most_lanes; lanes >= choices.fewest_lanes; lanes /= 2) {
    const std::uint32_t most = choices.most_threads;
    const bool are_many = std::uint64_t{sizes.rows} * lanes >= target.multiprocessors * most;
    const std::uint32_t fewest = std::max(choices.fewest_threads, fewest_threads);
    const std::uint32_t threads = are_many ? std::min(fewest, most) : most;
    const MemberLoops loops{lanes, {}, threads, row_parts(kernel, choices, lanes)};
    const LoopModel model(kernel, choices, loops, target);
    const ClassCutter cutter(model, sizes.classes);
    if (cutter.least() >= least) continue;
    least = cutter.least();
    best = cutter.best();
  }
  // (The rows of such a kernel are matrices, which no count of instructions a row describes.)
  if (choices.wide) {
    best.cycles = cycles_of_work(sizes, false, target.loops);
  }
  return best;
}

}  // namespace vecc
