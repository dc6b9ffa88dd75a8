#include "src/train/loss_layout.h"

#include "src/program/output_begin.h"

namespace vecc::training {

std::vector<ValueId> output_ops(const Program& program) {
  std::vector<ValueId> outputs;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (program.op(id).kind() == OpKind::Output) outputs.push_back(id);
  }
  return outputs;
}

std::vector<double> target_rows(const Program& program, ValueId output,
                                const LossSamples& samples) {
  const Op& op = program.op(output);
  const Index& of_rows = std::get<OutputOp>(op.attributes).samples;
  const std::vector<std::uint64_t> begin = output_begin(program);
  std::vector<double> rows;
  rows.reserve(op.size());
  for (std::uint32_t i = 0; i < op.rows; ++i) {
    const auto row = std::span(samples.targets).subspan(begin[of_rows[i]], op.shape.size());
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

std::vector<double> weight_rows(const Program& program, ValueId output,
                                const LossSamples& samples) {
  const Index& of_rows = std::get<OutputOp>(program.op(output).attributes).samples;
  std::vector<double> rows(of_rows.size());
  for (std::uint32_t i = 0; i < of_rows.size(); ++i) rows[i] = samples.weights[of_rows[i]];
  return rows;
}

}  // namespace vecc::training
