#include "backends/reference/row_numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "src/program/row_number_errors.h"

namespace vecc::reference {
namespace {

RowNumberPlace place_of(const Program& program, ValueId id, std::size_t k) {
  const Op& op = program.op(id);
  return {"interpreter", id, op.kind(), op.operands[k]};
}

Result<void> check_step(const Program& program, ValueId id, const Rows& step) {
  const double end = row_number_end(program.dtype());
  const double number = step.row(0)[0];
  if (is_whole_below(number, end)) return {};
  return step_error(place_of(program, id, 0), number, end);
}

// `end`: of the rows that operand `k` numbers.
Result<void> check_numbers(const Program& program, ValueId id, std::size_t k, const Rows& numbers,
                           double end) {
  for (std::uint32_t i = 0; i < numbers.rows(); ++i) {
    const double number = numbers.row(i)[0];
    if (!is_whole_below(number, end)) {
      return row_number_error(place_of(program, id, k), i, number, end);
    }
  }
  return {};
}

// The first element of which other bits are stored by both; every NaN is one number, 0 and -0 are
// two.
std::optional<std::size_t> find_difference(std::span<const double> a, std::span<const double> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool is_same = std::bit_cast<std::uint64_t>(a[i]) == std::bit_cast<std::uint64_t>(b[i]) ||
                         (std::isnan(a[i]) && std::isnan(b[i]));
    if (!is_same) return i;
  }
  return std::nullopt;
}

Result<void> check_stored_once(const Program& program, ValueId id, const Rows& stored,
                               const Rows& numbers) {
  const std::vector<std::uint32_t> order = sorted_by_number(numbers);
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::uint32_t number = row_number(numbers, order[k]);
    const std::uint32_t before = order[k - 1];
    if (row_number(numbers, before) != number) continue;
    const auto element = find_difference(stored.row(before), stored.row(order[k]));
    if (!element) continue;
    return different_rows_error(place_of(program, id, 2), number, *element,
                                {before, stored.row(before)[*element]},
                                {order[k], stored.row(order[k])[*element]});
  }
  return {};
}

}  // namespace

Result<void> check_row_numbers(const Program& program, ValueId id, std::span<const Rows> operands) {
  const Op& op = program.op(id);
  const double any_row = std::min<double>(kMaxRows, row_number_end(program.dtype()));
  const OpKind kind = op.kind();
  if (kind == OpKind::Draw) return check_step(program, id, operands[0]);
  if (kind == OpKind::Take) return check_numbers(program, id, 1, operands[1], operands[0].rows());
  if (kind == OpKind::SumEqual) return check_numbers(program, id, 1, operands[1], any_row);
  if (kind == OpKind::ScatterSum) return check_numbers(program, id, 1, operands[1], op.rows);
  if (kind != OpKind::Update || operands.size() < 3) return {};
  VECC_TRY_VOID(check_numbers(program, id, 2, operands[2], operands[0].rows()));
  return check_stored_once(program, id, operands[1], operands[2]);
}

std::vector<std::uint32_t> sorted_by_number(const Rows& numbers) {
  std::vector<std::uint32_t> order(numbers.rows());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return row_number(numbers, i); });
  return order;
}

// One segment of the sorted rows after the other.
void add_equal_sums(const Rows& g, const Rows& numbers, const MutableRows& result) {
  const std::vector<std::uint32_t> order = sorted_by_number(numbers);
  std::vector<double> sum(g.shape().size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    std::ranges::fill(sum, 0.0);
    const std::uint32_t number = row_number(numbers, order[begin]);
    for (; end < order.size() && row_number(numbers, order[end]) == number; ++end) {
      add_row(g.row(order[end]), sum);
    }
    for (std::size_t i = begin; i < end; ++i) add_row(sum, result.row(order[i]));
  }
}

}  // namespace vecc::reference
