#include "backends/cuda/walk_schedule.h"

#include <map>
#include <utility>

namespace vecc::cuda {
namespace {

constexpr std::size_t kAlignment = 16;  // of a step's arguments

}  // namespace

Result<std::unique_ptr<Schedule>> WalkSchedule::load(
    std::shared_ptr<Device> device, const Plan& plan, std::vector<StageLaunches> stages,
    WalkShape shape, const DeviceCodeOptions& options, DeviceCodeCounts* counts) {
  std::unique_ptr<WalkSchedule> made(new WalkSchedule);
  made->stages_ = std::move(stages);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> numbers;  // by kernel and slots
  std::map<std::string, StepUnit> distinct;                                // by name
  for (const Launch& launch : plan.launches) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    const std::uint32_t slots = choose_slots(plan, launch, cuda_layout(kernel, CudaUnit::Step));
    const auto [found, is_new] = numbers.try_emplace({launch.kernel, slots}, made->units_.size());
    if (is_new) {
      made->units_.push_back({step_unit(kernel, slots), slots});
      distinct.emplace(made->units_.back().text.name, made->units_.back().text);
    }
    made->unit_of_.push_back(found->second);
  }
  std::vector<StepUnit> units;
  for (auto& [name, unit] : distinct) units.push_back(std::move(unit));
  VECC_TRY(made->walk_,
           WalkLaunch::load(std::move(device), plan.dtype, shape, units, options, counts));
  return std::unique_ptr<Schedule>(std::move(made));
}

void WalkSchedule::bind(const Plan& plan, std::vector<LaunchArguments> arguments) {
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const Launch& launch = plan.launches[l];
    const Unit& unit = units_[unit_of_[l]];
    stage_of_.push_back(launch.stage);
    const CudaLayout layout = cuda_layout(plan.kernels[launch.kernel], CudaUnit::Step);
    steps_.push_back({.step = walk_->step(unit.text, arguments[l].narrow),
                      .work = launch.work,
                      .rows = cut_blocks(launch, layout, unit.slots, walk_->blocks())});
  }
  for (std::uint32_t stage = 0; stage < kStages; ++stage) bind_stage(stage, arguments);
}

void WalkSchedule::bind_stage(std::uint32_t number, const std::vector<LaunchArguments>& arguments) {
  const StageLaunches& stage = stages_[number];
  const auto count = static_cast<std::uint32_t>(stage.levels.size());
  if (count == 0) return;
  std::vector<std::byte> bytes;
  for (std::uint32_t l = stage.first; l < stage.first + count; ++l) {
    steps_[l].level = stage.levels[l - stage.first];
    steps_[l].arguments = static_cast<std::uint32_t>(bytes.size());
    bytes.insert(bytes.end(), arguments[l].bytes.begin(), arguments[l].bytes.end());
    bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
  }
  walk_->bind(number, std::span(steps_).subspan(stage.first, count), bytes);
}

}  // namespace vecc::cuda
