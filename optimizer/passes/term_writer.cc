#include "optimizer/passes/term_writer.h"

#include <algorithm>

#include "src/program/members.h"

namespace vecc::opt {

const SegmentOp* as_sum(const Op& op) {
  const auto* segment = std::get_if<SegmentOp>(&op.attributes);
  const bool adds = segment != nullptr && (segment->combination == Combination::Sum ||
                                           segment->combination == Combination::Avg);
  return adds ? segment : nullptr;
}

TermKinds::TermKinds(const Program& program, const SourceRows& sources,
                     const std::vector<bool>& constant)
    : program_(program),
      sources_(sources),
      factors_(program, sources, constant),
      values_(program.ops().size()) {
  for (ValueId id = 0; id < values_.size(); ++id) classify(id, constant[id]);
}

void TermKinds::classify(ValueId id, bool constant) {
  const Op& op = program_.op(id);
  Value& value = values_[id];
  if (constant) return;
  if (op.kind() == OpKind::Gather || op.kind() == OpKind::Concat) {
    for (const ValueId operand : op.operands) {
      value.has_terms = value.has_terms || values_[operand].has_terms;
      value.has_terms_in_reach = value.has_terms_in_reach || values_[operand].has_terms_in_reach;
    }
  } else if (as_sum(op) != nullptr) {
    value.kind = Kind::Sum;
    value.has_terms = value.has_terms_in_reach = true;
  } else if (const auto* linear = std::get_if<LinearOp>(&op.attributes)) {
    classify_linear(op, *linear, value);
  }
}

void TermKinds::classify_linear(const Op& op, const LinearOp& linear, Value& value) const {
  for (const std::uint8_t side : {1, 0}) {
    const bool transposes = side == 0 ? linear.transpose_left : linear.transpose_right;
    if (!factors_.has(op.operands[1 - side]) || (transposes && !op.shape.is_scalar())) continue;
    value.kind = Kind::Scaled;
    value.scaled_side = side;
    value.has_terms = value.has_terms_in_reach = true;
    return;
  }
  if (values_[op.operands[0]].has_terms || values_[op.operands[1]].has_terms) {
    value.kind = Kind::Product;
    value.has_terms_in_reach = true;
  }
}

TermWriter::TermWriter(const TermKinds& kinds)
    : kinds_(kinds),
      program_(kinds.program()),
      sources_(kinds.sources()),
      flags_(kinds.program().ops().size()) {}

void TermWriter::forget_met() {
  for (const ValueId value : met_) flags_[value] = 0;
  met_.clear();
  leaves_products_ = false;
}

void TermWriter::start(std::uint64_t steps) {
  steps_left_ = steps;
  terms_.clear();
  ends_.clear();
  linears_.clear();
  tables_.clear();
  pairs_.clear();
}

void TermWriter::write(ValueId root, std::uint32_t row, bool through_products) {
  write_sum({root, row}, 1, through_products, 0);
  ends_.push_back(terms_.size());
}

void TermWriter::write_row(std::uint32_t number, double factor, bool products,
                           std::uint32_t depth) {
  if (steps_left_ == 0) return;
  --steps_left_;
  const SourceRows::Source at = sources_.source(number);
  const TermKinds::Kind kind = kinds_.of(at.value).kind;
  const bool stays = depth > kDeepestTerm || kind == TermKinds::Kind::Other ||
                     (kind == TermKinds::Kind::Product && !products);
  if (stays) {
    meet(at.value, kLeft);
    leaves_products_ = leaves_products_ || kind == TermKinds::Kind::Product;
    terms_.push_back({0, number, factor});
    return;
  }
  meet(at.value, kOpened);
  switch (kind) {
    case TermKinds::Kind::Sum: return write_sum(at, factor, products, depth);
    case TermKinds::Kind::Scaled: return write_scaled(at, factor, products, depth);
    case TermKinds::Kind::Product: return write_product(at, factor, depth);
    case TermKinds::Kind::Other: return;
  }
}

void TermWriter::write_sum(SourceRows::Source at, double factor, bool products,
                           std::uint32_t depth) {
  const SegmentOp& sum = *as_sum(program_.op(at.value));
  const ValueId operand = program_.op(at.value).operands[0];
  const SourceRows::View members = sources_.of(operand);
  if (sum.combination == Combination::Avg) {
    factor /= std::max(member_count(sum.segments, at.row), 1u);
  }
  for_each_member(sum.segments, program_.op(operand).rows, at.row, [&](std::uint32_t member) {
    write_row(members[member], factor, products, depth + 1);
  });
}

void TermWriter::write_scaled(SourceRows::Source at, double factor, bool products,
                              std::uint32_t depth) {
  const Op& op = program_.op(at.value);
  const std::size_t own = kinds_.of(at.value).scaled_side;
  const std::uint32_t scale = side_row(op, 1 - own, at.row);
  write_row(side_row(op, own, at.row), factor * kinds_.factor_of(scale), products, depth + 1);
}

// The products of all terms of one side with all of the other.
void TermWriter::write_product(SourceRows::Source at, double factor, std::uint32_t depth) {
  const Op& op = program_.op(at.value);
  const auto side = [&](std::size_t k) {
    return terms_of_side(op, k, side_row(op, k, at.row), depth);
  };
  const FewTerms lefts = side(0);
  const FewTerms rights = side(1);
  steps_left_ -= std::min<std::uint64_t>(steps_left_, lefts.size() * rights.size());
  if (steps_left_ == 0 || lefts.empty() || rights.empty()) return;  // no table of no products
  const std::uint32_t table = table_of(at.value);
  Pairs& pairs = pairs_[table - 1];
  for (const Term& left : lefts) {
    for (const Term& right : rights) {
      const auto place = static_cast<std::uint32_t>(pairs.size());
      terms_.push_back({table, place, factor * left.factor * right.factor});
      pairs.emplace_back(left.row, right.row);
    }
  }
}

// The terms of a row, through no product.
TermWriter::FewTerms TermWriter::terms_of_side(const Op& op, std::size_t side, std::uint32_t number,
                                               std::uint32_t depth) {
  if (!kinds_.of(op.operands[side]).has_terms) return {Term{0, number, 1}};
  const std::size_t begin = terms_.size();
  write_row(number, 1, false, depth + 1);
  const auto first = terms_.begin() + static_cast<std::ptrdiff_t>(begin);
  FewTerms terms(first, terms_.end());
  terms_.erase(first, terms_.end());
  return terms;
}

// The source row that a side of a linear has at `row`.
std::uint32_t TermWriter::side_row(const Op& op, std::size_t side, std::uint32_t row) const {
  const auto& linear = std::get<LinearOp>(op.attributes);
  const Lift& lift = side == 0 ? linear.lift_left : linear.lift_right;
  const ValueId operand = op.operands[side];
  return sources_.of(operand)[unlifted_row(lift, program_.op(operand).rows, row)];
}

std::uint32_t TermWriter::table_of(ValueId linear) {
  const auto next = static_cast<std::uint32_t>(linears_.size() + 1);
  const auto [place, is_new] = tables_.try_emplace(linear, next);
  if (is_new) {
    linears_.push_back(linear);
    pairs_.emplace_back();
  }
  return place->second;
}

}  // namespace vecc::opt
