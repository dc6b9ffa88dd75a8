// Backwards, which rows of each value the samples reach; then forwards, those rows alone.
#include "vecc/batch_program.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "src/program/members.h"
#include "src/program/select_rows.h"
#include "src/program/value_indices.h"
#include "src/samples/operand_rows.h"
#include "src/samples/reached_rows.h"

namespace vecc {
namespace {

using Rows = std::vector<std::uint32_t>;

class Restriction {
 public:
  explicit Restriction(const Program& program)
      : program_(program),
        rows_(program.ops().size()),
        values_(program.ops().size()),
        result_(program.dtype()) {}

  /// That row is sample `sample` of the result.
  void add_output(const SampleRow& from, std::uint32_t sample) {
    rows_[from.output].push_back(from.row);
    samples_.push_back({from.output, from.row, sample});
  }

  void add_updates() {
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (program_.op(id).kind() != OpKind::Update) continue;
      rows_[id].resize(program_.op(id).rows);
      std::iota(rows_[id].begin(), rows_[id].end(), 0);
    }
  }

  Program run() && {
    result_.set_sample_count(static_cast<std::uint32_t>(samples_.size()));
    for (const Parameter& parameter : program_.parameters()) {
      VECC_CHECK(result_.add_parameter(parameter).has_value(), "parameters of a Program");
    }
    std::ranges::sort(samples_, {}, [](const Sampled& s) { return std::pair(s.output, s.row); });
    reach_rows(program_, rows_);
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (!rows_[id].empty()) values_[id] = build(id);
    }
    return std::move(result_);
  }

 private:
  struct Sampled {
    ValueId output;
    std::uint32_t row;
    std::uint32_t sample;
  };

  // A weight keeps all its rows: they are the parameter's.
  [[nodiscard]] bool is_whole(ValueId value) const {
    return program_.op(value).kind() == OpKind::Weight ||
           rows_[value].size() == program_.op(value).rows;
  }

  // Where the rows `wanted` of an operand stand in what was built of it.
  [[nodiscard]] Rows places(ValueId operand, Rows wanted) const {
    if (is_whole(operand)) return wanted;
    const Rows& rows = rows_[operand];
    for (std::uint32_t& row : wanted) {
      row = static_cast<std::uint32_t>(std::ranges::lower_bound(rows, row) - rows.begin());
    }
    return wanted;
  }

  // A value whose row i is row wanted[i] of the operand.
  ValueId read(ValueId operand, const Rows& wanted) {
    const Op& op = program_.op(operand);
    if (wanted.empty() && !values_[operand]) return result_.fact({}, 0, op.shape);
    return result_.gather(*values_[operand], Index::compact(places(operand, wanted)));
  }
  ValueId read(ValueId id, std::size_t k) {
    return read(program_.op(id).operands[k], operand_rows(program_, id, k, rows_[id]));
  }

  std::optional<ValueId> build(ValueId id) {
    const Op& op = program_.op(id);
    return std::visit([&](const auto& attributes) { return make(attributes, id, op); },
                      op.attributes);
  }

  ValueId add(OpAttributes attributes, Operands operands, const Op& old) {
    Result<ValueId> value = result_.add(std::move(attributes), std::move(operands), old.note);
    VECC_CHECK(value.has_value(), "some rows of an op that is well formed");
    return *value;
  }

  ValueId make(const FactOp& fact, ValueId id, const Op& op) {
    if (is_whole(id)) return add(fact, {}, op);
    return add(select_rows(fact, Index::list(rows_[id])), {}, op);
  }
  ValueId make(const WeightOp& weight, ValueId, const Op& op) { return add(weight, {}, op); }

  ValueId make(const ConcatOp&, ValueId id, const Op& op) {
    std::vector<ValueId> parts;
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      const Rows wanted = operand_rows(program_, id, k, rows_[id]);
      if (!wanted.empty()) parts.push_back(read(op.operands[k], wanted));
    }
    return result_.concat(parts, op.note);
  }

  ValueId make(const GatherOp&, ValueId id, const Op&) { return read(id, 0); }

  ValueId make(const LinearOp& linear, ValueId id, const Op& op) {
    LinearOp restricted = linear;
    const ValueId left = lift(id, 0, restricted.lift_left);
    const ValueId right = lift(id, 1, restricted.lift_right);
    return add(restricted, {left, right}, op);
  }
  // A side that is one row for all stays so; others are read row by row.
  ValueId lift(ValueId id, std::size_t k, Lift& lift) {
    Rows wanted = operand_rows(program_, id, k, rows_[id]);
    const auto rows = static_cast<std::uint32_t>(wanted.size());
    const bool repeats =
        lift.kind != Lift::Kind::None && rows > 1 &&
        std::ranges::all_of(wanted, [&](std::uint32_t row) { return row == wanted.front(); });
    lift = repeats ? Lift{Lift::Kind::Repeat, rows} : Lift{};
    if (repeats) wanted.resize(1);
    return read(program_.op(id).operands[k], wanted);
  }

  ValueId make(const SegmentOp& segment, ValueId id, const Op& op) {
    const ValueId operand = op.operands[0];
    KeptSegments kept = keep_segments(segment, program_.op(operand).rows, rows_[id]);
    const SegmentOp restricted{std::move(kept.segments), segment.combination};
    return add(restricted, {read(operand, kept.members)}, op);
  }
  ValueId make(const TransformOp& transform, ValueId id, const Op& op) {
    return add(select_rows(transform, Index::list(rows_[id])), {read(id, 0)}, op);
  }
  ValueId make(const MapOp& map, ValueId id, const Op& op) {
    Operands operands;
    for (std::size_t k = 0; k < op.operands.size(); ++k) operands.push_back(read(id, k));
    return add(map, std::move(operands), op);
  }
  ValueId make(const OutputOp&, ValueId id, const Op& op) {
    Rows samples;
    for (const Sampled& s : samples_) {
      if (s.output == id) samples.push_back(s.sample);
    }
    return add(OutputOp{Index::compact(std::move(samples))}, {read(id, 0)}, op);
  }

  ValueId make(const UpdateOp& update, ValueId id, const Op& op) {
    VECC_CHECK(!update.rows && !has_value_index(op), "a forward Program updates whole parameters");
    return add(update, {*values_[op.operands[0]], read(id, 1)}, op);
  }

  template <class Other>
  ValueId make(const Other&, ValueId id, const Op& op) {
    fail_check("an op of a forward Program", __FILE__, __LINE__,
               "%" + std::to_string(id) + " " + std::string(text_of(op.kind())));
  }

  const Program& program_;
  ReachedRows rows_;
  std::vector<std::optional<ValueId>> values_;
  std::vector<Sampled> samples_;
  Program result_;
};

}  // namespace

std::vector<SampleRow> sample_rows(const Program& program) {
  std::vector<SampleRow> rows(program.sample_count());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const auto* output = std::get_if<OutputOp>(&program.op(id).attributes);
    if (output == nullptr) continue;
    for (std::uint32_t row = 0; row < output->samples.size(); ++row) {
      rows[output->samples[row]] = {id, row};
    }
  }
  return rows;
}

BatchProgram::BatchProgram(const Program& program)
    : program_(program), rows_(sample_rows(program)) {}

Program BatchProgram::restrict_to(std::span<const std::uint32_t> samples,
                                  RestrictUpdates updates) const {
  Restriction restriction(program_);
  for (std::uint32_t i = 0; i < samples.size(); ++i) {
    restriction.add_output(rows_[samples[i]], i);
  }
  if (updates == RestrictUpdates::Keep) restriction.add_updates();
  return std::move(restriction).run();
}

}  // namespace vecc
