#include "optimizer/passes/sum_terms.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <utility>

#include "src/program/members.h"

namespace vecc::opt {
namespace {

// What stands deeper is a term as it is: a chain of sums may be as long as a recursion.
constexpr std::uint32_t kDeepest = 64;
constexpr std::uint64_t kStepsPerMember = 16;
// Terms whose products are numbered at once: their places in a table are fetched ahead.
constexpr std::size_t kBatch = 1 << 14;
// The work of a term with a factor, in terms without.
constexpr double kFactorWork = 1.75;

const SegmentOp* as_sum(const Op& op) {
  const auto* segment = std::get_if<SegmentOp>(&op.attributes);
  const bool adds = segment != nullptr && (segment->combination == Combination::Sum ||
                                           segment->combination == Combination::Avg);
  return adds ? segment : nullptr;
}

std::uint64_t place_of(const Term& term) {
  return std::uint64_t{term.table} << 32 | term.row;
}

// Equal places stay in order. Most rows have few terms, for which no memory is asked for.
void sort_by_place(std::span<Term> terms) {
  constexpr std::size_t kFew = 32;
  if (terms.size() > kFew) {
    std::ranges::stable_sort(terms, {}, place_of);
    return;
  }
  for (auto next = terms.begin(); next != terms.end(); ++next) {
    const auto later = std::ranges::upper_bound(terms.begin(), next, place_of(*next), {}, place_of);
    std::rotate(later, next, next + 1);
  }
}

// The source row that side `k` of a linear has at `row`.
std::uint32_t side_row(const Program& program, const SourceRows& sources, const Op& op,
                       std::size_t k, std::uint32_t row) {
  const auto& linear = std::get<LinearOp>(op.attributes);
  const Lift& lift = k == 0 ? linear.lift_left : linear.lift_right;
  const ValueId operand = op.operands[k];
  return sources.of(operand)[unlifted_row(lift, program.op(operand).rows, row)];
}

}  // namespace

SumTerms::SumTerms(const Program& program, const SourceRows& sources,
                   const std::vector<bool>& constant)
    : program_(program), sources_(sources), states_(program.ops().size()) {
  for (ValueId id = 0; id < states_.size(); ++id) classify(id, constant[id]);
}

void SumTerms::classify(ValueId id, bool constant) {
  const Op& op = program_.op(id);
  State& state = states_[id];
  if (constant) return;
  if (op.kind() == OpKind::Gather || op.kind() == OpKind::Concat) {
    for (const ValueId operand : op.operands) {
      state.has_terms = state.has_terms || states_[operand].has_terms;
      state.has_terms_in_reach = state.has_terms_in_reach || states_[operand].has_terms_in_reach;
    }
  } else if (as_sum(op) != nullptr) {
    state.kind = Kind::Sum;
    state.has_terms = state.has_terms_in_reach = true;
  } else if (const auto* linear = std::get_if<LinearOp>(&op.attributes)) {
    classify_linear(op, *linear, state);
  }
}

void SumTerms::classify_linear(const Op& op, const LinearOp& linear, State& state) const {
  for (const std::uint8_t side : {1, 0}) {
    const bool transposes = side == 0 ? linear.transpose_left : linear.transpose_right;
    if (!is_factors(op.operands[1 - side]) || (transposes && !op.shape.is_scalar())) continue;
    state.kind = Kind::Scaled;
    state.scaled_side = side;
    state.has_terms = state.has_terms_in_reach = true;
    return;
  }
  if (states_[op.operands[0]].has_terms || states_[op.operands[1]].has_terms) {
    state.kind = Kind::Product;
    state.has_terms_in_reach = true;
  }
}

// Whether all rows are constant scalars of facts.
bool SumTerms::is_factors(ValueId value) const {
  const Op& op = program_.op(value);
  if (!op.shape.is_scalar()) return false;
  if (op.kind() == OpKind::Fact) return true;
  return (op.kind() == OpKind::Gather || op.kind() == OpKind::Concat) &&
         std::ranges::all_of(op.operands, [&](ValueId operand) { return is_factors(operand); });
}

double SumTerms::factor_of(std::uint32_t number) const {
  const auto [value, row] = sources_.source(number);
  const auto& fact = std::get<FactOp>(program_.op(value).attributes);
  return fact.unit ? 1 : (*fact.values)[row];
}

bool SumTerms::is_nested(ValueId root, bool through_products) const {
  const State& members = states_[program_.op(root).operands[0]];
  return states_[root].kind == Kind::Sum &&
         (through_products ? members.has_terms_in_reach : members.has_terms);
}

std::optional<TermRows> SumTerms::write_out(ValueId root, std::span<const ValueId> reached,
                                            bool through_products,
                                            const std::function<bool(const TermRows&)>& pays) {
  forget_last_root();
  steps_left_ = most_steps(root, reached);
  const std::uint32_t rows = program_.op(root).rows;
  for (std::uint32_t row = 0; row < rows && steps_left_ > 0; ++row) {
    write_sum({root, row}, 1, through_products, 0);
    batch_ends_.push_back(batch_.size());
    if (batch_.size() < kBatch) continue;
    merge_batch();
    if (!pays(found_)) return {};
  }
  if (steps_left_ == 0) return {};
  merge_batch();
  if (!found_.has_factors) {
    if (static_cast<double>(written_) < kFactorWork * static_cast<double>(found_.terms.size())) {
      repeat_terms();
    }
    found_.has_factors =
        std::ranges::any_of(found_.terms, [](const Term& term) { return term.factor != 1; });
  }
  std::ranges::sort(met_, std::ranges::greater());
  for (const ValueId id : met_) {
    if (!states_[id].left_as_it_is) found_.opened.push_back(id);
  }
  return std::move(found_);
}

void SumTerms::forget_last_root() {
  for (const ValueId id : met_) states_[id].opened = states_[id].left_as_it_is = false;
  met_.clear();
  found_ = {};
  tables_.clear();
  numbers_.clear();
  batch_.clear();
  batch_ends_.clear();
  batch_pairs_.clear();
  written_ = 0;
}

// Level by level, as deep as rows are written out.
std::vector<ValueId> SumTerms::reach(ValueId root) const {
  std::vector<ValueId> reached;
  boost::unordered_flat_set<ValueId> seen;
  std::vector<ValueId> level{root};
  for (std::uint32_t depth = 0; depth <= kDeepest && !level.empty(); ++depth) {
    std::vector<ValueId> below;
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (!seen.insert(level[i]).second) continue;
      const Op& op = program_.op(level[i]);
      const bool only_moves = op.kind() == OpKind::Gather || op.kind() == OpKind::Concat;
      const bool goes_on = op.kind() == OpKind::Segment || op.kind() == OpKind::Linear;
      if (goes_on && level[i] != root) reached.push_back(level[i]);
      if (only_moves) level.insert(level.end(), op.operands.begin(), op.operands.end());
      if (goes_on) below.insert(below.end(), op.operands.begin(), op.operands.end());
    }
    level = std::move(below);
  }
  return reached;
}

std::uint64_t SumTerms::most_steps(ValueId root, std::span<const ValueId> reached) const {
  const auto members_of = [&](ValueId id) -> std::uint64_t {
    const Op& op = program_.op(id);
    return op.kind() == OpKind::Segment ? program_.op(op.operands[0]).rows : 0;
  };
  std::uint64_t members = members_of(root);
  for (const ValueId id : reached) members += members_of(id);
  return kStepsPerMember * members;
}

void SumTerms::write_row(std::uint32_t number, double factor, bool products, std::uint32_t depth) {
  if (steps_left_ == 0) return;
  --steps_left_;
  const SourceRows::Source at = sources_.source(number);
  State& state = states_[at.value];
  const bool stays =
      depth > kDeepest || state.kind == Kind::Other || (state.kind == Kind::Product && !products);
  if (!state.opened && !state.left_as_it_is) met_.push_back(at.value);
  if (stays) {
    state.left_as_it_is = true;
    found_.leaves_products = found_.leaves_products || state.kind == Kind::Product;
    batch_.push_back({0, number, factor});
    return;
  }
  state.opened = true;
  switch (state.kind) {
    case Kind::Sum: return write_sum(at, factor, products, depth);
    case Kind::Scaled: return write_scaled(at, factor, products, depth);
    case Kind::Product: return write_product(at, factor, depth);
    case Kind::Other: return;
  }
}

void SumTerms::write_sum(SourceRows::Source at, double factor, bool products, std::uint32_t depth) {
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

void SumTerms::write_scaled(SourceRows::Source at, double factor, bool products,
                            std::uint32_t depth) {
  const Op& op = program_.op(at.value);
  const std::size_t own = states_[at.value].scaled_side;
  const std::uint32_t scale = side_row(program_, sources_, op, 1 - own, at.row);
  write_row(side_row(program_, sources_, op, own, at.row), factor * factor_of(scale), products,
            depth + 1);
}

// The products of all terms of one side with all of the other.
void SumTerms::write_product(SourceRows::Source at, double factor, std::uint32_t depth) {
  const Op& op = program_.op(at.value);
  const auto side = [&](std::size_t k) {
    return terms_of_side(op, k, side_row(program_, sources_, op, k, at.row), depth);
  };
  const FewTerms lefts = side(0);
  const FewTerms rights = side(1);
  steps_left_ -= std::min<std::uint64_t>(steps_left_, lefts.size() * rights.size());
  if (steps_left_ == 0 || lefts.empty() || rights.empty()) return;  // no table of no products
  const std::uint32_t table = table_of(at.value);
  Pairs& pairs = batch_pairs_[table - 1];
  for (const Term& left : lefts) {
    for (const Term& right : rights) {
      const auto place = static_cast<std::uint32_t>(pairs.size());
      batch_.push_back({table, place, factor * left.factor * right.factor});
      pairs.emplace_back(left.row, right.row);
    }
  }
}

// The terms of a row, through no product.
SumTerms::FewTerms SumTerms::terms_of_side(const Op& op, std::size_t side, std::uint32_t number,
                                           std::uint32_t depth) {
  if (!states_[op.operands[side]].has_terms) return {Term{0, number, 1}};
  const std::size_t begin = batch_.size();
  write_row(number, 1, false, depth + 1);
  const auto first = batch_.begin() + static_cast<std::ptrdiff_t>(begin);
  FewTerms terms(first, batch_.end());
  batch_.erase(first, batch_.end());
  return terms;
}

std::uint32_t SumTerms::table_of(ValueId linear) {
  const auto next = static_cast<std::uint32_t>(found_.products.size() + 1);
  const auto [place, is_new] = tables_.try_emplace(linear, next);
  if (is_new) {
    found_.products.push_back({linear, {}, {}});
    numbers_.emplace_back();
    batch_pairs_.emplace_back();
  }
  return place->second;
}

void SumTerms::merge_batch() {
  number_products();
  std::size_t begin = 0;
  for (const std::size_t end : batch_ends_) {
    merge_terms(std::span(batch_).subspan(begin, end - begin));
    begin = end;
  }
  batch_.clear();
  batch_ends_.clear();
}

void SumTerms::number_products() {
  std::vector<std::vector<std::uint32_t>> numbers(batch_pairs_.size());
  for (std::size_t t = 0; t < numbers.size(); ++t) {
    Pairs& pairs = batch_pairs_[t];
    ProductTable& made = found_.products[t];
    numbers[t].resize(pairs.size());
    numbers_[t].number_all(
        static_cast<std::uint32_t>(pairs.size()), [&](std::uint32_t i) { return pairs[i].first; },
        [&](std::uint32_t i) { return pairs[i].second; },
        [&](std::uint32_t i, std::uint32_t number) {
          numbers[t][i] = number;
          if (number < made.left.size()) return;
          made.left.push_back(pairs[i].first);
          made.right.push_back(pairs[i].second);
        });
    pairs.clear();
  }
  for (Term& term : batch_) {
    if (term.table > 0) term.row = numbers[term.table - 1][term.row];
  }
}

// The terms of one row: equal ones become one.
void SumTerms::merge_terms(std::span<Term> terms) {
  written_ += terms.size();
  found_.has_factors =
      found_.has_factors || std::ranges::any_of(terms, [](const Term& t) { return t.factor != 1; });
  sort_by_place(terms);
  const std::size_t begin = found_.terms.size();
  for (const Term& term : terms) {
    if (found_.terms.size() > begin && place_of(found_.terms.back()) == place_of(term)) {
      found_.terms.back().factor += term.factor;
    } else {
      found_.terms.push_back(term);
    }
  }
  found_.lengths.push_back(static_cast<std::uint32_t>(found_.terms.size() - begin));
}

// Terms as often as they are added instead of once with their number.
void SumTerms::repeat_terms() {
  std::vector<Term> repeated;
  repeated.reserve(written_);
  std::size_t next = 0;
  for (std::uint32_t& length : found_.lengths) {
    const std::size_t begin = repeated.size();
    for (const std::size_t end = next + length; next < end; ++next) {
      const Term& term = found_.terms[next];
      repeated.insert(repeated.end(), static_cast<std::size_t>(term.factor),
                      {term.table, term.row, 1});
    }
    length = static_cast<std::uint32_t>(repeated.size() - begin);
  }
  found_.terms = std::move(repeated);
}

}  // namespace vecc::opt
