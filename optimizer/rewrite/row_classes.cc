#include "optimizer/rewrite/row_classes.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "optimizer/rewrite/pair_table.h"
#include "optimizer/rewrite/tuple_table.h"
#include "src/program/members.h"
#include "src/program/select_rows.h"

namespace vecc::opt {
namespace {

constexpr std::uint32_t kNoClass = 0xFFFFFFFF;

}  // namespace

bool selects(Combination combination) {
  return combination == Combination::Max || combination == Combination::Min;
}

bool is_order_free(Combination combination, Shape member) {
  // In a segment, each member of softmax and sparsemax keeps its place.
  if (keeps_members(combination)) return true;
  switch (info(combination).order) {
    case CombinationOrder::Free: return true;
    case CombinationOrder::Ordered: return false;
    case CombinationOrder::FreeOnScalars: return member.is_scalar();
  }
  return false;
}

bool is_order_free(const Program& program, ValueId segment, DoubtfulValues& doubtful) {
  const Combination combination = std::get<SegmentOp>(program.op(segment).attributes).combination;
  const ValueId members = program.op(segment).operands[0];
  return is_order_free(combination, program.op(members).shape) &&
         !(selects(combination) && doubtful[members]);
}

class RowClasses::Builder {
 public:
  Builder(const Program& program, const SourceRows& sources, std::vector<std::uint32_t>& classes)
      : program_(program),
        sources_(sources),
        classes_(classes),
        doubtful_(program),
        parameter_(program.parameters().size(), kNoClass),
        first_(sources.size(), kNoClass) {}

  void classify(const FactOp& fact, ValueId id) {
    if (!fact.unit) return;
    for (std::uint32_t row = 0; row < fact.rows; ++row) {
      std::uint32_t& mine = classes_[sources_.of(id)[row]];
      if (unit_ == kNoClass) unit_ = mine;
      mine = unit_;
    }
  }

  void classify(const WeightOp& weight, ValueId id) {
    const SourceRows::View rows = sources_.of(id);
    if (program_.op(id).rows == 0) return;
    std::uint32_t& first = parameter_[weight.parameter];
    if (first == kNoClass) first = rows[0];
    for (std::uint32_t row = 0; row < program_.op(id).rows; ++row)
      classes_[rows[row]] = first + row;
  }

  void classify(const LinearOp& linear, ValueId id) {
    const Op& op = program_.op(id);
    const auto row_of = [&](std::size_t k, const Lift& lift, std::uint32_t i) {
      return of(op.operands[k])[unlifted_row(lift, program_.op(op.operands[k]).rows, i)];
    };
    if (!has_lifts(linear)) {
      // One weight for all rows is the usual case: no pairs to be looked up.
      for (const std::size_t k : {0, 1}) {
        if (is_one_class(op.operands[k])) return by_class(id, op.rows, of(op.operands[1 - k]));
      }
    }
    by_pair(
        id, op.rows, [&](std::uint32_t i) { return row_of(0, linear.lift_left, i); },
        [&](std::uint32_t i) { return row_of(1, linear.lift_right, i); });
  }

  void classify(const TransformOp& transform, ValueId id) {
    const Op& op = program_.op(id);
    const View operand = of(op.operands[0]);
    const std::size_t width = word_count(transform.transformation.id);
    if (width == 0 || transform.words->size() == width) {
      by_class(id, op.rows, operand);
      return;
    }
    by_tuple(id, op.rows, [&](std::uint32_t i, std::vector<std::uint32_t>& tuple) {
      tuple.push_back(operand[i]);
      const auto begin = transform.words->begin() + static_cast<std::ptrdiff_t>(i * width);
      tuple.insert(tuple.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    });
  }

  void classify(const MapOp&, ValueId id) {
    const Op& op = program_.op(id);
    by_tuple(id, op.rows, [&](std::uint32_t i, std::vector<std::uint32_t>& tuple) {
      for (const ValueId operand : op.operands) {
        tuple.push_back(of(operand)[program_.op(operand).rows == 1 ? 0 : i]);
      }
    });
  }

  void classify(const VjpOp& vjp, ValueId id) {
    if (!is_row_wise(program_, program_.op(id))) return;
    const auto* transform = std::get_if<TransformOp>(&vjp.of);
    const std::size_t width = transform ? word_count(transform->transformation.id) : 0;
    if (width > 0 && transform->words->size() != width) return;
    classify(MapOp(), id);
  }

  void classify(const SegmentOp& segment, ValueId id) {
    const ValueId operand = program_.op(id).operands[0];
    const std::uint32_t rows = program_.op(operand).rows;
    const std::uint32_t segments = segment.segments.count(rows);
    const bool sorted = is_order_free(program_, id, doubtful_);
    const View member = of(operand);
    const auto members = [&](std::uint32_t s, std::vector<std::uint32_t>& tuple) {
      const auto begin = static_cast<std::ptrdiff_t>(tuple.size());
      for_each_member(segment.segments, rows, s,
                      [&](std::uint32_t row) { tuple.push_back(member[row]); });
      if (sorted) std::sort(tuple.begin() + begin, tuple.end());
    };
    const std::vector<std::uint32_t> candidates = may_be_equal(segment.segments, operand);
    std::vector<std::uint32_t> same(segments);  // the first segment with equal members
    std::iota(same.begin(), same.end(), 0u);
    TupleTable tuples;
    std::vector<std::uint32_t> first;  // by tuple
    tuples.number_all(
        static_cast<std::uint32_t>(candidates.size()),
        [&](std::uint32_t k, std::vector<std::uint32_t>& tuple) { members(candidates[k], tuple); },
        [&](std::uint32_t k, std::uint32_t number) {
          if (number == first.size()) first.push_back(candidates[k]);
          same[candidates[k]] = first[number];
        });
    if (!keeps_members(segment.combination)) {
      const SourceRows::View mine = sources_.of(id);
      for (std::uint32_t s = 0; s < segments; ++s) classes_[mine[s]] = mine[same[s]];
      return;
    }
    // A row is its segment's members and which of them it is.
    std::vector<std::uint32_t> owner(rows);
    for (std::uint32_t s = 0; s < segments; ++s) {
      for_each_member(segment.segments, rows, s, [&](std::uint32_t row) { owner[row] = same[s]; });
    }
    by_pair(
        id, rows, [&](std::uint32_t i) { return owner[i]; },
        [&](std::uint32_t i) { return member[i]; });
  }

  // Read through by SourceRows, or equal to no other row.
  void classify(const ConcatOp&, ValueId) {}
  void classify(const GatherOp&, ValueId) {}
  void classify(const ContractOp&, ValueId) {}
  void classify(const StateOp&, ValueId) {}
  void classify(const UpdateOp&, ValueId) {}
  void classify(const OutputOp&, ValueId) {}

 private:
  [[nodiscard]] View of(ValueId value) const { return {sources_.of(value), classes_}; }

  [[nodiscard]] bool is_one_class(ValueId value) const {
    const View classes = of(value);
    for (std::uint32_t i = 1; i < program_.op(value).rows; ++i) {
      if (classes[i] != classes[0]) return false;
    }
    return true;
  }

  // Row i is equal to the first row with its operand's class.
  void by_class(ValueId id, std::uint32_t rows, const View& operand) {
    const SourceRows::View mine = sources_.of(id);
    for (std::uint32_t i = 0; i < rows; ++i) {
      std::uint32_t& first = first_[operand[i]];
      if (first == kNoClass) first = mine[i];
      classes_[mine[i]] = first;
    }
    for (std::uint32_t i = 0; i < rows; ++i) first_[operand[i]] = kNoClass;
  }

  // Row i is equal to the first row with the pair (left(i), right(i)).
  template <class Left, class Right>
  void by_pair(ValueId id, std::uint32_t rows, Left&& left, Right&& right) {
    const SourceRows::View mine = sources_.of(id);
    PairTable pairs;
    std::vector<std::uint32_t> first;  // by pair
    pairs.number_all(rows, left, right, [&](std::uint32_t i, std::uint32_t number) {
      if (number == first.size()) first.push_back(mine[i]);
      classes_[mine[i]] = first[number];
    });
  }

  // Row i is equal to the first row with the tuple that `fill(i, tuple)` appends.
  template <class Fill>
  void by_tuple(ValueId id, std::uint32_t rows, Fill&& fill) {
    const SourceRows::View mine = sources_.of(id);
    TupleTable tuples;
    std::vector<std::uint32_t> first;  // by tuple
    tuples.number_all(rows, fill, [&](std::uint32_t i, std::uint32_t number) {
      if (number == first.size()) first.push_back(mine[i]);
      classes_[mine[i]] = first[number];
    });
  }

  // Segments but those with a member of which there is no other: these are equal to none. Usually
  // few are left to be sorted and compared.
  std::vector<std::uint32_t> may_be_equal(const Segments& segments, ValueId operand) {
    const View member = of(operand);
    const std::uint32_t rows = program_.op(operand).rows;
    if (occurs_.size() < classes_.size()) occurs_.resize(classes_.size());
    for (std::uint32_t i = 0; i < rows; ++i) {
      std::uint8_t& times = occurs_[member[i]];
      if (times < 2) ++times;
    }
    std::vector<std::uint32_t> result;
    for (std::uint32_t s = 0; s < segments.count(rows); ++s) {
      bool has_own = false;
      for_each_member(segments, rows, s,
                      [&](std::uint32_t row) { has_own |= occurs_[member[row]] == 1; });
      if (!has_own) result.push_back(s);
    }
    for (std::uint32_t i = 0; i < rows; ++i) occurs_[member[i]] = 0;
    return result;
  }

  const Program& program_;
  const SourceRows& sources_;
  std::vector<std::uint32_t>& classes_;
  DoubtfulValues doubtful_;
  std::uint32_t unit_ = kNoClass;         // of all units
  std::vector<std::uint32_t> parameter_;  // by parameter: the class of its first row
  std::vector<std::uint32_t> first_;      // by class; scratch of by_class, kNoClass between uses
  std::vector<std::uint8_t> occurs_;  // by class: how often, 2 for more; scratch, 0 between uses
};

RowClasses::RowClasses(const Program& program) : sources_(program), classes_(sources_.size()) {
  std::iota(classes_.begin(), classes_.end(), 0u);
  Builder builder(program, sources_, classes_);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    std::visit([&](const auto& op) { builder.classify(op, id); }, program.op(id).attributes);
  }
}

}  // namespace vecc::opt
