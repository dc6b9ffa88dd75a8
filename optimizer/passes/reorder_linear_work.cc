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

class Counter {
 public:
  explicit Counter(const Program& program)
      : program_(program),
        readers_(program),
        only_maps_(program.ops().size()),
        only_maps_and_sums_(program.ops().size()) {
    for (auto id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
      only_maps_[id] = only_maps_read(id, only_maps_, /*or_sums=*/false);
      only_maps_and_sums_[id] = only_maps_read(id, only_maps_and_sums_, /*or_sums=*/true);
    }
  }

  [[nodiscard]] Work of(ValueId id) const {
    const Op& op = program_.op(id);
    if (op.kind() == OpKind::Linear) return of_linear(id);
    if (op.kind() == OpKind::Gather && only_linears_read(id)) return {};
    return work_of(program_, id);
  }
  /// The same where maps compute what only they read.
  [[nodiscard]] Work of_fused(ValueId id) const {
    const Op& op = program_.op(id);
    Work work = of(id);
    if (op.kind() == OpKind::Map || op.kind() == OpKind::Transform) {
      work.launches = 1;
      work.bytes = read_bytes(id) + bytes(op);
    } else if (op.kind() == OpKind::Segment && work.launches > 0) {
      work.bytes = read_bytes(id) + bytes(op);
    } else if (op.kind() == OpKind::Gather && is_fused(id)) {
      const double index = static_cast<double>(std::get<GatherOp>(op.attributes).index.bytes());
      return {0, read_bytes(id) + index, 0, 0};
    }
    if (!is_fused(id)) return work;
    work.launches = 0;
    work.bytes -= bytes(op);
    return work;
  }

 private:
  // How often a row may be read, and computed each time.
  static constexpr double kMostReads = 1.25;

  [[nodiscard]] bool only_linears_read(ValueId id) const {
    return std::ranges::all_of(readers_.of(id), [&](ValueId reader) {
      const OpKind kind = program_.op(reader).kind();
      return kind == OpKind::Linear || (kind == OpKind::Gather && only_linears_read(reader));
    });
  }

  // Whether maps and sums compute the value where they read it; a product only maps do.
  [[nodiscard]] bool is_fused(ValueId id) const {
    const OpKind kind = program_.op(id).kind();
    if (kind == OpKind::Linear) return only_maps_[id];
    const bool may_be = kind == OpKind::Map || kind == OpKind::Transform || kind == OpKind::Gather;
    return may_be && only_maps_and_sums_[id];
  }
  // `read`: the same of values behind this one.
  [[nodiscard]] bool only_maps_read(ValueId id, const std::vector<bool>& read, bool or_sums) const {
    return std::ranges::all_of(readers_.of(id), [&](ValueId reader) {
      const Op& op = program_.op(reader);
      if (const auto* segment = std::get_if<SegmentOp>(&op.attributes)) {
        const Combination sum = segment->combination;
        return or_sums && (sum == Combination::Sum || sum == Combination::Avg);
      }
      if (op.kind() != OpKind::Gather) {
        return op.kind() == OpKind::Map || op.kind() == OpKind::Transform;
      }
      return op.rows <= kMostReads * program_.op(id).rows && read[reader];
    });
  }

  [[nodiscard]] static double bytes(const Op& op) {
    return static_cast<double>(op.size()) * byte_size(op.dtype);
  }
  // Of operands that are stored.
  [[nodiscard]] double read_bytes(ValueId id) const {
    double sum = 0;
    for (const ValueId operand : program_.op(id).operands) {
      if (!is_fused(operand)) sum += bytes(program_.op(operand));
    }
    return sum;
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
  std::vector<bool> only_maps_;           // by value: whether only maps read it
  std::vector<bool> only_maps_and_sums_;  // or sums
};

}  // namespace

std::vector<bool> find_constants(const Program& program) {
  std::vector<bool> constant(program.ops().size());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    constant[id] = is_constant_op(program.op(id), constant);
  }
  return constant;
}

Work counted_work(const Program& program, bool fuses_maps) {
  const std::vector<bool> constant = find_constants(program);
  const Counter counter(program);
  Work sum;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (!constant[id]) sum += fuses_maps ? counter.of_fused(id) : counter.of(id);
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

void WorkEstimate::fused_sum(Shape shape, std::uint64_t rows, std::uint64_t addends) {
  work_.multiply_adds += static_cast<double>(shape.size()) * static_cast<double>(rows * addends);
}

void WorkEstimate::segment(Shape shape, std::uint64_t members, std::uint64_t segments,
                           Combination combination) {
  work_.launches += combination == Combination::Avg ? 2 : 1;
  work_.multiply_adds += static_cast<double>(shape.size()) * static_cast<double>(members);
  work_.bytes += bytes(shape, members + segments);
}

}  // namespace vecc::opt
