#include "src/program/value_indices.h"

namespace vecc {

bool has_value_index(const Op& op) {
  switch (op.kind()) {
    case OpKind::Draw:
    case OpKind::Take:
    case OpKind::SumEqual:
    case OpKind::ScatterSum: return true;
    case OpKind::Update: return op.operands.size() == 3;
    case OpKind::Fact:
    case OpKind::Weight:
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Linear:
    case OpKind::Segment:
    case OpKind::Transform:
    case OpKind::Map:
    case OpKind::Contract:
    case OpKind::Vjp:
    case OpKind::State:
    case OpKind::Output: return false;
  }
  fail_check("known op", __FILE__, __LINE__, std::string(text_of(op.kind())));
}

std::string value_index_gap(const Program& program, ValueId id) {
  const OpKind kind = program.op(id).kind();
  const std::string what = kind == OpKind::Draw ? "its numbers are drawn by the step"
                                                : "its row numbers are values of the step";
  return "%" + std::to_string(id) + " " + std::string(text_of(kind)) + ": " + what +
         ", which only the backends cpu and interpreter run";
}

std::vector<std::string> value_index_gaps(const Program& program) {
  std::vector<std::string> gaps;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (has_value_index(program.op(id))) gaps.push_back(value_index_gap(program, id));
  }
  return gaps;
}

void refuse_value_indices(const Program& program, std::string_view backend, Errors& errors) {
  for (std::string& gap : value_index_gaps(program)) {
    errors.add(ErrorCode::BackendUnsupported, std::string(backend), std::move(gap));
  }
}

}  // namespace vecc
