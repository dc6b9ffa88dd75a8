#include "optimizer/passes/mixed_linear.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "optimizer/rewrite/doubtful_values.h"
#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"

namespace vecc::opt {
namespace {

constexpr std::uint32_t kWidest = 16;  // rows of a square weight

// A concat whose rows a segment alone reads: row members[i] of it is the segment's member i.
struct MixedMembers {
  ValueId concat = 0;
  Index members;
  std::vector<bool> joined;   // by operand of the concat: a linear to join
  ValueId linear = kNoValue;  // the first of those
};

// Several values read as one concat.
class Sources {
 public:
  explicit Sources(const Program& program) : program_(program) {}

  // The first row of `source` in the concat.
  std::uint64_t add(ValueId source) {
    const auto [entry, is_new] = begin_.try_emplace(source, rows_);
    if (is_new) {
      sources_.push_back(source);
      rows_ += program_.op(source).rows;
    }
    return entry->second;
  }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  // Rows that a concat moves.
  [[nodiscard]] std::uint64_t moved_rows() const { return sources_.size() > 1 ? rows_ : 0; }

  // The operands of the concat, in the new Program: of a source that is a concat, its operands.
  [[nodiscard]] std::vector<ValueId> parts(Rewriter& rewriter) const {
    std::vector<ValueId> parts;
    for (const ValueId source : sources_) {
      const ValueId now = rewriter.at(source);
      const Op& op = rewriter.to().op(now);
      if (op.kind() == OpKind::Concat) {
        parts.insert(parts.end(), op.operands.begin(), op.operands.end());
      } else {
        parts.push_back(now);
      }
    }
    return parts;
  }
  // One value with all rows.
  ValueId whole(Rewriter& rewriter, const Note& note) const {
    if (sources_.size() == 1) return rewriter.at(sources_[0]);
    return rewriter.to().concat(parts(rewriter), note);
  }

 private:
  const Program& program_;
  std::vector<ValueId> sources_;
  boost::unordered_flat_map<ValueId, std::uint64_t> begin_;
  std::uint64_t rows_ = 0;
};

bool is_joinable(const Program& program, ValueId value) {
  const Op& op = program.op(value);
  const auto* linear = std::get_if<LinearOp>(&op.attributes);
  if (!linear || linear->transpose_right) return false;
  if (linear->lift_left != Lift() || linear->lift_right != Lift()) return false;
  const Shape left = program.op(op.operands[0]).shape;
  const bool neutral = left.is_scalar() || (left.rows() == left.cols() && left.rows() <= kWidest);
  return neutral && program.op(op.operands[1]).shape == op.shape;
}

// Whether two joinable linears can be one.
bool are_alike(const Program& program, ValueId a, ValueId b) {
  const auto transposed = [&](ValueId value) {
    return std::get<LinearOp>(program.op(value).attributes).transpose_left;
  };
  const auto left_shape = [&](ValueId value) {
    return program.op(program.op(value).operands[0]).shape;
  };
  return left_shape(a) == left_shape(b) && transposed(a) == transposed(b);
}

std::optional<MixedMembers> find_mixed(const Program& program, const Readers& readers,
                                       ValueId segment) {
  MixedMembers mixed;
  ValueId reader = segment;
  mixed.concat = program.op(segment).operands[0];
  if (const auto* gather = std::get_if<GatherOp>(&program.op(mixed.concat).attributes)) {
    if (readers.only(mixed.concat) != segment) return {};
    reader = mixed.concat;
    mixed.members = gather->index;
    mixed.concat = program.op(reader).operands[0];
  } else {
    mixed.members = Index::slice(0, program.op(mixed.concat).rows);
  }
  const Op& concat = program.op(mixed.concat);
  if (concat.kind() != OpKind::Concat || readers.only(mixed.concat) != reader) return {};
  for (const ValueId operand : concat.operands) {
    const bool joined = is_joinable(program, operand) && readers.only(operand) == mixed.concat &&
                        (mixed.linear == kNoValue || are_alike(program, operand, mixed.linear));
    mixed.joined.push_back(joined);
    if (joined && mixed.linear == kNoValue) mixed.linear = operand;
  }
  const bool has_plain = std::ranges::find(mixed.joined, false) != mixed.joined.end();
  if (mixed.linear == kNoValue || !has_plain) return {};
  return mixed;
}

// Whether a plain row may be infinite, and would be multiplied by zeros.
bool may_spoil_rows(const Program& program, const MixedMembers& mixed, DoubtfulValues& doubtful) {
  if (program.op(program.op(mixed.linear).operands[0]).shape.is_scalar()) return false;
  const Operands& operands = program.op(mixed.concat).operands;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (!mixed.joined[k] && doubtful[operands[k]]) return true;
  }
  return false;
}

// The joined linear: what row i of it reads on each side.
class JoinedLinear {
 public:
  JoinedLinear(const Program& program, const MixedMembers& mixed)
      : program_(program), mixed_(mixed), left_(program), right_(program) {
    const Operands& operands = program.op(mixed.concat).operands;
    for (std::size_t k = 0; k < operands.size(); ++k) add_part(operands[k], mixed.joined[k]);
  }

  // Multiply-adds added against elements saved; false also for too many rows.
  [[nodiscard]] bool pays() const {
    const Op& concat = program_.op(mixed_.concat);
    const Op& linear = program_.op(mixed_.linear);
    const Shape left = program_.op(linear.operands[0]).shape;
    const std::uint64_t products = linear.shape.size() * left.cols();
    const std::uint64_t members = mixed_.members.size();
    const std::uint64_t moved = std::uint64_t{concat.rows} + members;
    if (right_.moved_rows() > moved || left_.rows() >= kNoValue) return false;
    const std::uint64_t saved = (moved - right_.moved_rows()) * concat.shape.size();
    return members <= linear_rows_ || (members - linear_rows_) * products <= saved;
  }

  // The new value of the segment's members; `neutral` is the new fact of the neutral weight.
  ValueId emit(Rewriter& rewriter, ValueId neutral) const {
    const ValueId linear = mixed_.linear;
    const Note& note = program_.op(linear).note;
    std::vector<ValueId> weights = left_.parts(rewriter);
    weights.push_back(neutral);
    const ValueId all_weights = rewriter.to().concat(weights, note);
    const ValueId left = rewriter.gather(all_weights, rows_of(&Part::left), note);
    const ValueId right =
        rewriter.gather(right_.whole(rewriter, note), rows_of(&Part::right), note);
    LinearOp joined;
    joined.transpose_left = std::get<LinearOp>(program_.op(linear).attributes).transpose_left;
    return rewriter.to().linear(left, right, joined, note);
  }

 private:
  // One operand of the concat: the rows of the two sides' concats that its rows read.
  struct Read {
    bool neutral = false;
    std::uint64_t first = 0;
    Index rows;
  };
  struct Part {
    std::uint32_t begin = 0;  // its first row in the concat
    Read left;
    Read right;
  };

  static Read read(const Program& program, ValueId value, Sources& sources) {
    GatheredRows through = read_through(program, value);
    return {false, sources.add(through.source), std::move(through.rows)};
  }

  void add_part(ValueId operand, bool joined) {
    Part part;
    part.begin = next_row_;
    next_row_ += program_.op(operand).rows;
    ValueId right = operand;
    if (joined) {
      part.left = read(program_, program_.op(operand).operands[0], left_);
      right = program_.op(operand).operands[1];
      linear_rows_ += program_.op(operand).rows;
    } else {
      part.left.neutral = true;
    }
    part.right = read(program_, right, right_);
    parts_.push_back(std::move(part));
  }

  // By member: the row that it reads of one side's concat.
  [[nodiscard]] Index rows_of(Read Part::*side) const {
    std::vector<std::uint32_t> rows(mixed_.members.size());
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t member = mixed_.members[i];
      const auto after = std::ranges::upper_bound(parts_, member, {}, &Part::begin);
      const Part& part = *std::prev(after);
      const Read& read = part.*side;
      const std::uint64_t row =
          read.neutral ? left_.rows() : read.first + read.rows[member - part.begin];
      rows[i] = static_cast<std::uint32_t>(row);
    }
    return Index::compact(std::move(rows));
  }

  const Program& program_;
  const MixedMembers& mixed_;
  Sources left_;
  Sources right_;
  std::vector<Part> parts_;
  std::uint32_t next_row_ = 0;
  std::uint64_t linear_rows_ = 0;
};

// One row of the neutral weight: 1, or the identity matrix.
ValueId neutral_fact(Rewriter& rewriter, Shape shape) {
  std::vector<double> values(shape.size());
  for (std::size_t k = 0; k < shape.rows(); ++k) values[k * shape.cols() + k] = 1.0;
  return rewriter.to().fact(std::move(values), 1, shape, "identity");
}

}  // namespace

std::uint64_t join_mixed_linears(Program& program) {
  const auto is_segment = [](const Op& op) { return op.kind() == OpKind::Segment; };
  if (std::ranges::none_of(program.ops(), is_segment)) return 0;
  const Readers readers(program);
  DoubtfulValues doubtful(program);
  Rewriter rewriter(program);
  std::map<Shape, ValueId> neutral;  // by the weights' shape
  std::uint64_t joined = 0;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    std::optional<MixedMembers> mixed;
    if (op.kind() == OpKind::Segment) mixed = find_mixed(program, readers, id);
    std::optional<JoinedLinear> linear;
    if (mixed && !may_spoil_rows(program, *mixed, doubtful)) linear.emplace(program, *mixed);
    if (!linear || !linear->pays()) {
      rewriter.copy(id);
      continue;
    }
    const Shape shape = program.op(program.op(mixed->linear).operands[0]).shape;
    const auto [entry, is_new] = neutral.try_emplace(shape, kNoValue);
    if (is_new) entry->second = neutral_fact(rewriter, shape);
    const ValueId members = linear->emit(rewriter, entry->second);
    rewriter.replace(id, rewriter.add(op.attributes, {members}, id));
    ++joined;
  }
  if (joined > 0) program = rewriter.finish();
  return joined;
}

}  // namespace vecc::opt
