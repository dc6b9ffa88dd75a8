#include "backends/cuda/graph_schedule.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "backends/cuda/launch_priorities.h"
#include "backends/cuda/order_roots.h"
#include "src/kernel/print_cpp.h"
#include "src/kernel/print_end_run.h"
#include "src/plan/analysis/launch_rows.h"
#include "src/plan/analysis/narrow_arrays.h"

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

// Whether a GPU runs all of them at once, each on a processor of its own.
bool is_small(std::span<const BlockRows> blocks, const Target& target) {
  return blocks.size() <= target.multiprocessors;
}

// Whether launches go through so few members that they end soon.
bool is_short(const Plan& plan, std::span<const std::uint32_t> launches) {
  constexpr std::uint64_t kMembers = 4096;
  std::uint64_t members = 0;
  for (const std::uint32_t launch : launches) {
    const Launch& of = plan.launches[launch];
    members += counted_rows(plan, plan.kernels[of.kernel], of, KernelSpace::Member);
  }
  return members <= kMembers;
}

}  // namespace

// A stage's launches by level: what waits for a launch of a node is in a later level.
GraphSchedule::Stage GraphSchedule::nodes_of(const Plan& plan, const StageLaunches& launches) {
  const std::uint32_t first = launches.first;
  const auto& before = launches.before;
  const NarrowArrays narrow(plan);
  using Key = std::tuple<std::uint32_t, std::uint32_t, MemberLoops, bool>;
  std::map<Key, Node> nodes;  // by level, kernel, loops and width of the lists
  for (std::uint32_t l = 0; l < before.size(); ++l) {
    const Launch& launch = plan.launches[first + l];
    const Kernel& kernel = plan.kernels[launch.kernel];
    const RowLoops rows = choose_row_loops(plan, launch);
    const bool is_narrow = has_lists(kernel) && narrow.has_all_of(launch);
    Node& node = nodes[{launches.levels[l], launch.kernel, rows.loops, is_narrow}];
    node.loops = rows.loops;
    node.firsts.push_back(node.blocks.size());
    const CudaLayout layout = cuda_layout(kernel, rows.loops.lanes, rows.loops.threads);
    node.cycles = node.cycles.beside(rows.cycles);
    for (BlockRows& block : cut_blocks(plan, launch, layout, rows)) {
      block.launch = static_cast<std::uint32_t>(node.launches.size());
      node.blocks.push_back(block);
    }
    node.launches.push_back(first + l);
  }
  Stage stage;
  stage.reserve(nodes.size());
  std::vector<std::uint32_t> node_of(before.size());
  while (!nodes.empty()) {  // there may be millions: no second copy of them
    Node node = std::move(nodes.extract(nodes.begin()).mapped());
    node.firsts.push_back(node.blocks.size());
    for (const std::uint32_t launch : node.launches) {
      node_of[launch - first] = static_cast<std::uint32_t>(stage.size());
      for (const std::uint32_t other : before[launch - first]) {
        node.before.push_back(node_of[other]);
      }
    }
    std::ranges::sort(node.before);
    node.before.erase(std::unique(node.before.begin(), node.before.end()), node.before.end());
    stage.push_back(std::move(node));
  }
  return stage;
}

// Small nodes that wait for nobody go to the front, and each waits last for the one before it.
void GraphSchedule::put_roots_in_a_row(const Plan& plan, Stage& stage) {
  std::vector<std::vector<std::uint32_t>> before;
  std::vector<bool> are_small;
  for (const Node& node : stage) {
    before.push_back(node.before);
    are_small.push_back(is_short(plan, node.launches) && is_small(node.blocks, plan.target));
  }
  std::vector<std::uint32_t> order = order_roots(before, are_small);
  const std::size_t roots = order.size();
  std::vector<bool> is_in_row(stage.size(), false);
  for (const std::uint32_t root : order) is_in_row[root] = true;
  for (std::uint32_t n = 0; n < stage.size(); ++n) {
    if (!is_in_row[n]) order.push_back(n);
  }
  std::vector<std::uint32_t> place(stage.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) place[order[at]] = at;
  Stage ordered;
  ordered.reserve(stage.size());
  for (const std::uint32_t n : order) {
    Node& node = ordered.emplace_back(std::move(stage[n]));
    for (std::uint32_t& other : node.before) other = place[other];
    const std::size_t at = ordered.size() - 1;
    node.order.waits_last = at > 0 && at < roots;
    if (node.order.waits_last) node.before = {static_cast<std::uint32_t>(at - 1)};
  }
  stage = std::move(ordered);
}

// Kernels begin before those that they wait for have ended: which of them first, and how long
// before. (Blocks that wait have the room of those that could compute, and lie where there was room
// when they began, not evenly.)
void GraphSchedule::begin_early(const Target& target, Stage& stage) {
  constexpr double kLaunch = 1;  // microseconds
  constexpr double kLong = 30;
  std::vector<std::vector<std::uint32_t>> before;
  std::vector<LaunchLoad> loads;
  for (Node& node : stage) {
    const double cycles = std::max(node.cycles.begun, node.cycles.longest);
    node.order.releases_last = cycles > kLong * target.megahertz;
    before.push_back(node.before);
    loads.push_back({kLaunch + cycles / target.megahertz, is_small(node.blocks, target)});
  }
  const std::vector<int> priorities = launch_priorities(before, loads);
  for (std::size_t n = 0; n < stage.size(); ++n) stage[n].priority = priorities[n];
}

Result<std::unique_ptr<GraphSchedule>> GraphSchedule::load(std::shared_ptr<Device> device,
                                                           const Plan& plan,
                                                           const DeviceCodeOptions& options,
                                                           DeviceCodeCounts* counts) {
  std::unique_ptr<GraphSchedule> made(new GraphSchedule(std::move(device)));
  for (const StageLaunches& stage : list_stages(plan)) {
    Stage& nodes = made->stages_.emplace_back(nodes_of(plan, stage));
    if (!starts_early(*made->device_)) continue;
    put_roots_in_a_row(plan, nodes);
    begin_early(plan.target, nodes);
  }
  using Key = std::tuple<std::uint32_t, MemberLoops, CudaUnit, LaunchOrder>;
  std::map<Key, std::size_t> numbers;  // by kernel, loops, kind and order
  std::vector<std::string> texts;
  std::vector<std::pair<Node*, std::size_t>> unit_of;
  for (Stage& stage : made->stages_) {
    for (Node& node : stage) {
      const std::uint32_t kernel = plan.launches[node.launches.front()].kernel;
      const CudaUnit unit = node.launches.size() > 1 ? CudaUnit::Merged : CudaUnit::Kernel;
      const auto [found, is_new] =
          numbers.try_emplace({kernel, node.loops, unit, node.order}, texts.size());
      if (is_new)
        texts.push_back(unit_text(plan.kernels[kernel], node.loops, unit, plan.target, node.order));
      unit_of.emplace_back(&node, found->second);
    }
  }
  if (has_series(plan)) texts.push_back(print_end_run(plan.dtype));
  VECC_TRY(const auto units, load_device_code(made->device_, texts, options, counts));
  if (has_series(plan)) made->end_run_ = units.back();
  for (const auto& [node, unit] : unit_of) node->unit = units[unit];
  made->graphs_.resize(kStages);
  return made;
}

// `tables`: what is to be on the device; addresses in what is bound count from its beginning.
void GraphSchedule::bind_node(Node& node, std::vector<LaunchArguments>& arguments,
                              std::vector<std::byte>& tables) {
  const bool merges = node.launches.size() > 1;
  std::vector<std::byte> bounds;
  for (const std::uint32_t launch : node.launches) {
    const std::vector<std::byte>& bytes = arguments[launch].bytes;
    bounds.insert(bounds.end(), bytes.begin(), bytes.end());
  }
  const bool narrow = arguments[node.launches.front()].narrow;
  node.bound.function = node.unit->function(narrow ? "vecc_kernel_16" : "vecc_kernel_32");
  node.bound.blocks = append(tables, std::span<const BlockRows>(node.blocks));
  node.bound.block_count = static_cast<std::uint32_t>(node.blocks.size());
  node.bound.threads = node.loops.threads;
  node.bound.priority = node.priority;
  node.bound.arguments = std::move(bounds);
  if (merges) node.bound.all = append(tables, std::span<const std::byte>(node.bound.arguments));
}

void GraphSchedule::bind(const Plan& plan, std::vector<LaunchArguments> arguments) {
  std::vector<std::byte> tables;
  node_of_.resize(plan.launches.size());
  for (Stage& stage : stages_) {
    for (Node& node : stage) {
      bind_node(node, arguments, tables);
      for (const std::uint32_t launch : node.launches) node_of_[launch] = &node;
    }
  }
  bytes_ = tables.size();
  tables_ = DeviceMemory(device_, bytes_);
  tables_.write(0, tables.data(), bytes_);
  for (Stage& stage : stages_) {
    for (Node& node : stage) {
      BoundLaunch& bound = node.bound;
      bound.blocks += tables_.address();
      if (node.launches.size() == 1) continue;
      bound.all += tables_.address();
      bound.arguments.resize(sizeof bound.all);
      std::memcpy(bound.arguments.data(), &bound.all, sizeof bound.all);
    }
  }
}

void GraphSchedule::start_alone(std::uint32_t launch) {
  const Node& node = *node_of_[launch];
  const auto i = static_cast<std::size_t>(std::ranges::lower_bound(node.launches, launch) -
                                          node.launches.begin());
  BoundLaunch alone = node.bound;
  alone.blocks += node.firsts[i] * sizeof(BlockRows);
  alone.block_count = static_cast<std::uint32_t>(node.firsts[i + 1] - node.firsts[i]);
  start_launch(*device_, alone);
}

// `last`: what is started when all others are done; null: nothing.
std::unique_ptr<LaunchGraph> GraphSchedule::make_graph(const Stage& stage,
                                                       const BoundLaunch* last) const {
  std::vector<const BoundLaunch*> launches;
  std::vector<std::vector<std::uint32_t>> before;
  std::vector<bool> has_next(stage.size(), false);
  for (const Node& node : stage) {
    launches.push_back(&node.bound);
    before.push_back(node.before);
    for (const std::uint32_t other : node.before) has_next[other] = true;
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

void GraphSchedule::start(std::uint32_t stage) {
  if (graphs_[stage] == nullptr) graphs_[stage] = make_graph(stages_[stage], nullptr);
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
    series_graph_ = make_graph(stages_[0], &last);
  }
  for (std::uint32_t run = 0; run < series.arguments().runs; ++run) series_graph_->start();
}

}  // namespace vecc::cuda
