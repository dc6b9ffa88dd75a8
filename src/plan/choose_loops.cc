#include "src/plan/choose_loops.h"

#include <limits>
#include <span>
#include <vector>

#include "src/plan/loop_model.h"
#include "src/plan/row_order.h"

namespace vecc {
namespace {

// In the launch's order; one if that has not the long rows first.
std::vector<RowClass> classes_of(const Plan& plan, const Launch& launch) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  std::vector<RowClass> classes(1);
  if (kernel.segments != KernelSegments::Ragged) {
    classes[0].add(kernel.members > 0 ? kernel.members : launch.members, launch.rows);
    return classes;
  }
  const std::vector<std::uint32_t>& offsets = *plan.arrays[launch.offsets];
  const std::vector<std::uint32_t>* order =
      launch.order == kNone ? nullptr : plan.arrays[launch.order].get();
  bool is_falling = order != nullptr && launch.tile_types.empty();
  std::uint32_t last = ~0u;
  for (std::uint32_t at = 0; at < launch.rows; ++at) {
    const std::uint32_t row = order == nullptr ? at : (*order)[at];
    const std::uint32_t length = offsets[row + 1] - offsets[row];
    const std::uint32_t number = length_class(length);
    if (is_falling && at > 0 && number != last) classes.emplace_back();
    is_falling = is_falling && number <= last;
    last = number;
    classes.back().add(length);
  }
  if (!is_falling) {
    for (std::size_t c = 1; c < classes.size(); ++c) classes[0].add(classes[c]);
    classes.resize(1);
  }
  return classes;
}

// The classes in up to kMostRowClasses parts, of which earlier ones, of longer rows, have more
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
  struct Part {
    RowClass rows;
    std::size_t choice = 0;
  };

  // From class `first` on, beside what stands before, with fewer slots than choice number `end`.
  void cut(std::size_t first, const Cycles& before, std::size_t end) {
    const auto choices = model_.choices();
    for (std::size_t next = first + 1; next <= classes_.size(); ++next) {
      const bool is_last = next == classes_.size();
      if (!is_last && parts_.size() + 1 == kMostRowClasses) continue;
      RowClass rows = sum_of(classes_.subspan(first, next - first));
      rows.are_long = !is_last;
      for (std::size_t choice = 0; choice < end; ++choice) {
        const Cycles both = before.beside(model_.cycles_of(rows, choices[choice]));
        parts_.push_back({rows, choice});
        if (is_last) {
          keep(both);
        } else {
          cut(next, both, choice);
        }
        parts_.pop_back();
      }
    }
  }

  void keep(const Cycles& all) {
    constexpr double kMoreCode = 1.15;  // of cycles squared: what each part but one has to gain
    double sum = all.sum();
    for (std::size_t part = 1; part < parts_.size(); ++part) sum *= kMoreCode;
    if (sum >= least_) return;
    least_ = sum;
    best_ = {{model_.lanes(), {}, model_.threads()}, {}, all};
    std::uint32_t end = 0;
    for (const Part& part : parts_) {
      best_.loops.of_class.push_back(model_.loop_of(part.rows, model_.choices()[part.choice]));
      best_.ends.push_back(end += part.rows.rows);
    }
  }

  const LoopModel& model_;
  std::span<const RowClass> classes_;
  std::vector<Part> parts_;
  RowLoops best_;
  double least_ = std::numeric_limits<double>::infinity();
};

// Of what is no count of rows: numbers that are moved one by one, and products that fill a GPU.
Cycles cycles_of_work(const Launch& launch, bool is_flat, const LoopTimes& times) {
  return {static_cast<double>(launch.work) / (is_flat ? times.moved : times.multiply_adds), 0};
}

}  // namespace

RowLoops choose_loop(const Plan& plan, const Launch& launch, const CudaLayout& layout) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  MemberLoop loop{1, layout.flat ? kFlatBatch : 1};
  Cycles cycles = cycles_of_work(launch, layout.flat, plan.target.loops);
  if (kernel.segments != KernelSegments::None) {
    const LoopModel model(kernel, layout, plan.target);
    const RowClass all = sum_of(classes_of(plan, launch));
    const LoopModel::Choice& choice = model.best_of(all);
    loop = model.loop_of(all, choice);
    cycles = cycles.beside(model.cycles_of(all, choice));
  }
  return {{layout.lanes, {loop}, layout.threads}, {launch.rows}, cycles};
}

RowLoops choose_row_loops(const Plan& plan, const Launch& launch, std::uint32_t fewest_threads) {
  const Kernel& kernel = plan.kernels[launch.kernel];
  const CudaLayout layout = cuda_layout(kernel);
  // (A block has no memory for the products of two kinds of rows.)
  if (layout.flat || layout.block_rows > 0) return choose_loop(plan, launch, layout);
  const std::vector<RowClass> classes = classes_of(plan, launch);
  const std::uint32_t processors = plan.target.multiprocessors;
  RowLoops best;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t lanes = layout.lanes; lanes >= layout.fewest_lanes; lanes /= 2) {
    const bool are_many = std::uint64_t{launch.rows} * lanes >= processors * layout.threads;
    const std::uint32_t fewest = std::max(layout.fewest_threads, fewest_threads);
    const std::uint32_t threads = are_many ? std::min(fewest, layout.threads) : layout.threads;
    const LoopModel model(kernel, cuda_layout(kernel, lanes, threads), plan.target);
    const ClassCutter cutter(model, classes);
    if (cutter.least() >= least) continue;
    least = cutter.least();
    best = cutter.best();
  }
  // (The rows of such a kernel are matrices, which no count of instructions a row describes.)
  if (layout.lanes >= kCudaThreads) best.cycles = cycles_of_work(launch, false, plan.target.loops);
  return best;
}

}  // namespace vecc
