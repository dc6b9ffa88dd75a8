#include "optimizer/passes/reorder_linear_terms.h"

#include <algorithm>
#include <map>
#include <set>

#include "src/program/index_algebra.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

bool is_copy(const Op& op) {
  return op.kind() == OpKind::Gather || op.kind() == OpKind::Concat;
}

// The values that are no gathers or concats, and those that are; false if there are too many.
bool find_leaves(const Program& program, ValueId value, std::set<ValueId>& leaves,
                 std::set<ValueId>& copies) {
  std::vector<ValueId> open{value};
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    const Op& op = program.op(id);
    if (!is_copy(op)) {
      leaves.insert(id);
    } else if (copies.insert(id).second) {
      open.insert(open.end(), op.operands.begin(), op.operands.end());
    }
    if (leaves.size() + copies.size() + open.size() > ScaledTerms::kMost) return false;
  }
  return true;
}

}  // namespace

ScaledTerms::ScaledTerms(const ProductView& view, const Readers& readers, ValueId segment)
    : view_(view), segment_(segment) {
  const ValueId operand = view.program().op(segment).operands[0];
  if (!collect(readers, operand)) return;
  const ValueId only = read_through(view.program(), operand).source;
  std::vector<ValueId> products;
  for (const auto& [value, source] : sources_) {
    if (source.kind == Kind::Product) products.push_back(value);
  }
  const auto first = std::ranges::min_element(products);
  has_products_ = first != products.end() && *first != only;
  if (!has_products_) return;
  linear_ = std::get<LinearOp>(view.program().op(*first).attributes);
  left_ = sources_.at(*first).sides[0].shape;
  right_ = sources_.at(*first).sides[1].shape;
}

bool ScaledTerms::collect(const Readers& readers, ValueId value) {
  const Program& program = view_.program();
  std::set<ValueId> leaves;
  std::set<ValueId> copies;
  if (!find_leaves(program, value, leaves, copies)) return false;
  const std::set<ValueId> direct = leaves;
  for (const ValueId leaf : direct) {
    const Source& source = sources_[leaf] = source_of(leaf);
    if (source.kind != Kind::Scaled) continue;
    if (!find_leaves(program, source.sides[source.carried].source, leaves, copies)) return false;
  }
  for (const ValueId leaf : leaves) sources_.try_emplace(leaf, source_of(leaf));
  // Readers stand behind what they read.
  for (auto at = leaves.rbegin(); at != leaves.rend(); ++at) {
    Source& source = sources_.at(*at);
    source.is_only_here = source.kind != Kind::Rest && is_only_read_here(readers, *at);
  }
  return true;
}

ScaledTerms::Source ScaledTerms::source_of(ValueId value) const {
  const auto* linear = std::get_if<LinearOp>(&view_.program().op(value).attributes);
  Source source;
  if (linear == nullptr || has_lifts(*linear) || view_.is_constant(value)) return source;
  source.sides = {view_.factor(value, 0), view_.factor(value, 1)};
  const bool left_is_scalar = source.sides[0].shape.is_scalar();
  const bool right_is_scalar = source.sides[1].shape.is_scalar();
  if (!left_is_scalar && !right_is_scalar) {
    source.kind = Kind::Product;
  } else if (left_is_scalar != right_is_scalar) {
    source.carried = left_is_scalar ? 1 : 0;
    const bool is_turned = source.sides[source.carried].transposed;
    source.kind = is_turned ? Kind::Rest : Kind::Scaled;
  }
  return source;
}

bool ScaledTerms::is_only_read_here(const Readers& readers, ValueId value) const {
  std::vector<ValueId> open{value};
  for (std::size_t looked = 0; !open.empty(); ++looked) {
    const ValueId id = open.back();
    open.pop_back();
    const auto all = readers.of(id);
    if (looked > kMost || all.empty() || all.size() > kMost) return false;
    for (const ValueId reader : all) {
      const auto scaled = sources_.find(reader);
      const bool is_below = scaled != sources_.end() && scaled->second.kind == Kind::Scaled &&
                            scaled->second.is_only_here;
      if (is_copy(view_.program().op(reader))) {
        open.push_back(reader);
      } else if (reader != segment_ && !is_below) {
        return false;
      }
    }
  }
  return true;
}

bool ScaledTerms::fits(ValueId product) const {
  const auto& linear = std::get<LinearOp>(view_.program().op(product).attributes);
  const auto& sides = sources_.at(product).sides;
  return linear.transpose_left == linear_.transpose_left &&
         linear.transpose_right == linear_.transpose_right && sides[0].shape == left_ &&
         sides[1].shape == right_;
}

std::optional<ScaledTerm> ScaledTerms::of(std::uint32_t number) const {
  SourceRows::Source at = view_.source(number);
  ScaledTerm term;
  const Source* source = &sources_.at(at.value);
  if (source->kind == Kind::Scaled) {
    term.is_scaled = true;
    term.scale = number_at(source->sides[1 - source->carried], at.row);
    at = view_.source(number_at(source->sides[source->carried], at.row));
    source = &sources_.at(at.value);
  }
  if (source->kind != Kind::Product || !fits(at.value)) return {};
  term.product = at.value;
  term.row = at.row;
  return term;
}

std::uint32_t ScaledTerms::factor(const ScaledTerm& term, std::size_t side) const {
  return number_at(sources_.at(term.product).sides[side], term.row);
}

std::vector<ValueId> ScaledTerms::linears() const {
  std::vector<ValueId> result;
  for (const auto& [value, source] : sources_) {
    if (source.kind != Kind::Rest) result.push_back(value);
  }
  std::ranges::sort(result);
  return result;
}

bool ScaledTerms::are_constant(const RowNumbers& rows) const {
  return std::ranges::all_of(rows, [&](RowNumber row) {
    return row >= first_made() ||
           view_.is_constant(view_.source(static_cast<std::uint32_t>(row)).value);
  });
}

double ScaledTerms::work_of(const RowNumbers& gone, const RowNumbers& stay,
                            std::size_t shared_side) const {
  std::map<ValueId, std::vector<bool>> goes;  // by linear, by row
  const auto note_row = [&](SourceRows::Source at, bool is_gone) {
    const Source& source = sources_.at(at.value);
    if (source.kind != Kind::Product) return;
    std::vector<bool>& rows = goes[at.value];
    rows.resize(view_.program().op(at.value).rows);
    rows[at.row] = is_gone && source.is_only_here;
  };
  const auto note = [&](RowNumber number, bool is_gone) {
    const SourceRows::Source at = view_.source(static_cast<std::uint32_t>(number));
    note_row(at, is_gone);
    const Source& source = sources_.at(at.value);
    if (source.kind != Kind::Scaled) return;
    note_row(view_.source(number_at(source.sides[source.carried], at.row)), is_gone);
  };
  for (const RowNumber number : gone) note(number, true);
  for (const RowNumber number : stay) note(number, false);
  WorkEstimate work(view_.program().dtype());
  for (const auto& [linear, rows] : goes) {
    const Source& source = sources_.at(linear);
    const auto count = static_cast<std::uint64_t>(std::ranges::count(rows, true));
    if (count > 0) work.products(source.sides[0].shape, source.sides[1].shape, count);
    if (count < rows.size()) continue;
    work.launch();
    const Factor& read = source.sides[1 - shared_side];
    work.reads(read.shape, count_distinct(read.rows, view_.program().op(read.source).rows));
  }
  return work.total();
}

ValueId ScaledTerms::rows_of(Rewriter& rewriter, const RowNumbers& rows, ValueId made) const {
  const Note& note = view_.program().op(segment_).note;
  const auto place = [&](RowNumber row) {
    if (row >= first_made()) {
      return SourceRows::Source{made, static_cast<std::uint32_t>(row - first_made())};
    }
    const SourceRows::Source at = view_.source(static_cast<std::uint32_t>(row));
    return SourceRows::Source{rewriter.at(at.value), at.row};
  };
  std::map<ValueId, std::vector<std::uint32_t>> needed;  // by new value
  for (const RowNumber row : rows) {
    const SourceRows::Source at = place(row);
    needed[at.value].push_back(at.row);
  }
  std::vector<ValueId> parts;
  std::map<ValueId, std::uint32_t> begins;
  std::uint32_t begin = 0;
  for (auto& [value, list] : needed) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    begins[value] = begin;
    begin += static_cast<std::uint32_t>(list.size());
    parts.push_back(rewriter.gather(value, Index::compact(list), note));
  }
  const ValueId all = parts.size() == 1 ? parts[0] : rewriter.to().concat(parts, note);
  std::vector<std::uint32_t> index;
  index.reserve(rows.size());
  for (const RowNumber row : rows) {
    const SourceRows::Source at = place(row);
    const auto& list = needed.at(at.value);
    index.push_back(
        begins.at(at.value) +
        static_cast<std::uint32_t>(std::ranges::lower_bound(list, at.row) - list.begin()));
  }
  return rewriter.gather(all, Index::compact(std::move(index)), note);
}

}  // namespace vecc::opt
