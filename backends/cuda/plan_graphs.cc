#include "backends/cuda/plan_graphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "src/kernel/print_cuda.h"
#include "src/support/log.h"
#include "vecc/error.h"

namespace vecc::cuda {
namespace {

// Only what keeps states is run in series.
bool has_series(const Plan& plan) {
  return !plan.launches.empty() && std::ranges::any_of(plan.buffers, [](const PlanBuffer& buffer) {
    return buffer.kind == PlanBuffer::Kind::State;
  });
}

// Where bytes begin that are appended to others.
template <class Entry>
std::size_t append(std::vector<std::byte>& to, std::span<const Entry> entries) {
  constexpr std::size_t kAlignment = 16;
  const std::size_t begin = (to.size() + kAlignment - 1) / kAlignment * kAlignment;
  to.resize(begin + entries.size_bytes());
  if (!entries.empty()) std::memcpy(to.data() + begin, entries.data(), entries.size_bytes());
  return begin;
}

}  // namespace

Result<std::unique_ptr<PlanGraphs>> PlanGraphs::load(std::shared_ptr<Device> device,
                                                     const Plan& plan, std::uint64_t runs,
                                                     const DeviceCodeOptions& options,
                                                     DeviceCodeCounts* counts) {
  const LaunchWay way = choose_launch_way(plan.launches.size(), runs, plan.target.launches);
  log_debug(fmt::format("cuda: {} launches, {}", plan.launches.size(), text_of(way)));
  std::unique_ptr<PlanGraphs> made(new PlanGraphs(std::move(device), way));
  std::vector<std::string> others;
  if (has_series(plan)) others.push_back(print_end_run(plan.dtype));
  VECC_TRY(PlanCode code, load_plan_code(made->device_, plan, way, {}, others, options, counts));
  if (has_series(plan)) made->end_run_ = code.others.front();
  for (std::vector<NodeCode>& nodes : code.stages) {
    Stage& stage = made->stages_.emplace_back();
    for (NodeCode& node : nodes) {
      stage.push_back({std::move(node), {}});
    }
  }
  made->graphs_.resize(kStages);
  return made;
}

// `tables`: what is to be on the device; addresses in what is bound count from its beginning.
void PlanGraphs::bind_node(Node& node, std::vector<LaunchArguments>& arguments,
                           std::vector<std::byte>& tables) {
  const ShortList& launches = node.graph.launches;
  std::vector<std::byte> bounds = std::move(arguments[launches.front()].bytes);
  for (std::size_t l = 1; l < launches.size(); ++l) {
    const std::vector<std::byte>& bytes = arguments[launches[l]].bytes;
    bounds.insert(bounds.end(), bytes.begin(), bytes.end());
  }
  // The one width that was compiled.
  VECC_CHECK(arguments[launches.front()].narrow == node.graph.narrow,
             "a launch of another width of lists");
  BoundLaunch& bound = node.bound;
  bound.function = node.function();
  bound.blocks = append(tables, std::span<const BlockRows>(node.graph.blocks));
  bound.block_count = static_cast<std::uint32_t>(node.graph.blocks.size());
  node.graph.blocks = std::vector<BlockRows>();
  bound.threads = node.graph.schedule->members.threads;
  bound.priority = node.graph.priority;
  bound.arguments = std::move(bounds);
  if (launches.size() > 1) {
    bound.all = append(tables, std::span<const std::byte>(bound.arguments));
  }
}

void PlanGraphs::bind(std::vector<LaunchArguments> arguments) {
  std::vector<std::byte> tables;
  node_of_.resize(arguments.size());
  for (Stage& stage : stages_) {
    for (Node& node : stage) {
      bind_node(node, arguments, tables);
      for (const std::uint32_t launch : node.graph.launches) node_of_[launch] = &node;
    }
  }
  bytes_ = tables.size();
  tables_ = DeviceMemory(device_, bytes_);
  tables_.write(0, tables.data(), bytes_);
  for (Stage& stage : stages_) {
    for (Node& node : stage) {
      BoundLaunch& bound = node.bound;
      bound.blocks += tables_.address();
      if (node.graph.launches.size() == 1) continue;
      bound.all += tables_.address();
      bound.arguments.resize(sizeof bound.all);
      std::memcpy(bound.arguments.data(), &bound.all, sizeof bound.all);
    }
  }
}

void PlanGraphs::start_alone(std::uint32_t launch) {
  const Node& node = *node_of_[launch];
  const ShortList& launches = node.graph.launches;
  const auto i =
      static_cast<std::size_t>(std::ranges::lower_bound(launches, launch) - launches.begin());
  const ShortList& first_blocks = node.graph.first_blocks;
  BoundLaunch alone = node.bound;
  alone.blocks += first_blocks[i] * sizeof(BlockRows);
  alone.block_count = first_blocks[i + 1] - first_blocks[i];
  start_launch(*device_, alone, device_->stream());
}

// `last`: what is started when all others are done; null: nothing.
std::unique_ptr<LaunchGraph> PlanGraphs::make_graph(const Stage& stage,
                                                    const BoundLaunch* last) const {
  std::vector<const BoundLaunch*> launches;
  std::vector<std::vector<std::uint32_t>> before;
  std::vector<bool> has_next(stage.size(), false);
  for (const Node& node : stage) {
    launches.push_back(&node.bound);
    before.push_back(node.graph.before);
    for (const std::uint32_t other : node.graph.before) has_next[other] = true;
  }
  if (last != nullptr) {
    launches.push_back(last);
    before.emplace_back();
    for (std::uint32_t n = 0; n < stage.size(); ++n) {
      if (!has_next[n]) before.back().push_back(n);
    }
  }
  return std::make_unique<LaunchGraph>(device_, launches, before);
}

// What a launch waits for stands before it.
void PlanGraphs::start_one_by_one(const Stage& stage) const {
  for (const Node& node : stage) start_launch(*device_, node.bound, device_->stream());
}

void PlanGraphs::start(std::uint32_t stage) {
  if (way_ == LaunchWay::Stream) return start_one_by_one(stages_[stage]);
  if (graphs_[stage] == nullptr) graphs_[stage] = make_graph(stages_[stage], nullptr);
  graphs_[stage]->start();
}

BoundLaunch PlanGraphs::end_of_run(const DeviceSeries& series) const {
  const CUdeviceptr arguments = series.device_arguments();
  BoundLaunch end;
  end.function = end_run_->function("vecc_end_run");
  end.arguments.resize(sizeof arguments);
  std::memcpy(end.arguments.data(), &arguments, sizeof arguments);
  end.blocks = series.run();
  end.block_count = 1;
  return end;
}

void PlanGraphs::start_series(const DeviceSeries& series) {
  const std::uint32_t runs = series.arguments().runs;
  if (way_ == LaunchWay::Stream) {
    const BoundLaunch last = end_of_run(series);
    for (std::uint32_t run = 0; run < runs; ++run) {
      start_one_by_one(stages_[0]);
      start_launch(*device_, last, device_->stream());
    }
    return;
  }
  if (series_graph_ == nullptr || series_ != series.device_arguments()) {
    series_ = series.device_arguments();
    const BoundLaunch last = end_of_run(series);
    series_graph_ = make_graph(stages_[0], &last);
  }
  for (std::uint32_t run = 0; run < runs; ++run) series_graph_->start();
}

}  // namespace vecc::cuda
