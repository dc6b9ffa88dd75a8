#include "backends/reference/program_differentiator.h"

#include <utility>

#include "backends/reference/differentiate_op.h"
#include "src/program/output_begin.h"

namespace vecc::reference {
namespace {

class ProgramDifferentiator {
 public:
  ProgramDifferentiator(const Program& program, const InterpreterPlan& plan,
                        const ValueStorage& values)
      : program_(program), plan_(plan), values_(values), gradients_(program, plan.places) {
    for (const Parameter& parameter : program.parameters()) {
      result_.emplace_back(parameter.rows * parameter.shape.size());
    }
    first_made_.resize(program.ops().size());
    for (auto id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
      first_made_[plan.places[id].buffer] = id;
    }
  }

  std::vector<std::vector<double>> differentiate(std::span<const double> output_gradients) {
    add_to_outputs(output_gradients);
    for (auto id = static_cast<ValueId>(program_.ops().size()); id-- > 0;) {
      if (plan_.wanted[id]) step(id);
      const ValueId buffer = plan_.places[id].buffer;
      if (first_made_[buffer] == id) gradients_.release(buffer);
    }
    return std::move(result_);
  }

 private:
  // The gradients of the samples, in their order, to the rows that are their outputs.
  void add_to_outputs(std::span<const double> output_gradients) {
    const std::vector<std::uint64_t> begin = output_begin(program_);
    for (const Op& op : program_.ops()) {
      const auto* output = std::get_if<OutputOp>(&op.attributes);
      if (output == nullptr) continue;
      want(op.operands[0]);
      const MutableRows rows = wanted_rows(op.operands[0]);
      for (std::uint32_t i = 0; rows.present() && i < op.rows; ++i) {
        const auto g = output_gradients.subspan(begin[output->samples[i]], op.shape.size());
        const std::span<double> row = rows.row(i);
        for (std::size_t k = 0; k < row.size(); ++k) row[k] += g[k];
      }
    }
  }

  void step(ValueId id) {
    const Op& op = program_.op(id);
    switch (op.kind()) {
      case OpKind::Gather:  // its readers have added to its operand's rows
      case OpKind::Output:
      case OpKind::Fact:
      case OpKind::Draw:  // constant between jumps
      case OpKind::State: return;
      case OpKind::Vjp:
      case OpKind::Update: fail_check("an op with a derivative", __FILE__, __LINE__, op.note);
      case OpKind::Weight: add_to_parameter(id); return;
      case OpKind::Concat:
      case OpKind::Linear:
      case OpKind::Segment:
      case OpKind::Transform:
      case OpKind::Map:
      case OpKind::Contract:
      case OpKind::Take:
      case OpKind::SumEqual:
      case OpKind::ScatterSum: break;
    }
    const MutableRows g = gradients_.rows(id);
    if (!g.present()) return;  // no reader is on the way to an output
    std::vector<Rows> operands;
    std::vector<MutableRows> operand_gradients;
    for (const ValueId operand : op.operands) want(operand);
    for (const ValueId operand : op.operands) {
      operands.push_back(values_.rows(operand));
      operand_gradients.push_back(wanted_rows(operand));
    }
    const Rows gradient = std::as_const(gradients_).rows(id);
    differentiate_op({op, operands, values_.rows(id), gradient, operand_gradients});
  }

  void add_to_parameter(ValueId id) {
    const auto& weight = std::get<WeightOp>(program_.op(id).attributes);
    std::vector<double>& sum = result_[weight.parameter];
    const std::span<double> g = gradients_.rows(id).all();
    for (std::size_t i = 0; i < g.size(); ++i) sum[i] += g[i];
  }

  void want(ValueId value) {
    if (plan_.wanted[value]) gradients_.allocate(gathered_value(program_, value));
  }

  // Absent if the value's gradient is not needed, even where its buffer is there for others in it.
  MutableRows wanted_rows(ValueId value) {
    if (plan_.wanted[value]) return gradients_.rows(value);
    return {nullptr, program_.op(value).rows, program_.op(value).shape};
  }

  const Program& program_;
  const InterpreterPlan& plan_;
  const ValueStorage& values_;
  ValueStorage gradients_;
  std::vector<ValueId> first_made_;  // by buffer: the first op that has its rows there
  std::vector<std::vector<double>> result_;
};

}  // namespace

std::vector<std::vector<double>> differentiate_program(const Program& program,
                                                       const InterpreterPlan& plan,
                                                       const ValueStorage& values,
                                                       std::span<const double> output_gradients) {
  return ProgramDifferentiator(program, plan, values).differentiate(output_gradients);
}

}  // namespace vecc::reference
