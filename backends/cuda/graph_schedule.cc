#include "backends/cuda/graph_schedule.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "backends/cuda/device_unit.h"
#include "src/kernel/print_walk.h"

namespace vecc::cuda {
namespace {

constexpr std::uint32_t kStages = 2;

// Only what keeps states is run in series.
bool has_series(const Plan& plan) {
  return !plan.launches.empty() && std::ranges::any_of(plan.buffers, [](const PlanBuffer& buffer) {
    return buffer.kind == PlanBuffer::Kind::State;
  });
}

}  // namespace

Result<std::unique_ptr<Schedule>> GraphSchedule::load(std::shared_ptr<Device> device,
                                                      const Plan& plan,
                                                      const DeviceCodeOptions& options,
                                                      DeviceCodeCounts* counts) {
  std::unique_ptr<GraphSchedule> made(new GraphSchedule(std::move(device)));
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> numbers;  // by kernel and slots
  std::vector<std::string> texts;
  std::vector<std::size_t> unit_of;
  for (const Launch& launch : plan.launches) {
    const Kernel& kernel = plan.kernels[launch.kernel];
    const std::uint32_t slots = choose_slots(plan, launch, cuda_layout(kernel, CudaUnit::Kernel));
    const auto [found, is_new] = numbers.try_emplace({launch.kernel, slots}, texts.size());
    if (is_new) texts.push_back(unit_text(kernel, slots));
    unit_of.push_back(found->second);
    made->slots_.push_back(slots);
  }
  if (has_series(plan)) texts.push_back(print_end_run(plan.dtype));
  VECC_TRY(
      const std::vector<std::string> code,
      compile_device_code(texts, CodeKind::Kernels, made->device_->capability(), options, counts));
  std::vector<std::shared_ptr<DeviceModule>> units;
  for (const std::string& image : code) {
    units.push_back(std::make_shared<DeviceModule>(made->device_, image));
  }
  if (has_series(plan)) made->end_run_ = units.back();
  for (const std::size_t unit : unit_of) made->units_.push_back(units[unit]);
  made->graphs_.resize(kStages);
  return std::unique_ptr<Schedule>(std::move(made));
}

void GraphSchedule::bind(const Plan& plan, std::vector<LaunchArguments> arguments) {
  std::vector<BlockRows> all;
  std::vector<std::size_t> firsts;
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const Launch& launch = plan.launches[l];
    const CudaLayout layout = cuda_layout(plan.kernels[launch.kernel], CudaUnit::Kernel);
    const std::vector<BlockRows> blocks = cut_blocks(launch, layout, slots_[l]);
    firsts.push_back(all.size());
    all.insert(all.end(), blocks.begin(), blocks.end());
    BoundLaunch bound;
    bound.block_count = static_cast<std::uint32_t>(blocks.size());
    bound.function = units_[l]->function(arguments[l].narrow ? "vecc_kernel_16" : "vecc_kernel_32");
    bound.arguments = std::move(arguments[l].bytes);
    launches_.push_back(std::move(bound));
  }
  block_bytes_ = all.size() * sizeof(BlockRows);
  blocks_ = DeviceMemory(device_, block_bytes_);
  blocks_.write(0, all.data(), block_bytes_);
  for (std::size_t l = 0; l < launches_.size(); ++l) {
    launches_[l].blocks = blocks_.address() + firsts[l] * sizeof(BlockRows);
  }
  for (std::uint32_t stage = 0; stage < kStages; ++stage) {
    stages_.push_back({launches_of(plan, stage).first, stage_dependencies(plan, stage)});
  }
}

// `last`: what is started when all others are done; null: nothing.
std::unique_ptr<LaunchGraph> GraphSchedule::make_graph(std::uint32_t stage,
                                                       const BoundLaunch* last) const {
  const auto begin = launches_.begin() + stages_[stage].first;
  auto before = stages_[stage].before;
  const auto count = static_cast<std::ptrdiff_t>(before.size());
  std::vector<BoundLaunch> launches(begin, begin + count);
  if (last != nullptr) {
    before.emplace_back();
    for (std::uint32_t l = 0; l < launches.size(); ++l) before.back().push_back(l);
    launches.push_back(*last);
  }
  return std::make_unique<LaunchGraph>(device_, launches, before);
}

void GraphSchedule::start(std::uint32_t stage) {
  if (graphs_[stage] == nullptr) graphs_[stage] = make_graph(stage, nullptr);
  graphs_[stage]->start();
}

void GraphSchedule::start_series(const DeviceSeries& series) {
  if (series_graph_ == nullptr || series_ != series.device_arguments()) {
    series_ = series.device_arguments();
    BoundLaunch last;
    last.function = end_run_->function("vecc_end_run");
    last.arguments.resize(sizeof series_);
    std::memcpy(last.arguments.data(), &series_, sizeof series_);
    last.blocks = series.run();
    last.block_count = 1;
    series_graph_ = make_graph(0, &last);
  }
  for (std::uint32_t run = 0; run < series.arguments().runs; ++run) series_graph_->start();
}

void GraphSchedule::start_alone(std::uint32_t launch) {
  start_launch(*device_, launches_[launch]);
}

}  // namespace vecc::cuda
