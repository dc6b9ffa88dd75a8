#include "src/kg/score_formula/trim_kernel.h"

#include <utility>

#include "vecc/program.h"

namespace vecc::kg {
namespace {

constexpr std::uint32_t kGone = ~0u;

// Operands of a derivative that it does not read.
void drop_operands(KernelNode& node) {
  if (node.kind != KernelNode::Kind::TransformVjp || !node.reads_x || !node.reads_y) return;
  VjpOp op;
  op.of = TransformOp{node.transformation, {}};
  const VjpReads reads = reads_of(op);
  ShortList operands;
  if (reads.operands) operands.push_back(node.operands[0]);
  if (reads.result) operands.push_back(node.operands[1]);
  operands.push_back(node.operands[2]);
  node.operands = std::move(operands);
  node.reads_x = reads.operands;
  node.reads_y = reads.result;
}

class KernelTrimmer {
 public:
  explicit KernelTrimmer(ScoreKernel kernel) : from_(std::move(kernel)) {}

  ScoreKernel trim() {
    mark();
    ScoreKernel to = from_;
    to.arrays.clear();
    to.kernel.accesses.clear();
    to.kernel.nodes.clear();
    to.kernel.phases.clear();
    access_.assign(from_.kernel.accesses.size(), kGone);
    node_.assign(from_.kernel.nodes.size(), kGone);
    // Nodes stand in the order in which they run.
    for (const KernelPhase& phase : from_.kernel.phases) {
      KernelPhase left{phase.space, phase.reversed, {}};
      for (const KernelStep& step : phase.steps) keep(step, left, to);
      // Read in a later phase.
      for (const KernelStep& step : phase.steps) {
        if (!step.store && is_read_[step.number]) keep_node(step.number, left, to);
      }
      if (!left.steps.empty()) to.kernel.phases.push_back(std::move(left));
    }
    return to;
  }

 private:
  void mark() {
    is_read_.assign(from_.kernel.nodes.size(), false);
    for (const KernelStore& store : from_.kernel.stores) is_read_[store.value] = true;
    for (std::size_t n = is_read_.size(); n-- > 0;) {
      if (!is_read_[n]) continue;
      for (const std::uint32_t operand : from_.kernel.nodes[n].operands) is_read_[operand] = true;
    }
  }
  void keep(const KernelStep& step, KernelPhase& phase, ScoreKernel& to) {
    if (step.store) {
      KernelStore& store = to.kernel.stores[step.number];
      keep_node(store.value, phase, to);
      store.access = access(store.access, to);
      store.value = node_[store.value];
      phase.steps.push_back(step);
      return;
    }
    const bool is_load = from_.kernel.nodes[step.number].kind == KernelNode::Kind::Load;
    if (is_read_[step.number] && !is_load) keep_node(step.number, phase, to);
  }
  void keep_node(std::uint32_t number, KernelPhase& phase, ScoreKernel& to) {
    if (node_[number] != kGone) return;
    KernelNode node = from_.kernel.nodes[number];
    for (const std::uint32_t operand : node.operands) keep_node(operand, phase, to);
    if (node.kind == KernelNode::Kind::Load) node.access = access(node.access, to);
    ShortList operands;
    for (const std::uint32_t operand : node.operands) operands.push_back(node_[operand]);
    node.operands = std::move(operands);
    node_[number] = static_cast<std::uint32_t>(to.kernel.nodes.size());
    phase.steps.push_back({false, node_[number]});
    to.kernel.nodes.push_back(std::move(node));
  }
  std::uint32_t access(std::uint32_t number, ScoreKernel& to) {
    if (access_[number] == kGone) {
      access_[number] = static_cast<std::uint32_t>(to.kernel.accesses.size());
      to.kernel.accesses.push_back(from_.kernel.accesses[number]);
      to.arrays.push_back(from_.arrays[number]);
    }
    return access_[number];
  }

  ScoreKernel from_;
  std::vector<bool> is_read_;
  std::vector<std::uint32_t> access_;  // by number: the new one
  std::vector<std::uint32_t> node_;
};

}  // namespace

ScoreKernel with_read_operands(ScoreKernel kernel) {
  for (KernelNode& node : kernel.kernel.nodes) drop_operands(node);
  return kernel;
}

ScoreKernel trimmed(ScoreKernel kernel) {
  return KernelTrimmer(std::move(kernel)).trim();
}

}  // namespace vecc::kg
