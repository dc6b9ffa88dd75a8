#include "optimizer/passes/fold_plan.h"

#include <algorithm>
#include <atomic>

#include "optimizer/rewrite/op_steps.h"
#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"
#include "src/support/mark_once.h"

namespace vecc::opt {
namespace {

constexpr std::uint64_t kSmallFact = std::uint64_t{1} << 20;  // elements

bool is_count(const Op& op) {
  const auto* segment = std::get_if<SegmentOp>(&op.attributes);
  return segment && segment->combination == Combination::Count;
}

// An empty segment is constant whatever the others are.
bool has_empty_segments(const Op& op) {
  const auto* segment = std::get_if<SegmentOp>(&op.attributes);
  if (!segment) return false;
  const auto offsets = segment->segments.offsets();
  return offsets.size() > 1 && !holds_for_all(offsets.size() - 1, [&](std::size_t s) {
           return offsets[s] != offsets[s + 1];
         });
}

bool is_foldable(const Op& op) {
  switch (op.kind()) {
    case OpKind::Linear:
    case OpKind::Segment:
    case OpKind::Transform:
    case OpKind::Map: return op.size() <= kMostEvaluated;
    case OpKind::Fact:
    case OpKind::Weight:
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Contract:
    case OpKind::Vjp:
    case OpKind::Draw:
    case OpKind::Take:
    case OpKind::SumEqual:
    case OpKind::ScatterSum:
    case OpKind::State:
    case OpKind::Update:
    case OpKind::Output: return false;
  }
  return false;
}

bool has_lifts(const Op& op) {
  const auto* linear = std::get_if<LinearOp>(&op.attributes);
  return linear && (linear->lift_left != Lift() || linear->lift_right != Lift());
}

class FoldPlanner {
 public:
  FoldPlanner(const Program& program, const SourceRows& sources)
      : program_(program), sources_(sources), has_constant_(program.ops().size()) {
    plan_.decisions.resize(program.ops().size(), FoldDecision::Keep);
    plan_.constant = long_list<std::uint8_t>(sources.size());
    plan_.needed = long_list<std::uint8_t>(sources.size());
  }

  FoldPlan run() {
    bool any = false;  // constant row that is computed
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      has_constant_[id] = find_constants(id);
      any = any || (has_constant_[id] && is_foldable(program_.op(id)));
    }
    if (!any) return std::move(plan_);
    for (auto id = static_cast<ValueId>(program_.ops().size()); id-- > 0;) {
      const OpSteps steps(program_, sources_, id);
      if (steps.count() == 0) continue;
      plan_.decisions[id] = decide(id, steps);
      if (plan_.decisions[id] == FoldDecision::Fold) ++plan_.folds;
      need_reads(id, steps);
    }
    return std::move(plan_);
  }

 private:
  // Marks the constant rows of a value; whether there are any (a gather or concat: perhaps).
  bool find_constants(ValueId id) {
    const Op& op = program_.op(id);
    const auto is_constant = [&](ValueId operand) { return bool{has_constant_[operand]}; };
    if (op.kind() == OpKind::Gather || op.kind() == OpKind::Concat) {
      return std::ranges::any_of(op.operands, is_constant);
    }
    const OpSteps steps(program_, sources_, id);
    if (op.kind() == OpKind::Fact) {
      for_each_entry(op.rows, [&](std::uint32_t row) { plan_.constant[steps.number(row)] = 1; });
      return op.rows > 0;
    }
    if (!is_foldable(op)) return false;
    const bool may_be =
        std::ranges::all_of(op.operands, is_constant) || is_count(op) || has_empty_segments(op);
    return may_be && find_constant_steps(op, steps);
  }

  bool find_constant_steps(const Op& op, const OpSteps& steps) {
    const std::uint64_t found = total_of(steps.count(), [&](std::uint32_t step) {
      bool constant = true;
      if (!is_count(op)) {
        steps.for_each_read(step, [&](std::uint32_t number) {
          constant = constant && plan_.constant[number] != 0;
        });
      }
      if (!constant) return 0u;
      steps.for_each_row(step, [&](std::uint32_t row) { plan_.constant[steps.number(row)] = 1; });
      return 1u;
    });
    if (!has_lifts(op) || found == steps.count()) return found > 0;
    for_each_entry(op.rows, [&](std::uint32_t row) { plan_.constant[steps.number(row)] = 0; });
    return false;
  }

  // All readers have said what they need.
  FoldDecision decide(ValueId id, const OpSteps& steps) {
    if (!has_constant_[id]) return FoldDecision::Keep;
    std::atomic<std::uint64_t> constant{0};
    std::atomic<std::uint64_t> needed{0};
    std::atomic<std::uint64_t> computed{0};
    ListThreads::for_ranges(steps.count(), [&](std::size_t begin, std::size_t end) {
      std::uint64_t constant_here = 0;
      std::uint64_t needed_here = 0;
      std::uint64_t computed_here = 0;
      for (auto step = static_cast<std::uint32_t>(begin); step < end; ++step) {
        bool is_needed = false;
        steps.for_each_row(step, [&](std::uint32_t row) {
          is_needed = is_needed || plan_.in_fact(steps.number(row));
        });
        steps.for_each_row(step, [&](std::uint32_t row) {
          const std::uint32_t number = steps.number(row);
          ++(plan_.constant[number] != 0 ? constant_here : computed_here);
          if (is_needed) plan_.needed[number] = 1;  // a softmax folds whole segments
          if (plan_.in_fact(number)) ++needed_here;
        });
      }
      constant += constant_here;
      needed += needed_here;
      computed += computed_here;
    });
    if (constant == 0) return FoldDecision::Keep;
    if (needed == 0) return FoldDecision::DropRows;
    const bool enough = computed == 0 || needed >= computed;
    return enough && is_small(id, needed) ? FoldDecision::Fold : FoldDecision::Keep;
  }

  [[nodiscard]] bool is_small(ValueId id, std::uint64_t rows) const {
    const Op& op = program_.op(id);
    std::uint64_t read = 0;
    for (const ValueId operand : op.operands) read += program_.op(operand).size();
    return rows * op.shape.size() <= std::max(kSmallFact, 2 * read);
  }

  // What the steps that are computed read.
  void need_reads(ValueId id, const OpSteps& steps) {
    const auto& operands = program_.op(id).operands;
    if (std::ranges::none_of(operands, [&](ValueId v) { return bool{has_constant_[v]}; })) return;
    const bool all = plan_.decisions[id] == FoldDecision::Keep;
    if (all && steps.makes_all()) {
      for (const ValueId operand : operands) {
        const SourceRows::View rows = sources_.of(operand);
        for_each_entry(program_.op(operand).rows, [&](std::uint32_t row) { need(rows[row]); });
      }
      return;
    }
    for_each_entry(steps.count(), [&](std::uint32_t step) {
      bool constant = !all;
      if (!all) {
        steps.for_each_row(step, [&](std::uint32_t row) {
          constant = constant && plan_.constant[steps.number(row)] != 0;
        });
      }
      if (!constant) steps.for_each_read(step, [&](std::uint32_t number) { need(number); });
    });
  }

  // By several threads at once.
  void need(std::uint32_t number) {
    if (plan_.constant[number] == 0) return;
    mark_once(plan_.needed[number]);
  }

  // Calls body(i) for i = 0 .. count-1, by all threads.
  template <class Body>
  static void for_each_entry(std::uint32_t count, const Body& body) {
    ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
      for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) body(i);
    });
  }

  const Program& program_;
  const SourceRows& sources_;
  FoldPlan plan_;
  std::vector<bool> has_constant_;  // by value
};

}  // namespace

FoldPlan plan_folds(const Program& program, const SourceRows& sources) {
  return FoldPlanner(program, sources).run();
}

}  // namespace vecc::opt
