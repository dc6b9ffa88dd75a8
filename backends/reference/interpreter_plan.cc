#include "backends/reference/interpreter_plan.h"

#include <boost/container/small_vector.hpp>

#include "backends/reference/differentiate_op.h"

namespace vecc::reference {
namespace {

std::vector<bool> find_wanted(const Program& program) {
  std::vector<bool> wanted(program.ops().size());
  for (ValueId id = 0; id < wanted.size(); ++id) {
    const Op& op = program.op(id);
    wanted[id] = op.kind() == OpKind::Weight;
    for (const ValueId operand : op.operands) wanted[id] = wanted[id] || wanted[operand];
  }
  return wanted;
}

// The buffers that are never released.
class KeptBuffers {
 public:
  KeptBuffers(const Program& program, const InterpreterPlan& plan)
      : program_(program), plan_(plan), kept_(program.ops().size()) {}

  void keep(ValueId value) { kept_[plan_.places[gathered_value(program_, value)].buffer] = true; }

  void keep_for_backward(ValueId id) {
    if (!plan_.wanted[id]) return;
    const Op& op = program_.op(id);
    boost::container::small_vector<bool, 4> wanted;
    for (const ValueId operand : op.operands) wanted.push_back(plan_.wanted[operand]);
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      if (reads_operand(op, k, {wanted.data(), wanted.size()})) keep(op.operands[k]);
    }
    if (reads_result(op)) keep(id);
  }

  [[nodiscard]] bool kept(ValueId buffer) const { return kept_[buffer]; }

 private:
  const Program& program_;
  const InterpreterPlan& plan_;
  std::vector<bool> kept_;
};

bool is_read_later(OpKind kind) {
  return kind == OpKind::Fact || kind == OpKind::Output || kind == OpKind::Update;
}

}  // namespace

InterpreterPlan plan_interpreter(const Program& program, const ExecutionOptions& options) {
  const auto count = static_cast<ValueId>(program.ops().size());
  InterpreterPlan plan{place_values(program), find_wanted(program), {}};
  plan.released.resize(count);
  if (options.keep_values) return plan;

  KeptBuffers kept(program, plan);
  for (const ValueId id : options.kept) kept.keep(id);
  std::vector<ValueId> last_use(count);  // by buffer: the last op that writes or reads it
  for (ValueId id = 0; id < count; ++id) {
    const Op& op = program.op(id);
    if (is_read_later(op.kind())) kept.keep(id);
    // Which rows are stored.
    if (op.kind() == OpKind::Update && op.operands.size() == 3) kept.keep(op.operands[2]);
    if (options.gradients) kept.keep_for_backward(id);
    if (op.kind() == OpKind::Gather) continue;  // reads nothing yet
    last_use[plan.places[id].buffer] = id;
    for (const ValueId operand : op.operands) {
      last_use[plan.places[gathered_value(program, operand)].buffer] = id;
    }
  }
  for (ValueId id = 0; id < count; ++id) {
    const bool owns = plan.places[id].buffer == id && program.op(id).kind() != OpKind::Gather;
    if (owns && !kept.kept(id)) plan.released[last_use[id]].push_back(id);
  }
  return plan;
}

}  // namespace vecc::reference
