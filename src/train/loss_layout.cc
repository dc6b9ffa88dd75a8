#include "src/train/loss_layout.h"

#include <algorithm>
#include <span>

#include "src/program/output_begin.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"

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
  const std::size_t size = op.shape.size();
  std::vector<double> rows = unset_list<double>(op.size());
  ListThreads::for_ranges(op.rows, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const auto row =
          std::span(samples.targets).subspan(begin[of_rows[static_cast<std::uint32_t>(i)]], size);
      std::ranges::copy(row, rows.begin() + static_cast<std::ptrdiff_t>(i * size));
    }
  });
  return rows;
}

std::vector<double> weight_rows(const Program& program, ValueId output,
                                const LossSamples& samples) {
  const Index& of_rows = std::get<OutputOp>(program.op(output).attributes).samples;
  std::vector<double> rows = unset_list<double>(of_rows.size());
  ListThreads::for_ranges(rows.size(), [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
      rows[i] = samples.weights[of_rows[i]];
    }
  });
  return rows;
}

}  // namespace vecc::training
