#include "backends/native/program_outline.h"

#include "backends/common/shared_rows.h"
#include "src/program/output_begin.h"

namespace vecc::native {

ProgramOutline::ProgramOutline(const Program& program)
    : dtype(program.dtype()),
      sample_count(program.sample_count()),
      output_begin(vecc::output_begin(program)),
      updates(false) {
  values.reserve(program.ops().size());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    values.push_back({op.kind(), op.rows, op.shape});
    updates |= op.kind() == OpKind::Update;
    if (const auto* output = std::get_if<OutputOp>(&op.attributes)) {
      outputs.push_back({id, output->samples});
    } else if (const auto* state = std::get_if<StateOp>(&op.attributes)) {
      states.push_back({id, state->name});
      state_of_name.try_emplace(state->name, id);
    }
  }
  for (const Parameter& parameter : program.parameters()) parameters.push_back(parameter.name);
}

Result<ValueId> ProgramOutline::find_state(std::string_view name, std::string_view backend) const {
  const auto found = state_of_name.find(std::string(name));
  if (found == state_of_name.end()) return no_such_state(name, backend);
  return found->second;
}

}  // namespace vecc::native
