#include "src/plan/lower/row_numbers.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "src/plan/lower/lower_ops.h"
#include "src/support/long_list.h"
#include "src/support/number_sort.h"

namespace vecc {
namespace {

using Array = std::shared_ptr<const std::vector<std::uint32_t>>;

Array zeros(std::size_t count) {
  return std::make_shared<const std::vector<std::uint32_t>>(long_list<std::uint32_t>(count));
}

// 0, 1, 2, ...
Array ascending(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(numbers));
}

// 0 .. rows - 1 by `count` numbers, about equally many of each.
Array spread(std::uint32_t rows, std::uint32_t count) {
  std::vector<std::uint32_t> offsets(std::size_t{count} + 1);
  for (std::uint64_t k = 1; k <= count; ++k) {
    offsets[k] = static_cast<std::uint32_t>(k * rows / count);
  }
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(offsets));
}

Segments filled_segments(const OpLowering& lowering, Array offsets, ArrayIndex& number) {
  number = lowering.grouping.arrays.add_filled(offsets);
  return Segments::shared_ragged(std::move(offsets));
}

NumberStep::Use use_of(const OpLowering& lowering, std::size_t k, std::uint64_t rows) {
  const Op& op = lowering.program.op(lowering.op);
  return {lowering.op, op.kind(), op.operands[k], rows};
}

// A step that reads `from`, operand k of the op, and runs when that is there.
NumberStep& add_step(const OpLowering& lowering, NumberStep::Kind kind, std::size_t k, ValueId from,
                     ValueId to = kNone) {
  Grouping& grouping = lowering.grouping;
  NumberStep step;
  step.kind = kind;
  step.stage = lowering.stage;
  step.level = grouping.level_of(from) + 1;
  if (kind != NumberStep::Kind::List) step.uses.push_back(use_of(lowering, k, 0));
  grouping.steps.push_back({std::move(step), from, to});
  return grouping.steps.back().step;
}

RowNumbers list_numbers(const OpLowering& lowering, std::size_t k) {
  const ValueId operand = lowering.program.op(lowering.op).operands[k];
  const std::uint32_t rows = lowering.program.op(operand).rows;
  RowNumbers numbers;
  numbers.value = stored_rows(lowering, lowering.read_of(operand), rows);
  const Array list = zeros(rows);
  numbers.list = Index::shared_list(list);
  numbers.arrays.list = lowering.grouping.arrays.add_filled(list);
  numbers.list_step = lowering.grouping.steps.size();
  add_step(lowering, NumberStep::Kind::List, k, numbers.value).arrays = numbers.arrays;
  return numbers;
}

// How many different numbers the rows may have: no more than the fewest rows that an op so far
// counts by them.
std::uint32_t most_distinct(const OpLowering& lowering, const RowNumbers& numbers) {
  std::uint64_t most = numbers.list.size();
  for (const NumberStep::Use& use : lowering.grouping.steps[numbers.list_step].step.uses) {
    most = std::min(most, std::max<std::uint64_t>(use.rows, 1));
  }
  return static_cast<std::uint32_t>(most);
}

void sort_numbers(const OpLowering& lowering, std::size_t k, RowNumbers& numbers) {
  IndexArrays& arrays = lowering.grouping.arrays;
  const std::uint32_t rows = numbers.list.size();
  numbers.distinct = most_distinct(lowering, numbers);
  const Array order = ascending(rows);
  const Array ranks = ascending(rows);
  numbers.is_sorted = true;
  numbers.order = Index::shared_list(order);
  numbers.ranks = Index::shared_list(ranks);
  numbers.arrays.order = arrays.add_filled(order);
  numbers.arrays.ranks = arrays.add_filled(ranks);
  numbers.offsets =
      filled_segments(lowering, spread(rows, numbers.distinct), numbers.arrays.offsets);
  numbers.arrays.scratch = arrays.add_filled(zeros(sorting_scratch(rows)));
  add_step(lowering, NumberStep::Kind::Sort, k, numbers.value).arrays = numbers.arrays;
}

// What waits for the numbers: no rows of theirs are read.
RowRead wait_for(const RowNumbers& numbers) {
  return read_by_value(numbers.value, numbers.list, Shape::scalar());
}

RowRead stored_operand(const OpLowering& lowering, std::size_t k) {
  const ValueId operand = lowering.program.op(lowering.op).operands[k];
  const Op& op = lowering.program.op(operand);
  return {{stored_rows(lowering, lowering.read_of(operand), op.rows), std::nullopt}, op.shape};
}

// The sums of consecutive rows of `order`, as many as `segments` has.
void sum_segments(const OpLowering& lowering, ValueId made, const RowNumbers& numbers,
                  const Segments& segments, std::uint32_t rows) {
  const RowRead g = stored_operand(lowering, 0);
  const RowRead reads[] = {read_by_value(g.value, numbers.order, g.shape), wait_for(numbers)};
  const KernelBuilder kernel =
      lowering.begin_new_members(numbers.order.size(), segments, rows, reads);
  kernel.make(made, kernel.reduce(Combination::Sum, kernel.load(reads[0])));
}

}  // namespace

ValueId stored_rows(const OpLowering& lowering, const RowRead& read, std::uint32_t rows) {
  ValueTable& values = lowering.grouping.values;
  ValueId value = read.value;
  if (read.index || read.one) {
    value = lowering.add_temporary(rows, read.shape).value;
    copy_rows(lowering, value, read, rows, 0);
    return value;
  }
  values.mark_stored(value);
  lowering.grouping.freeze(value);
  return value;
}

RowNumbers& row_numbers_of(const OpLowering& lowering, std::size_t k, std::uint64_t rows,
                           bool is_sorted) {
  Grouping& grouping = lowering.grouping;
  const ValueId operand = lowering.program.op(lowering.op).operands[k];
  const auto [found, is_new] = grouping.row_numbers.try_emplace(operand);
  RowNumbers& numbers = found->second;
  if (is_new) numbers = list_numbers(lowering, k);
  grouping.steps[numbers.list_step].step.uses.push_back(use_of(lowering, k, rows));
  if (is_sorted && !numbers.is_sorted) sort_numbers(lowering, k, numbers);
  return numbers;
}

RowRead read_by_value(ValueId value, const Index& index, Shape shape) {
  RowRead read{{value, index}, shape};
  read.by_value = true;
  return read;
}

std::uint32_t last_step_level(const Grouping& grouping) {
  std::uint32_t level = 0;
  for (const GroupedStep& step : grouping.steps) level = std::max(level, step.step.level);
  return level;
}

void lower_draw(const OpLowering& lowering, const DrawOp& draw) {
  const RowRead from = stored_operand(lowering, 0);
  NumberStep& step = add_step(lowering, NumberStep::Kind::Draw, 0, from.value, lowering.op);
  step.draw = draw;
  lowering.grouping.values.add_stored_rows(lowering.op, step.level);
}

void lower_take(const OpLowering& lowering) {
  const Op& op = lowering.program.op(lowering.op);
  const std::uint32_t rows = lowering.program.op(op.operands[0]).rows;
  const RowRead table = stored_operand(lowering, 0);
  const RowNumbers& numbers = row_numbers_of(lowering, 1, rows, false);
  const RowRead reads[] = {read_by_value(table.value, numbers.list, op.shape), wait_for(numbers)};
  const KernelBuilder kernel = lowering.begin_rows(op.rows, reads, EntryLoop::Any);
  kernel.make(lowering.op, kernel.load(reads[0]));
}

void lower_sum_equal(const OpLowering& lowering) {
  const Op& op = lowering.program.op(lowering.op);
  const RowNumbers& numbers = row_numbers_of(lowering, 1, kMaxRows, true);
  const RowRead sums = lowering.add_temporary(numbers.distinct, op.shape);
  sum_segments(lowering, sums.value, numbers, numbers.offsets, numbers.distinct);
  const RowRead read = read_by_value(sums.value, numbers.ranks, op.shape);
  const KernelBuilder kernel = lowering.begin_rows(op.rows, std::span(&read, 1), EntryLoop::Any);
  kernel.make(lowering.op, kernel.load(read));
}

void lower_scatter_sum(const OpLowering& lowering, const ScatterSumOp& scatter) {
  RowNumbers& numbers = row_numbers_of(lowering, 1, scatter.rows, true);
  const auto [found, is_new] = numbers.row_segments.try_emplace(scatter.rows);
  if (is_new) {
    ArrayIndex number = kNone;
    found->second = filled_segments(lowering, spread(numbers.list.size(), scatter.rows), number);
    NumberStep& step = add_step(lowering, NumberStep::Kind::Offsets, 1, numbers.value);
    step.arrays = numbers.arrays;
    step.row_offsets = number;
  }
  sum_segments(lowering, lowering.op, numbers, found->second, scatter.rows);
}

}  // namespace vecc
