#include "optimizer/rewrite/source_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

bool is_source(const Op& op) {
  return op.kind() != OpKind::Gather && op.kind() != OpKind::Concat;
}

}  // namespace

bool SourceRows::fits(const Program& program) {
  std::uint64_t rows = 0;
  for (const Op& op : program.ops()) {
    if (is_source(op)) rows += op.rows;
  }
  return rows < std::numeric_limits<std::uint32_t>::max();
}

SourceRows::SourceRows(const Program& program) : begin_{0} {
  VECC_CHECK(fits(program), "more rows than numbers");
  begin_.reserve(program.ops().size() + 1);
  places_.reserve(program.ops().size());
  for (const Op& op : program.ops()) {
    const std::uint32_t first = begin_.back();
    if (op.kind() == OpKind::Gather) {
      places_.push_back(place_gather(op));
    } else if (op.kind() == OpKind::Concat) {
      places_.push_back(place_concat(program, op));
    } else {
      places_.push_back({kNoList, first});
    }
    begin_.push_back(first + (is_source(op) ? op.rows : 0));
  }
  ValueId value = 0;
  for (std::uint64_t number = 0; number < size(); number += 1u << kBlockBits) {
    while (begin_[value + 1] <= number) ++value;
    block_value_.push_back(value);
  }
  block_value_.push_back(static_cast<ValueId>(program.ops().size()) - 1);
}

SourceRows::View SourceRows::view(const Place& place) const {
  View result;
  if (place.list == kNoList) {
    result.first_ = static_cast<std::uint32_t>(place.begin);
  } else {
    result.list_ = &lists_[place.list];
    result.begin_ = place.begin;
  }
  return result;
}

SourceRows::View SourceRows::of(ValueId value) const {
  return view(places_[value]);
}

void SourceRows::append(std::vector<std::uint32_t>& list, const Place& place,
                        std::uint32_t rows) const {
  const std::size_t begin = list.size();
  list.resize(begin + rows);
  const View numbers = view(place);  // after the list grew: it may be the one that is read
  ListThreads::for_ranges(rows, [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      list[begin + i] = numbers[static_cast<std::uint32_t>(i)];
    }
  });
}

SourceRows::Place SourceRows::place_gather(const Op& op) {
  const Place from = places_[op.operands[0]];
  const Index& index = std::get<GatherOp>(op.attributes).index;
  if (index.form() == Index::Form::Slice) return {from.list, from.begin + index.begin()};
  const View numbers = view(from);
  lists_.push_back(with_rows(index, [&](auto row_at) {
    return list_of(op.rows, [&](std::uint32_t i) { return numbers[row_at(i)]; });
  }));
  return {static_cast<std::uint32_t>(lists_.size() - 1), 0};
}

// A list ends where the last concat that it was made for ends; the next one in a chain of concats
// goes on there.
SourceRows::Place SourceRows::place_concat(const Program& program, const Op& op) {
  const ValueId head = op.operands[0];
  Place place = places_[head];
  const bool goes_on = program.op(head).kind() == OpKind::Concat && place.list != kNoList &&
                       place.begin + program.op(head).rows == lists_[place.list].size();
  if (!goes_on) {
    lists_.emplace_back().reserve(op.rows);
    place = {static_cast<std::uint32_t>(lists_.size() - 1), 0};
  }
  for (std::size_t k = goes_on ? 1 : 0; k < op.operands.size(); ++k) {
    append(lists_[place.list], places_[op.operands[k]], program.op(op.operands[k]).rows);
  }
  return place;
}

SourceRows::Source SourceRows::source(std::uint32_t number) const {
  const std::uint32_t block = number >> kBlockBits;
  const auto first = begin_.begin() + block_value_[block] + 1;
  const auto last = begin_.begin() + block_value_[block + 1] + 1;
  const auto value =
      static_cast<ValueId>(std::upper_bound(first, last, number) - begin_.begin() - 1);
  return {value, number - begin_[value]};
}

}  // namespace vecc::opt
