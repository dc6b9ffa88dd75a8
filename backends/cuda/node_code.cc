#include "backends/cuda/node_code.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "backends/cuda/launch_graph.h"
#include "src/kernel/schedule/unrolled_entries.h"

namespace vecc::cuda {
namespace {

// Texts of kernels, each once.
class KernelTexts {
 public:
  KernelTexts(const Plan& plan, bool of_batches) : plan_(plan), of_batches_(of_batches) {}

  // The number of a node's text.
  std::size_t add(const GraphNode& node) {
    const std::uint32_t kernel = plan_.launches[node.launches.front()].kernel;
    const CudaUnit unit = unit_of(node);
    const auto [found, is_new] = numbers_.try_emplace(
        {kernel, node.schedule->members, unit, node.programmatic, node.narrow}, texts_.size());
    if (is_new) {
      const CudaLists lists = node.narrow ? CudaLists::Narrow : CudaLists::Wide;
      texts_.push_back(
          unit_text(plan_.kernels[kernel], *node.schedule, unit, node.programmatic, lists));
      work_.push_back(unrolled_entries(plan_.kernels[kernel], *node.schedule));
    }
    return found->second;
  }
  // Numbers of texts; what takes longest stands first, as all wait for what is compiled last.
  [[nodiscard]] std::vector<std::size_t> order() const {
    std::vector<std::size_t> order(work_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t n) { return work_[n]; });
    return order;
  }
  std::string take(std::size_t number) { return std::move(texts_[number]); }

 private:
  [[nodiscard]] CudaUnit unit_of(const GraphNode& node) const {
    if (of_batches_) return CudaUnit::Batch;
    return node.launches.size() > 1 ? CudaUnit::Merged : CudaUnit::Kernel;
  }

  const Plan& plan_;
  bool of_batches_;
  std::map<std::tuple<std::uint32_t, MemberLoops, CudaUnit, ProgrammaticLaunch, bool>, std::size_t>
      numbers_;
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> work_;  // by text
};

}  // namespace

Result<PlanCode> load_plan_code(const std::shared_ptr<Device>& device, const Plan& plan,
                                LaunchWay way, std::span<const RowSizes> typical,
                                std::span<const std::string> others,
                                const DeviceCodeOptions& options, DeviceCodeCounts* counts) {
  PlanCode made;
  KernelTexts kernels(plan, !typical.empty());
  std::vector<std::size_t> text_of;  // by node of all stages
  for (std::vector<GraphNode>& nodes :
       make_graph_nodes(plan, way, starts_early(*device), typical)) {
    std::vector<NodeCode>& stage = made.stages.emplace_back();
    for (GraphNode& node : nodes) {
      text_of.push_back(kernels.add(node));
      stage.push_back({std::move(node), nullptr});
    }
  }
  const std::vector<std::size_t> order = kernels.order();
  std::vector<std::size_t> place(order.size());  // by number of a text
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    texts.push_back(kernels.take(order[i]));
  }
  const auto kernel_count = static_cast<std::ptrdiff_t>(texts.size());
  texts.insert(texts.end(), others.begin(), others.end());
  VECC_TRY(const auto modules, load_device_code(device, texts, options, counts));
  made.others.assign(modules.begin() + kernel_count, modules.end());
  std::size_t next = 0;
  for (std::vector<NodeCode>& stage : made.stages) {
    for (NodeCode& node : stage) node.code = modules[place[text_of[next++]]];
  }
  return made;
}

}  // namespace vecc::cuda
