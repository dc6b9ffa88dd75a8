#include "backends/cuda/walk_schedule.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "backends/cuda/walk_lines.h"

namespace vecc::cuda {
namespace {

constexpr std::size_t kAlignment = 16;  // of a step's arguments
// Of a block's cache.
constexpr std::size_t kMostLines = 1024;

// Blocks that have rows of a launch.
std::uint64_t block_count(const LaunchPhase& phase) {
  const std::set<std::uint32_t> blocks(phase.blocks.begin(), phase.blocks.end());
  return std::max<std::uint64_t>(blocks.size(), 1);
}

// How a block's threads share the rows that it has at once.
struct StepKind {
  CudaUnit unit = CudaUnit::Step;
  RowLoops loops;
};
StepKind choose_kind(const Plan& plan, const Launch& launch, const LaunchPhase* phase) {
  constexpr std::uint64_t kFewRows = 2;  // of a block
  const Kernel& kernel = plan.kernels[launch.kernel];
  const CudaLayout layout = cuda_layout(kernel, CudaUnit::Step);
  if (phase == nullptr) return {CudaUnit::Step, choose_row_loops(plan, launch, CudaUnit::Step)};
  const std::uint64_t blocks = block_count(*phase);
  const CudaLayout wide = cuda_layout(kernel, CudaUnit::WideStep);
  if (wide.lanes > layout.lanes && launch.rows <= kFewRows * blocks) {
    RowLoops loops = choose_loop(plan, launch, wide, static_cast<std::uint32_t>(blocks));
    loops.loops.of_class.front().slots = block_slots(wide);
    return {CudaUnit::WideStep, std::move(loops)};
  }
  return {CudaUnit::Step, choose_loop(plan, launch, layout, static_cast<std::uint32_t>(blocks))};
}

// Rows that follow one another and are one block's, within a tile if that has a type.
void add_rows_of_blocks(const Launch& launch, const CudaLayout& layout, const LaunchPhase& phase,
                        WalkStep& step) {
  const auto cut = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t type) {
    while (begin < end) {
      std::uint32_t next = begin + 1;
      while (next < end && phase.blocks[next] == phase.blocks[begin]) ++next;
      for (std::uint32_t part = 0; part < layout.parts; ++part) {
        step.rows.push_back({begin, next, type * layout.parts + part});
        step.blocks.push_back(phase.blocks[begin]);
      }
      begin = next;
    }
  };
  if (launch.tile_types.empty()) return cut(0, launch.rows, 0);
  for (std::size_t t = 0; t < launch.tile_types.size(); ++t) {
    cut(launch.tiles[t], launch.tiles[t + 1], launch.tile_types[t]);
  }
}

}  // namespace

Result<std::unique_ptr<Schedule>> WalkSchedule::load(
    std::shared_ptr<Device> device, const Plan& plan, std::vector<StageLaunches> stages,
    WalkShape shape, std::vector<LaunchPhase> phases, const DeviceCodeOptions& options,
    DeviceCodeCounts* counts) {
  std::unique_ptr<WalkSchedule> made(new WalkSchedule);
  made->stages_ = std::move(stages);
  made->phases_ = std::move(phases);
  using Key = std::tuple<std::uint32_t, MemberLoops, CudaUnit>;
  std::map<Key, std::size_t> numbers;        // by kernel, loops and kind
  std::map<std::string, StepUnit> distinct;  // by name
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const Launch& launch = plan.launches[l];
    const Kernel& kernel = plan.kernels[launch.kernel];
    const auto [unit, row_loops] =
        choose_kind(plan, launch, made->phases_.empty() ? nullptr : &made->phases_[l]);
    const MemberLoops& loops = row_loops.loops;
    const auto [found, is_new] =
        numbers.try_emplace({launch.kernel, loops, unit}, made->units_.size());
    if (is_new) {
      made->units_.push_back({step_unit(kernel, loops, plan.target, unit),
                              cuda_layout(kernel, unit, loops.lanes), loops});
      distinct.emplace(made->units_.back().text.name, made->units_.back().text);
    }
    made->unit_of_.push_back(found->second);
    made->class_ends_.push_back(row_loops.ends);
  }
  std::vector<StepUnit> units;
  for (auto& [name, unit] : distinct) units.push_back(std::move(unit));
  VECC_TRY(made->walk_,
           WalkLaunch::load(std::move(device), plan.dtype, shape, units, options, counts));
  for (LaunchPhase& phase : made->phases_) {  // of blocks that do not fit at once one is several
    for (std::uint32_t& block : phase.blocks) {
      block =
          static_cast<std::uint32_t>(std::uint64_t{block} * made->walk_->blocks() / shape.blocks);
    }
  }
  return std::unique_ptr<Schedule>(std::move(made));
}

WalkStep WalkSchedule::make_step(const Plan& plan, std::uint32_t number, bool narrow) const {
  const Launch& launch = plan.launches[number];
  const Unit& unit = units_[unit_of_[number]];
  const CudaLayout& layout = unit.layout;
  WalkStep step;
  step.step = walk_->step(unit.text, narrow);
  step.work = launch.work;
  for (const MemberLoop& loop : unit.loops.of_class) {
    step.row_threads.push_back(layout.flat ? layout.entries : layout.lanes * loop.slots);
  }
  if (phases_.empty()) {
    step.rows =
        cut_blocks(plan, launch, layout, {unit.loops, class_ends_[number]}, walk_->blocks());
  } else {
    step.phase = phases_[number].phase;
    step.level = phases_[number].level;
    add_rows_of_blocks(launch, layout, phases_[number], step);
  }
  return step;
}

void WalkSchedule::bind(const Plan& plan, std::vector<LaunchArguments> arguments) {
  for (std::uint32_t l = 0; l < plan.launches.size(); ++l) {
    stage_of_.push_back(plan.launches[l].stage);
    steps_.push_back(make_step(plan, l, arguments[l].narrow));
  }
  for (std::uint32_t stage = 0; stage < kStages; ++stage) bind_stage(plan, stage, arguments);
}

void WalkSchedule::bind_stage(const Plan& plan, std::uint32_t number,
                              const std::vector<LaunchArguments>& arguments) {
  const StageLaunches& stage = stages_[number];
  const auto count = static_cast<std::uint32_t>(stage.levels.size());
  if (count == 0) return;
  std::vector<std::byte> bytes;
  std::vector<std::vector<CUdeviceptr>> lines(phases_.empty() ? 0 : walk_->blocks());
  for (std::uint32_t l = stage.first; l < stage.first + count; ++l) {
    if (phases_.empty()) {
      steps_[l].phase = stage.levels[l - stage.first];
    } else {
      add_lines(plan, plan.launches[l], arguments[l], phases_[l].blocks, lines);
    }
    steps_[l].arguments = static_cast<std::uint32_t>(bytes.size());
    bytes.insert(bytes.end(), arguments[l].bytes.begin(), arguments[l].bytes.end());
    bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
  }
  keep_distinct_lines(lines, kMostLines);
  walk_->bind(number, std::span(steps_).subspan(stage.first, count), bytes, lines);
}

}  // namespace vecc::cuda
