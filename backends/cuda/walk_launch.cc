#include "backends/cuda/walk_launch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/kernel/print_walk.h"

namespace vecc::cuda {
namespace {

// Of a block's memory, beside what steps use themselves: what every kernel may have without asking.
constexpr std::uint32_t kStagedBytes = 40 * 1024;
constexpr std::uint32_t kBlocksOfMultiprocessor = 2;

// As `Bound` in prelude/walk.h.
struct WalkArguments {
  CUdeviceptr items;
  CUdeviceptr arguments;
  CUdeviceptr arrived;
  SeriesArguments series;
  std::uint32_t argument_bytes;
  std::uint32_t item_room;
};

const char* function_of(const WalkShape& shape) {
  if (shape.blocks == 1) return "vecc_walk_block";
  return shape.launch == CudaLaunch::Grid ? "vecc_walk_grid" : "vecc_walk_cluster";
}

}  // namespace

Result<std::unique_ptr<WalkLaunch>> WalkLaunch::load(std::shared_ptr<Device> device, DType dtype,
                                                     WalkShape shape,
                                                     std::span<const StepUnit> units,
                                                     const DeviceCodeOptions& options,
                                                     DeviceCodeCounts* counts) {
  std::unique_ptr<WalkLaunch> made(new WalkLaunch(std::move(device), shape));
  std::vector<std::string> texts;
  std::vector<std::string> names;
  for (const StepUnit& unit : units) {
    texts.push_back(unit.text);
    if (unit.has_lists) names.push_back(function_name(unit, true));
    names.push_back(function_name(unit, false));
  }
  std::ranges::sort(names);  // of the same kernels in another order: the same text
  for (const std::string& name : names) {
    made->step_numbers_.emplace(name, static_cast<std::uint32_t>(made->step_numbers_.size()));
  }
  texts.push_back(print_walk(names, dtype));
  const Device& on = *made->device_;
  VECC_TRY(const std::vector<std::string> parts,
           compile_device_code(texts, CodeKind::Parts, on.capability(), options, counts));
  VECC_TRY(const std::string code, link_device_code(on, parts));
  made->module_ = std::make_shared<DeviceModule>(made->device_, code);
  made->limit_blocks();
  return made;
}

// All blocks of a grid wait for one another: they must run at the same time.
void WalkLaunch::limit_blocks() {
  shape_.blocks = std::max(shape_.blocks, 1u);
  if (shape_.launch == CudaLaunch::Cluster)
    shape_.blocks = std::min(shape_.blocks, kLargestCluster);
  function_ = module_->function(function_of(shape_));
  if (shape_.launch != CudaLaunch::Grid || shape_.blocks == 1) return;
  int at_once = 0;
  device_->check(device_->driver().blocks_at_once(&at_once, function_, kCudaThreads,
                                                  kStepBytes + kStagedBytes),
                 "asking how many blocks run at once");
  const std::uint32_t each =
      std::clamp(static_cast<std::uint32_t>(at_once), 1u, kBlocksOfMultiprocessor);
  shape_.blocks = std::min(shape_.blocks, each * device_->multiprocessors());
}

WalkLaunch::Stage WalkLaunch::make_stage(std::span<const WalkStep> steps,
                                         std::span<const std::byte> arguments) const {
  const WalkItems items = make_walk_items(steps, shape_.blocks);
  const auto aligned = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
  const std::size_t item_bytes = aligned(items.items.size() * sizeof(WalkItem));
  const std::size_t first_bytes = aligned(items.firsts.size() * sizeof(std::uint32_t));
  Stage stage;
  stage.bytes = item_bytes + first_bytes + arguments.size();
  stage.memory = DeviceMemory(device_, stage.bytes);
  stage.items = stage.memory.address();
  stage.firsts = stage.items + item_bytes;
  stage.memory.write(0, items.items.data(), items.items.size() * sizeof(WalkItem));
  stage.memory.write(item_bytes, items.firsts.data(), items.firsts.size() * sizeof(std::uint32_t));
  stage.most_items = items.most;
  if (arguments.empty()) return stage;
  stage.arguments = stage.firsts + first_bytes;
  stage.memory.write(item_bytes + first_bytes, arguments.data(), arguments.size());
  stage.argument_bytes = static_cast<std::uint32_t>(arguments.size());
  return stage;
}

void WalkLaunch::bind(std::uint32_t stage, std::span<const WalkStep> steps,
                      std::span<const std::byte> arguments) {
  stages_[stage] = make_stage(steps, arguments);
}

std::uint64_t WalkLaunch::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [number, stage] : stages_) bytes += stage.bytes;
  return bytes;
}

void WalkLaunch::start(std::uint32_t stage, const SeriesArguments& series) const {
  const auto found = stages_.find(stage);
  if (found != stages_.end()) start(found->second, series);
}

void WalkLaunch::start_alone(std::uint32_t stage, std::span<const WalkStep> steps) {
  const Stage& whole = stages_.at(stage);
  alone_ = make_stage(steps, {});
  alone_.arguments = whole.arguments;
  alone_.argument_bytes = whole.argument_bytes;
  start(alone_, {.runs = 1});
}

void WalkLaunch::start(const Stage& stage, const SeriesArguments& series) const {
  const bool stages_arguments = stage.argument_bytes <= kStagedBytes;
  const std::uint32_t staged = stages_arguments ? stage.argument_bytes : 0;
  const auto room = static_cast<std::uint32_t>((kStagedBytes - staged) / sizeof(WalkItem));
  const std::uint32_t item_bytes =
      stage.most_items <= room ? stage.most_items * static_cast<std::uint32_t>(sizeof(WalkItem))
                               : 0;
  WalkArguments arguments{stage.items, stage.arguments, arrived_.address(), series, staged, room};
  CUdeviceptr firsts = stage.firsts;
  void* parameters[] = {&arguments, &firsts};
  CUlaunchAttribute attribute{};
  CUlaunchConfig config{};
  config.grid_x = shape_.blocks;
  config.grid_y = config.grid_z = config.block_y = config.block_z = 1;
  config.block_x = kCudaThreads;
  config.shared = kStepBytes + staged + item_bytes;
  config.stream = device_->stream();
  if (shape_.blocks > 1) {
    config.attributes = &attribute;
    config.attribute_count = 1;
    if (shape_.launch == CudaLaunch::Grid) {
      attribute.id = kCooperative;
      attribute.value.cooperative = 1;
    } else {
      attribute.id = kClusterDimension;
      attribute.value.cluster[0] = shape_.blocks;
      attribute.value.cluster[1] = attribute.value.cluster[2] = 1;
    }
  }
  device_->check(device_->driver().launch_with(&config, function_, parameters, nullptr),
                 "starting a stage");
}

}  // namespace vecc::cuda
