#include "src/samples/sample_parts.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

#include "src/program/members.h"
#include "src/program/select_rows.h"
#include "src/samples/operand_rows.h"
#include "src/samples/reached_rows.h"
#include "vecc/batch_program.h"

namespace vecc {
namespace {

using Rows = std::vector<std::uint32_t>;

std::uint64_t elements_of(const Program& program, const ReachedRows& reached) {
  std::uint64_t elements = 0;
  for (ValueId id = 0; id < reached.size(); ++id) {
    const OpKind kind = program.op(id).kind();
    if (kind == OpKind::Fact || kind == OpKind::Gather || kind == OpKind::Output) continue;
    elements += reached[id].size() * program.op(id).shape.size();
  }
  return elements;
}

// By sample, the numbers that it needs. None where they are too many: each part has one of the
// heaviest samples (deal_samples), so that these are what is computed at least.
std::optional<std::vector<std::uint64_t>> weigh_samples(const Program& program,
                                                        const std::vector<SampleRow>& rows,
                                                        std::uint32_t most_parts,
                                                        std::uint64_t most_elements) {
  std::vector<std::uint64_t> weights;
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> heaviest;
  std::uint64_t least = 0;  // their sum
  ReachedRows reached(program.ops().size());
  for (const SampleRow& sample : rows) {
    reached[sample.output].push_back(sample.row);
    reach_rows(program, reached);
    weights.push_back(elements_of(program, reached));
    for (Rows& of_value : reached) of_value.clear();
    heaviest.push(weights.back());
    least += weights.back();
    if (heaviest.size() > most_parts) {
      least -= heaviest.top();
      heaviest.pop();
    }
    if (least > most_elements) return std::nullopt;
  }
  return weights;
}

// The samples of each part: the heaviest first, each to the part that has least.
std::vector<Rows> deal_samples(const std::vector<std::uint64_t>& weights,
                               std::uint32_t most_parts) {
  Rows order(weights.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::uint32_t s) { return weights[s]; });
  std::vector<Rows> parts(std::min<std::size_t>(most_parts, weights.size()));
  using Load = std::pair<std::uint64_t, std::size_t>;  // of a part
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t part = 0; part < parts.size(); ++part) loads.emplace(0, part);
  for (const std::uint32_t sample : order) {
    const auto [load, part] = loads.top();
    loads.pop();
    parts[part].push_back(sample);
    loads.emplace(load + weights[sample] + 1, part);
  }
  for (Rows& part : parts) std::ranges::sort(part);
  return parts;
}

class PartsBuilder {
 public:
  PartsBuilder(const Program& program, std::vector<ReachedRows> reached)
      : program_(program), reached_(std::move(reached)), made_(program.ops().size()) {
    result_.program = Program(program.dtype());
    result_.parts = static_cast<std::uint32_t>(reached_.size());
  }

  SampleParts run() && {
    result_.program.set_sample_count(program_.sample_count());
    for (const Parameter& parameter : program_.parameters()) {
      VECC_CHECK(result_.program.add_parameter(parameter).has_value(), "parameters of a Program");
    }
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      if (row_count(id) > 0) build(id);
      result_.origin.resize(result_.program.ops().size(), id);
    }
    return std::move(result_);
  }

 private:
  // What was made of a value, and where the rows that a part has of it stand there.
  struct Made {
    ValueId value = 0;
    std::vector<Rows> places;  // by part, as its reached rows; empty: each row at its own number
  };

  [[nodiscard]] std::size_t part_count() const { return reached_.size(); }
  [[nodiscard]] const Rows& rows(std::size_t part, ValueId id) const { return reached_[part][id]; }
  [[nodiscard]] std::size_t row_count(ValueId id) const {
    std::size_t count = 0;
    for (std::size_t p = 0; p < part_count(); ++p) count += rows(p, id).size();
    return count;
  }
  // The rows of all parts, one part after another.
  [[nodiscard]] Rows all_rows(ValueId id) const {
    Rows all;
    for (std::size_t p = 0; p < part_count(); ++p) {
      all.insert(all.end(), rows(p, id).begin(), rows(p, id).end());
    }
    return all;
  }

  void place_part_by_part(ValueId id) {
    std::uint32_t next = 0;
    for (std::size_t p = 0; p < part_count(); ++p) {
      Rows& places = made_[id].places.emplace_back(rows(p, id).size());
      std::iota(places.begin(), places.end(), next);
      next += static_cast<std::uint32_t>(places.size());
    }
  }

  // Adds where rows `wanted` of a value stand for a part.
  void append_places(ValueId id, std::size_t part, const Rows& wanted, Rows& to) const {
    if (made_[id].places.empty()) {
      to.insert(to.end(), wanted.begin(), wanted.end());
      return;
    }
    const Rows& of_part = rows(part, id);
    for (const std::uint32_t row : wanted) {
      const auto found = std::ranges::lower_bound(of_part, row) - of_part.begin();
      to.push_back(made_[id].places[part][static_cast<std::size_t>(found)]);
    }
  }

  ValueId gather(ValueId id, Rows places) {
    return result_.program.gather(made_[id].value, Index::compact(std::move(places)));
  }

  // Operand k of an op, row by row as the parts' rows of the op read it.
  ValueId read(ValueId id, std::size_t k) {
    const ValueId operand = program_.op(id).operands[k];
    Rows places;
    for (std::size_t p = 0; p < part_count(); ++p) {
      Rows wanted = operand_rows(program_, id, k, rows(p, id));
      if (program_.op(id).kind() == OpKind::Map) wanted.resize(rows(p, id).size(), 0);  // one row
      append_places(operand, p, wanted, places);
    }
    return gather(operand, std::move(places));
  }

  void build(ValueId id) {
    const Op& op = program_.op(id);
    // Facts are read where they are: nobody computes them, and no gradient goes to them.
    if (op.kind() == OpKind::Fact) {
      made_[id].value = add(op.attributes, {}, op);
      return;
    }
    made_[id].value =
        std::visit([&](const auto& attributes) { return make(attributes, id, op); }, op.attributes);
    if (made_[id].places.empty()) place_part_by_part(id);
  }

  ValueId add(OpAttributes attributes, Operands operands, const Op& old) {
    Result<ValueId> value =
        result_.program.add(std::move(attributes), std::move(operands), old.note);
    VECC_CHECK(value.has_value(), "rows of an op that is well formed");
    return *value;
  }

  ValueId make(const WeightOp& weight, ValueId id, const Op& op) {
    const ValueId whole = add(weight, {}, op);
    return result_.program.gather(whole, Index::compact(all_rows(id)), op.note);
  }
  ValueId make(const GatherOp&, ValueId id, const Op&) { return read(id, 0); }

  // Operand by operand, in each part by part.
  ValueId make(const ConcatOp&, ValueId id, const Op& op) {
    std::vector<ValueId> operands;
    std::vector<Rows> places(part_count());
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      Rows wanted;
      for (std::size_t p = 0; p < part_count(); ++p) {
        const Rows of_part = operand_rows(program_, id, k, rows(p, id));
        append_places(op.operands[k], p, of_part, wanted);
        for (std::size_t i = 0; i < of_part.size(); ++i) places[p].push_back(next++);
      }
      if (!wanted.empty()) operands.push_back(gather(op.operands[k], std::move(wanted)));
    }
    made_[id].places = std::move(places);
    return result_.program.concat(operands, op.note);
  }

  ValueId make(const LinearOp& linear, ValueId id, const Op& op) {
    LinearOp without_lifts = linear;
    without_lifts.lift_left = without_lifts.lift_right = Lift{};
    const ValueId left = read(id, 0);
    return add(without_lifts, {left, read(id, 1)}, op);
  }

  // One segment after another, whichever dimension they were over.
  ValueId make(const SegmentOp& segment, ValueId id, const Op& op) {
    const ValueId operand = op.operands[0];
    const std::uint32_t members = program_.op(operand).rows;
    const bool keeps = keeps_members(segment.combination);
    Rows places;
    Rows lengths;
    std::vector<Rows> own(keeps ? part_count() : 0);
    std::uint32_t next = 0;
    for (std::size_t p = 0; p < part_count(); ++p) {
      Rows segments = rows(p, id);
      if (keeps) {
        segments = *whole_segments(segment.segments, members, rows(p, id));
        own[p].resize(rows(p, id).size());
      }
      Rows wanted;
      for (const std::uint32_t s : segments) {
        lengths.push_back(member_count(segment.segments, s));
        for_each_member(segment.segments, members, s, [&](std::uint32_t row) {
          wanted.push_back(row);
          if (!keeps) return;
          const auto found = std::ranges::lower_bound(rows(p, id), row) - rows(p, id).begin();
          own[p][static_cast<std::size_t>(found)] = next++;
        });
      }
      append_places(operand, p, wanted, places);
    }
    made_[id].places = std::move(own);
    const ValueId read = places.empty() ? result_.program.fact({}, 0, program_.op(operand).shape)
                                        : gather(operand, std::move(places));
    return add(SegmentOp{segments_of_lengths(lengths), segment.combination}, {read}, op);
  }

  ValueId make(const TransformOp& transform, ValueId id, const Op& op) {
    return add(select_rows(transform, Index::list(all_rows(id))), {read(id, 0)}, op);
  }
  ValueId make(const MapOp& map, ValueId id, const Op& op) {
    Operands operands;
    for (std::size_t k = 0; k < op.operands.size(); ++k) operands.push_back(read(id, k));
    return add(map, std::move(operands), op);
  }
  ValueId make(const OutputOp& output, ValueId id, const Op& op) {
    Rows samples = all_rows(id);
    for (std::uint32_t& row : samples) row = output.samples[row];
    return add(OutputOp{Index::compact(std::move(samples))}, {read(id, 0)}, op);
  }

  template <class Other>
  ValueId make(const Other&, ValueId, const Op& op) {
    fail_check("an op of a forward Program", __FILE__, __LINE__, op.note);
  }

  const Program& program_;
  std::vector<ReachedRows> reached_;  // by part
  std::vector<Made> made_;            // by value
  SampleParts result_;
};

}  // namespace

std::optional<SampleParts> split_by_samples(const Program& program, std::uint32_t most_parts,
                                            std::uint64_t most_elements) {
  if (program.sample_count() < 2 || most_parts < 2) return std::nullopt;
  const std::vector<SampleRow> samples = sample_rows(program);
  const auto weights = weigh_samples(program, samples, most_parts, most_elements);
  if (!weights) return std::nullopt;
  std::vector<ReachedRows> reached;
  std::uint64_t elements = 0;
  for (const Rows& part : deal_samples(*weights, most_parts)) {
    ReachedRows& of_part = reached.emplace_back(program.ops().size());
    for (const std::uint32_t s : part) of_part[samples[s].output].push_back(samples[s].row);
    reach_rows(program, of_part);
    elements += elements_of(program, of_part);
    if (elements > most_elements) return std::nullopt;
  }
  return PartsBuilder(program, std::move(reached)).run();
}

}  // namespace vecc
