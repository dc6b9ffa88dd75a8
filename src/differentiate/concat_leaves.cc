#include "src/differentiate/concat_leaves.h"

#include <algorithm>
#include <utility>

namespace vecc::autodiff {

ConcatLeaves::ConcatLeaves(const Program& program)
    : program_(program),
      places_(program.ops().size()),
      leaves_(program.ops().size()),
      family_(program.ops().size()) {
  const auto count = static_cast<ValueId>(program.ops().size());
  for (ValueId id = 0; id < count; ++id) {
    places_[id] = {id, 0};
    family_[id] = id;
  }
  for (ValueId id = count; id-- > 0;) {  // what a concat is part of is placed before it
    if (program.op(id).kind() != OpKind::Concat) continue;
    std::uint32_t row = places_[id].first_row;
    for (const ValueId operand : program.op(id).operands) {
      const bool is_root = places_[operand].root == operand;
      if (is_root && program.op(operand).kind() == OpKind::Concat) {
        places_[operand] = {places_[id].root, row};
      }
      row += program.op(operand).rows;
      family_[family(operand)] = family(id);
    }
  }
}

ValueId ConcatLeaves::family(ValueId value) {
  while (family_[value] != value) {
    family_[value] = family_[family_[value]];
    value = family_[value];
  }
  return value;
}

// Operands from the first to the last, those of a concat in its place.
void ConcatLeaves::find_leaves(ValueId root) {
  std::vector<Leaf>& leaves = leaves_[root];
  std::vector<std::pair<ValueId, std::size_t>> open{{root, 0}};  // a concat and its next operand
  std::uint32_t row = 0;
  while (!open.empty()) {
    auto& [concat, next] = open.back();
    const Operands& operands = program_.op(concat).operands;
    if (next == operands.size()) {
      open.pop_back();
      continue;
    }
    const ValueId operand = operands[next++];
    const Op& op = program_.op(operand);
    if (op.rows == 0) continue;
    if (op.kind() == OpKind::Concat) {
      open.emplace_back(operand, 0);
    } else {
      leaves.push_back({operand, row, row + op.rows});
      row += op.rows;
    }
  }
}

ConcatLeaves::View ConcatLeaves::of(ValueId concat) {
  const Place& place = places_[concat];
  if (leaves_[place.root].empty()) find_leaves(place.root);
  View view;
  view.leaves_ = &leaves_[place.root];
  view.first_row_ = place.first_row;
  return view;
}

const ConcatLeaves::Leaf& ConcatLeaves::View::find(std::uint32_t row, std::size_t& hint) const {
  row += first_row_;
  const auto holds = [&](const Leaf& leaf) { return leaf.first_row <= row && row < leaf.end_row; };
  if (hint < leaves_->size() && holds((*leaves_)[hint])) return (*leaves_)[hint];
  if (hint + 1 < leaves_->size() && holds((*leaves_)[hint + 1])) return (*leaves_)[++hint];
  const auto after = std::ranges::upper_bound(*leaves_, row, {}, &Leaf::first_row);
  hint = static_cast<std::size_t>(after - leaves_->begin()) - 1;
  return (*leaves_)[hint];
}

}  // namespace vecc::autodiff
