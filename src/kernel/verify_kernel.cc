// The rules of a kernel, checked.
#include <fmt/format.h>

#include "src/kernel/schedule/entrywise.h"
#include "vecc/kernel.h"

namespace vecc {
namespace {

using Kind = KernelNode::Kind;

bool makes_row_value(Kind kind) {
  return kind == Kind::Reduce || kind == Kind::ReduceArg || kind == Kind::Threshold;
}

class KernelVerifier {
 public:
  explicit KernelVerifier(const Kernel& kernel)
      : kernel_(kernel), made_in_(kernel.nodes.size(), kNever) {}

  Result<void> verify() {
    for (std::size_t p = 0; p < kernel_.phases.size(); ++p) {
      const KernelPhase& phase = kernel_.phases[p];
      if (phase.space == KernelSpace::Member && kernel_.segments == KernelSegments::None) {
        return error("members of a kernel that has no segments");
      }
      for (const KernelStep& step : phase.steps) {
        VECC_TRY_VOID(step.store ? check_store(step.number, p) : check_node(step.number, p));
      }
    }
    return {};
  }

 private:
  static constexpr std::size_t kNever = static_cast<std::size_t>(-1);

  [[nodiscard]] static Errors error(const std::string& text) {
    return Errors(ErrorCode::IllFormedOp, "kernel", text);
  }

  // Whether a step of phase `p` sees a node.
  [[nodiscard]] bool is_visible(std::uint32_t node, std::size_t p) const {
    const std::size_t made = made_in_[node];
    if (made == kNever) return false;
    if (makes_row_value(kernel_.nodes[node].kind)) return made < p;
    return made == p || kernel_.phases[made].space == KernelSpace::Row;
  }

  [[nodiscard]] Result<void> check_access(std::uint32_t number, bool store, std::size_t p) const {
    if (number >= kernel_.accesses.size()) return error("no such access");
    const KernelAccess& access = kernel_.accesses[number];
    if (access.store != store || access.space != kernel_.phases[p].space) {
      return error(fmt::format("access {} in another loop, or the other way round", number));
    }
    if (access.renumbered && access.map != RowMap::List) {
      return error(fmt::format("access {} has new numbers of rows, and no list of them", number));
    }
    return {};
  }

  Result<void> check_store(std::uint32_t number, std::size_t p) const {
    if (number >= kernel_.stores.size()) return error("no such store");
    const KernelStore& store = kernel_.stores[number];
    VECC_TRY_VOID(check_access(store.access, true, p));
    if (store.value >= kernel_.nodes.size() || !is_visible(store.value, p)) {
      return error(fmt::format("store {} of a node that is not there", number));
    }
    const Shape stored = kernel_.nodes[store.value].shape;
    const Shape row = kernel_.accesses[store.access].shape;
    if (stores_part(kernel_, store) ? store.first + stored.size() > row.size() : stored != row) {
      return error(fmt::format("store {} of another shape", number));
    }
    return {};
  }

  Result<void> check_node(std::uint32_t number, std::size_t p) {
    if (number >= kernel_.nodes.size()) return error("no such node");
    if (made_in_[number] != kNever) return error(fmt::format("%{} stands twice", number));
    const KernelNode& node = kernel_.nodes[number];
    for (const std::uint32_t operand : node.operands) {
      if (operand >= kernel_.nodes.size() || !is_visible(operand, p)) {
        return error(fmt::format("%{} reads %{}, which is not there", number, operand));
      }
    }
    const bool of_members =
        makes_row_value(node.kind) || node.kind == Kind::Selected || node.kind == Kind::Scan;
    if (of_members && kernel_.phases[p].space != KernelSpace::Member) {
      return error(fmt::format("%{} outside of a loop over members", number));
    }
    if (node.kind == Kind::Load) {
      VECC_TRY_VOID(check_access(node.access, false, p));
      if (kernel_.accesses[node.access].shape != node.shape) {
        return error(fmt::format("%{} loads another shape", number));
      }
    }
    if (node.skips_nan && !is_selection(node)) {
      return error(fmt::format("%{} skips NaN", number));
    }
    if (is_entry_selection(node) &&
        (node.shape.size() == 1 || node.shape != kernel_.nodes[node.operands[0]].shape)) {
      return error(fmt::format("%{} selects entries of another shape, or of one", number));
    }
    if (node.by_entry && node.shape.size() != kernel_.nodes[node.operands[0]].shape.size()) {
      return error(fmt::format("%{} has another number of entries than what guards it", number));
    }
    if (node.words_by_row && node.word_slot >= kernel_.word_slots) return error("no such words");
    made_in_[number] = p;
    return {};
  }

  const Kernel& kernel_;
  std::vector<std::size_t> made_in_;  // by node: its phase
};

}  // namespace

Result<void> verify(const Kernel& kernel) {
  return KernelVerifier(kernel).verify();
}

}  // namespace vecc
