#include "backends/cuda/walk_launch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/kernel/print_walk.h"

namespace vecc::cuda {
namespace {

// Of a multiprocessor's memory: what every kernel may have without asking.
constexpr std::uint32_t kBlockBytes = 48 * 1024;

// As `Bound` in prelude/walk.h.
struct WalkArguments {
  CUdeviceptr arguments;
  CUdeviceptr lines;
  CUdeviceptr arrived;
  SeriesArguments series;
  std::uint32_t argument_bytes;
  std::uint32_t items;
  std::uint32_t staged_items;
  std::uint32_t line_count;
};

const char* function_of(const WalkShape& shape) {
  if (shape.blocks == 1) return "vecc_walk_block";
  return shape.launch == CudaLaunch::Cluster ? "vecc_walk_cluster" : "vecc_walk_grid";
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
    made->step_bytes_ = std::max(made->step_bytes_, unit.memory_bytes);
    if (unit.has_lists) names.push_back(function_name(unit, true));
    names.push_back(function_name(unit, false));
  }
  std::ranges::sort(names);  // of the same kernels in another order: the same text
  for (const std::string& name : names) {
    made->step_numbers_.emplace(name, static_cast<std::uint32_t>(made->step_numbers_.size()));
  }
  texts.push_back(print_walk(names, dtype, made->step_bytes_));
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
  const bool is_cluster = shape_.launch == CudaLaunch::Cluster;
  if (is_cluster) shape_.blocks = std::min(shape_.blocks, device_->target().cluster_blocks());
  function_ = module_->function(function_of(shape_));
  if (is_cluster || shape_.blocks == 1) return;
  int at_once = 0;
  device_->check(device_->driver().blocks_at_once(&at_once, function_, kStepThreads, kBlockBytes),
                 "asking how many blocks run at once");
  const std::uint32_t each =
      std::clamp(static_cast<std::uint32_t>(at_once), 1u, kBlocksOfMultiprocessor);
  shape_.blocks = std::min(shape_.blocks, each * device_->multiprocessors());
}

WalkLaunch::Stage WalkLaunch::make_stage(std::span<const WalkStep> steps,
                                         std::span<const std::byte> arguments,
                                         const std::vector<std::vector<CUdeviceptr>>& lines) const {
  const WalkItems items = make_walk_items(steps, shape_.blocks);
  Stage stage;
  stage.item_count = items.most;
  stage.has_phases = std::ranges::any_of(
      steps, [&](const WalkStep& step) { return step.phase != steps.front().phase; });
  for (const auto& of_block : lines) {
    stage.line_count = std::max(stage.line_count, static_cast<std::uint32_t>(of_block.size()));
  }
  std::vector<CUdeviceptr> all_lines;
  for (const auto& of_block : lines) {
    all_lines.insert(all_lines.end(), of_block.begin(), of_block.end());
    all_lines.resize(all_lines.size() + stage.line_count - of_block.size());
  }
  const auto aligned = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
  const std::size_t item_bytes = aligned(items.items.size() * sizeof(WalkItem));
  const std::size_t line_bytes = aligned(all_lines.size() * sizeof(CUdeviceptr));
  stage.bytes = item_bytes + line_bytes + arguments.size();
  stage.memory = DeviceMemory(device_, stage.bytes);
  stage.items = stage.memory.address();
  stage.lines = stage.items + item_bytes;
  stage.memory.write(0, items.items.data(), items.items.size() * sizeof(WalkItem));
  stage.memory.write(item_bytes, all_lines.data(), all_lines.size() * sizeof(CUdeviceptr));
  if (arguments.empty()) return stage;
  stage.arguments = stage.lines + line_bytes;
  stage.memory.write(item_bytes + line_bytes, arguments.data(), arguments.size());
  stage.argument_bytes = static_cast<std::uint32_t>(arguments.size());
  return stage;
}

void WalkLaunch::bind(std::uint32_t stage, std::span<const WalkStep> steps,
                      std::span<const std::byte> arguments,
                      const std::vector<std::vector<CUdeviceptr>>& lines) {
  stages_[stage] = make_stage(steps, arguments, lines);
}

std::uint64_t WalkLaunch::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [number, stage] : stages_) bytes += stage.bytes;
  return bytes;
}

void WalkLaunch::start(std::uint32_t stage) {
  const auto found = stages_.find(stage);
  if (found == stages_.end()) return;
  if (found->second.once == nullptr) {
    const BoundLaunch launch = bound(found->second, {.runs = 1});
    const BoundLaunch* const only = &launch;
    const std::vector<std::uint32_t> nothing;
    found->second.once =
        std::make_unique<LaunchGraph>(device_, std::span(&only, 1), std::span(&nothing, 1));
  }
  found->second.once->start();
}

void WalkLaunch::start_series(std::uint32_t stage, const SeriesArguments& series) const {
  const auto found = stages_.find(stage);
  if (found != stages_.end()) start_launch(*device_, bound(found->second, series));
}

void WalkLaunch::start_alone(std::uint32_t stage, std::span<const WalkStep> steps) {
  const Stage& whole = stages_.at(stage);
  alone_ = make_stage(steps, {}, {});
  alone_.arguments = whole.arguments;
  alone_.argument_bytes = whole.argument_bytes;
  start_launch(*device_, bound(alone_, {.runs = 1}));
}

BoundLaunch WalkLaunch::bound(const Stage& stage, const SeriesArguments& series) const {
  const std::uint32_t room = kBlockBytes - step_bytes_;
  const std::uint32_t staged = stage.argument_bytes <= room ? stage.argument_bytes : 0;
  const auto item_bytes = stage.item_count * static_cast<std::uint32_t>(sizeof(WalkItem));
  const bool stages_items = item_bytes <= room - staged;
  const WalkArguments arguments{stage.arguments,
                                stage.lines,
                                arrived_.address(),
                                series,
                                staged,
                                stage.item_count,
                                stages_items ? stage.item_count : 0,
                                stage.line_count};
  BoundLaunch launch;
  launch.function = function_;
  launch.arguments.resize(sizeof arguments);
  std::memcpy(launch.arguments.data(), &arguments, sizeof arguments);
  launch.blocks = stage.items;
  launch.block_count = shape_.blocks;
  launch.threads = kStepThreads;
  launch.shared_bytes = step_bytes_ + staged + (stages_items ? item_bytes : 0);
  if (shape_.blocks == 1) return launch;
  CUlaunchAttribute attribute{};
  if (shape_.launch == CudaLaunch::Cluster) {
    attribute.id = kClusterDimension;
    attribute.value.cluster[0] = shape_.blocks;
    attribute.value.cluster[1] = attribute.value.cluster[2] = 1;
    launch.attribute = attribute;
  } else if (stage.has_phases || series.total != 0) {
    attribute.id = kCooperative;
    attribute.value.cooperative = 1;
    launch.attribute = attribute;
  }
  return launch;
}

}  // namespace vecc::cuda
