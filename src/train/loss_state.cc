#include "src/train/loss_state.h"

#include <vector>

namespace vecc::training {

void append_loss_state(Program& program, const std::string& name, ValueId total,
                       const Formula& divisor, std::optional<ValueId> divisor_value) {
  const auto added = [](Result<ValueId> value) {
    VECC_CHECK(value.has_value(), "the state of the loss");
    return *value;
  };
  const ValueId state = added(program.add(StateOp{name, 1, Shape::scalar(), 0}, {}));
  std::vector<ValueId> operands{state, total};
  if (divisor_value) operands.push_back(*divisor_value);
  const Formula sum_of_errors = Formula::operand(0) + Formula::operand(1) * divisor;
  const ValueId sum = program.map(sum_of_errors.expr(), operands, "loss: sum");
  added(program.add(UpdateOp{}, {state, sum}));
}

}  // namespace vecc::training
