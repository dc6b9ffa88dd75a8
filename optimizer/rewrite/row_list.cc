#include "optimizer/rewrite/row_list.h"

#include <utility>

namespace vecc::opt {

void RowList::add(ValueId value, std::uint32_t row) {
  const auto [first, is_new] = first_rows_.try_emplace(value, next_row_);
  if (is_new) {
    values_.push_back(value);
    next_row_ += rewriter_.to().op(value).rows;
  }
  rows_.push_back(first->second + row);
}

ValueId RowList::read(const Note& note) {
  VECC_CHECK(!rows_.empty(), "a list of no rows");
  ValueId from = values_[0];
  if (values_.size() > 1) {
    const auto all = rewriter_.to().add(ConcatOp{}, std::move(values_), note);
    VECC_CHECK(all.has_value(), all ? "" : all.error().text());
    from = *all;
  }
  return rewriter_.gather(from, Index::compact(std::move(rows_)), note);
}

}  // namespace vecc::opt
