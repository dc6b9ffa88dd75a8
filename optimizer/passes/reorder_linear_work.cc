#include "optimizer/passes/reorder_linear_work.h"

#include <algorithm>

#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"
#include "src/program/index_algebra.h"

namespace vecc::opt {
namespace {

bool is_constant_op(const Op& op, const std::vector<bool>& constant) {
  switch (op.kind()) {
    case OpKind::Fact: return true;
    case OpKind::Concat:
    case OpKind::Gather:
    case OpKind::Linear:
    case OpKind::Segment:
    case OpKind::Transform:
    case OpKind::Map:
      return std::ranges::all_of(op.operands, [&](ValueId v) { return constant[v]; });
    case OpKind::Weight:
    case OpKind::Contract:
    case OpKind::Vjp:
    case OpKind::State:
    case OpKind::Update:
    case OpKind::Output: return false;
  }
  return false;
}

class Counter {
 public:
  explicit Counter(const Program& program) : program_(program), readers_(program) {}

  [[nodiscard]] Work of(ValueId id) const {
    const Op& op = program_.op(id);
    if (op.kind() == OpKind::Linear) return of_linear(id);
    if (op.kind() == OpKind::Gather && only_linears_read(id)) return {};
    return work_of(program_, id);
  }

 private:
  [[nodiscard]] bool only_linears_read(ValueId id) const {
    return std::ranges::all_of(readers_.of(id), [&](ValueId reader) {
      const OpKind kind = program_.op(reader).kind();
      return kind == OpKind::Linear || (kind == OpKind::Gather && only_linears_read(reader));
    });
  }

  [[nodiscard]] Work of_linear(ValueId id) const {
    const Op& op = program_.op(id);
    Work work = work_of(program_, id);
    std::uint64_t elements = op.size();
    for (const ValueId operand : op.operands) {
      elements += distinct_rows(operand) * program_.op(operand).shape.size();
    }
    work.bytes = static_cast<double>(elements) * byte_size(op.dtype);
    work.batch_bytes = 0;
    return work;
  }

  // Rows of the source that are read through the gathers that make `value`.
  [[nodiscard]] std::uint64_t distinct_rows(ValueId value) const {
    const GatheredRows read = read_through(program_, value);
    return count_distinct(read.rows, program_.op(read.source).rows);
  }

  const Program& program_;
  Readers readers_;
};

}  // namespace

std::vector<bool> find_constants(const Program& program) {
  std::vector<bool> constant(program.ops().size());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    constant[id] = is_constant_op(program.op(id), constant);
  }
  return constant;
}

Work counted_work(const Program& program) {
  const std::vector<bool> constant = find_constants(program);
  const Counter counter(program);
  Work sum;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (!constant[id]) sum += counter.of(id);
  }
  return sum;
}

void WorkEstimate::products(Shape left, Shape right, std::uint64_t rows) {
  const auto n = static_cast<double>(rows);
  work_.multiply_adds += n * static_cast<double>(multiply_adds(left, right));
  work_.bytes += bytes(*times_shape(left, right), rows);
}

void WorkEstimate::gather(Shape shape, std::uint64_t rows) {
  launch();
  work_.bytes += 2 * bytes(shape, rows) + sizeof(std::uint32_t) * static_cast<double>(rows);
}

void WorkEstimate::segment(Shape shape, std::uint64_t members, std::uint64_t segments,
                           Combination combination) {
  work_.launches += combination == Combination::Avg ? 2 : 1;
  work_.multiply_adds += static_cast<double>(shape.size()) * static_cast<double>(members);
  work_.bytes += bytes(shape, members + segments);
}

}  // namespace vecc::opt
