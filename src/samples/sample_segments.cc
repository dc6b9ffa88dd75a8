// The aggregations of a Program get a weight for each of their members.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/member_counts.h"
#include "src/program/members.h"
#include "src/samples/segment_levels.h"
#include "vecc/escape.h"
#include "vecc/fanout.h"

namespace vecc {
namespace {

using Aggregation = SampledSegments::Aggregation;

struct SegmentSizes {
  std::uint32_t largest = 0;    // members of a segment
  std::uint64_t exceeding = 0;  // segments of more members than a limit
};

SegmentSizes sizes_of(const Segments& segments, std::uint32_t rows, std::uint32_t limit) {
  SegmentSizes sizes;
  for (std::uint32_t s = 0; s < segments.count(rows); ++s) {
    const std::uint32_t members = member_count(segments, s);
    sizes.largest = std::max(sizes.largest, members);
    if (members > limit) ++sizes.exceeding;
  }
  return sizes;
}

class SegmentSampling {
 public:
  SegmentSampling(const Program& program, const Fanout& fanout)
      : program_(program),
        fanout_(fanout),
        levels_(find_segment_levels(program)),
        number_of_(program.ops().size()) {}

  Result<SampledProgram> run() {
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const auto* segment = std::get_if<SegmentOp>(&program_.op(id).attributes);
      if (segment != nullptr && levels_.levels[id] > 0) consider(id, *segment);
    }
    if (!errors_.empty()) return errors_;
    SampledProgram sampled;
    sampled.members.fanout = fanout_;
    sampled.members.members = members_;
    sampled.members.aggregations = exceeding_;
    if (found_.aggregations.empty()) {
      sampled.program = program_;
      return sampled;
    }
    VECC_TRY_VOID(check_sizes());
    VECC_TRY_VOID(rewrite());
    sampled.program = found_.program;
    sampled.members.segments = std::make_shared<const SampledSegments>(std::move(found_));
    return sampled;
  }

 private:
  [[nodiscard]] std::uint32_t limit_of(ValueId id) const {
    const std::size_t level = std::min<std::size_t>(levels_.levels[id], fanout_.members.size());
    return fanout_.members[level - 1];
  }

  void consider(ValueId id, const SegmentOp& segment) {
    const bool is_sum = segment.combination == Combination::Sum;
    if (segment.combination == Combination::Count) return;
    if (is_sum && levels_.softmaxes[id]) return;  // has its members
    const std::uint32_t rows = program_.op(program_.op(id).operands[0]).rows;
    const std::uint32_t limit = limit_of(id);
    const SegmentSizes sizes = sizes_of(segment.segments, rows, limit);
    if (sizes.exceeding == 0) return;
    exceeding_ += sizes.exceeding;
    if (const std::string why = obstacle(id, segment); !why.empty()) {
      return refuse(id, sizes.largest, why);
    }
    number_of_[id] = found_.aggregations.size();
    found_.aggregations.push_back({id, *graph::counts_of(segment.combination),
                                   static_cast<std::uint32_t>(members_), limit,
                                   first_owner(id, segment.segments, rows)});
    members_ += rows;
  }

  // Why members may not be left out; empty: they may.
  [[nodiscard]] std::string obstacle(ValueId id, const SegmentOp& segment) const {
    if (std::string why = graph::why_not_sampled(segment.combination); !why.empty()) return why;
    if (levels_.softmaxes[id]) return graph::why_attention_is_not_sampled(segment.combination);
    if (segment.segments.is_fixed() && segment.segments.dimension() == 1) {
      return "whose members stand apart";
    }
    return {};
  }

  void refuse(ValueId id, std::uint32_t members, const std::string& why) {
    std::string name = "%" + std::to_string(id);
    const Op& op = program_.op(id);
    if (!op.note.empty()) name += " \"" + escape_terminal(op.note.text()) + '"';
    errors_.add(ErrorCode::Usage, "--fanout=" + text_of(fanout_),
                name + " is an aggregation of up to " + std::to_string(members) +
                    " members at level " + std::to_string(levels_.levels[id]) + ", " + why +
                    ": give that level all");
  }

  // Those of one level and equal segments are of the same lists.
  [[nodiscard]] std::uint32_t first_owner(ValueId id, const Segments& segments,
                                          std::uint32_t rows) {
    for (const Aggregation& other : found_.aggregations) {
      const auto& of = std::get<SegmentOp>(program_.op(other.op).attributes);
      if (levels_.levels[other.op] == levels_.levels[id] && of.segments == segments) {
        return other.first_owner;
      }
    }
    const std::uint64_t first = owners_;
    owners_ += segments.count(rows);
    return static_cast<std::uint32_t>(first);
  }

  [[nodiscard]] Result<void> check_sizes() const {
    const std::uint64_t most = std::max(members_, owners_);
    if (most <= kMaxRows) return {};
    return Errors(ErrorCode::LimitRows, "--fanout",
                  "members or segments would be " + std::to_string(most) + ", the limit is " +
                      std::to_string(kMaxRows));
  }

  Result<void> rewrite() {
    result_ = Program(program_.dtype());
    for (const Parameter& parameter : program_.parameters()) {
      VECC_TRY_VOID(result_.add_parameter(parameter));
    }
    const auto rows = static_cast<std::uint32_t>(members_);
    const SharedNumbers values = SharedNumbers::repeated(members_, 0);
    VECC_TRY(const ParameterIndex table,
             result_.add_parameter({std::string(kFanoutTable), rows, Shape::scalar(), values}));
    table_ = result_.weight(table);
    for (ValueId id = 0; id < program_.ops().size(); ++id) VECC_TRY_VOID(add(id));
    result_.set_sample_count(program_.sample_count());
    found_.program = std::move(result_);
    return {};
  }

  Result<void> add(ValueId id) {
    const Op& op = program_.op(id);
    Operands operands;
    for (const ValueId operand : op.operands) operands.push_back(values_[operand]);
    OpAttributes attributes = op.attributes;
    const std::optional<std::size_t> number = number_of(id);
    if (number) {
      auto& segment = std::get<SegmentOp>(attributes);
      operands[0] =
          with_weights(operands[0], found_.aggregations[*number], segment.combination, op.note);
      if (segment.combination == Combination::Avg) segment.combination = Combination::Sum;
    }
    VECC_TRY(const ValueId value, result_.add(std::move(attributes), std::move(operands), op.note));
    values_.push_back(value);
    if (!number) return {};
    if (number_of_[id]) {
      found_.aggregations[*number].op = value;
    } else {
      found_.followers.emplace_back(value, static_cast<std::uint32_t>(*number));
    }
    return {};
  }

  // Of the aggregation whose members an op has: its own, or its softmax's.
  [[nodiscard]] std::optional<std::size_t> number_of(ValueId id) const {
    if (number_of_[id]) return number_of_[id];
    const auto* segment = std::get_if<SegmentOp>(&program_.op(id).attributes);
    const bool may_follow = segment != nullptr && segment->combination == Combination::Sum;
    const std::optional<ValueId> softmax = levels_.softmaxes[id];
    return may_follow && softmax ? number_of_[*softmax] : std::nullopt;
  }

  // Members times their weights; what selects among them reads x + log(weight).
  ValueId with_weights(ValueId members, const Aggregation& of, Combination combination,
                       const Note& note) {
    const std::uint32_t rows = result_.op(members).rows;
    const ValueId weights = result_.gather(table_, Index::slice(of.first_row, rows), note);
    if (combination == Combination::Sum || combination == Combination::Avg) {
      return result_.linear(weights, members, {}, note);
    }
    const bool from_above = combination == Combination::Min || combination == Combination::ElMin;
    auto mask =
        parse_expr(from_above ? "sum($1, elproduct(-1, log($0)))" : "sum($1, log($0))", "--fanout");
    VECC_CHECK(mask.has_value(), "the mask of members");
    const ValueId operands[] = {weights, members};
    return result_.map(std::move(*mask), operands, note);
  }

  const Program& program_;
  const Fanout& fanout_;
  const SegmentLevels levels_;
  std::vector<std::optional<std::size_t>> number_of_;  // by op, in found_.aggregations
  SampledSegments found_;
  std::uint64_t members_ = 0;    // rows of the table
  std::uint64_t owners_ = 0;     // segments that draw, each list once
  std::uint64_t exceeding_ = 0;  // segments of more members than their level's number
  Errors errors_;
  Program result_;
  ValueId table_ = 0;
  std::vector<ValueId> values_;  // by op of program_
};

}  // namespace

Result<SampledProgram> sample_members(const Program& program, const Fanout& fanout) {
  VECC_CHECK(!fanout.members.empty(), "a fan-out without numbers");
  return SegmentSampling(program, fanout).run();
}

}  // namespace vecc
