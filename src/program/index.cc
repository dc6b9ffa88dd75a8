#include "vecc/index.h"

#include <algorithm>
#include <utility>

#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"
#include "vecc/error.h"

namespace vecc {
namespace {

// 0: no constant positive step.
std::uint32_t constant_step(const std::vector<std::uint32_t>& rows) {
  if (rows.size() < 2) return 1;
  if (rows[1] <= rows[0]) return 0;
  const std::uint32_t step = rows[1] - rows[0];
  // (a step that goes beyond 32 bits gives a smaller row)
  const bool is_constant = holds_for_all(rows.size() - 2, [&rows, step](std::size_t i) {
    return rows[i + 2] > rows[i + 1] && rows[i + 2] - rows[i + 1] == step;
  });
  return is_constant ? step : 0;
}

}  // namespace

Index Index::slice(std::uint32_t begin, std::uint32_t count) {
  VECC_CHECK(std::uint64_t{begin} + count <= kMaxRows, "slice ends beyond 32 bits");
  Index index;
  index.begin_ = begin;
  index.size_ = count;
  return index;
}

Index Index::stride(std::uint32_t begin, std::uint32_t step, std::uint32_t count) {
  VECC_CHECK(step > 0, "stride with step 0");
  const std::uint64_t bound = count == 0 ? 0 : begin + std::uint64_t{step} * (count - 1) + 1;
  VECC_CHECK(bound <= kMaxRows, "stride ends beyond 32 bits");
  Index index;
  index.form_ = Form::Stride;
  index.begin_ = begin;
  index.step_ = step;
  index.size_ = count;
  return index;
}

Index Index::repeat(std::uint32_t period, std::uint32_t times) {
  VECC_CHECK(std::uint64_t{period} * times <= kMaxRows, "repeat is longer than 32 bits");
  Index index;
  index.form_ = Form::Repeat;
  index.step_ = period;
  index.size_ = period * times;
  return index;
}

Index Index::interleave(std::uint32_t rows, std::uint32_t times) {
  VECC_CHECK(std::uint64_t{rows} * times <= kMaxRows, "interleave is longer than 32 bits");
  Index index;
  index.form_ = Form::Interleave;
  index.step_ = times;
  index.size_ = rows * times;
  return index;
}

Index Index::list(std::vector<std::uint32_t> rows) {
  return shared_list(std::make_shared<const std::vector<std::uint32_t>>(std::move(rows)));
}

Index Index::shared_list(std::shared_ptr<const std::vector<std::uint32_t>> rows) {
  VECC_CHECK(rows->size() <= kMaxRows, "list is longer than 32 bits");
  const std::uint32_t largest = largest_entry(*rows);
  VECC_CHECK(largest < kMaxRows, "list names a row beyond 32 bits");
  Index index;
  index.form_ = Form::List;
  index.size_ = static_cast<std::uint32_t>(rows->size());
  index.begin_ = rows->empty() ? 0 : largest + 1;
  index.list_ = std::move(rows);
  return index;
}

Index Index::compact(std::vector<std::uint32_t> rows) {
  const auto count = static_cast<std::uint32_t>(rows.size());
  const std::uint32_t step = constant_step(rows);
  if (rows.size() > kMaxRows || step == 0) return list(std::move(rows));
  const std::uint32_t begin = rows.empty() ? 0 : rows[0];
  return step == 1 ? slice(begin, count) : stride(begin, step, count);
}

std::uint32_t Index::bound() const {
  if (size_ == 0) return 0;
  switch (form_) {
    case Form::Slice: return begin_ + size_;
    case Form::Stride: return begin_ + step_ * (size_ - 1) + 1;
    case Form::Repeat: return step_;
    case Form::Interleave: return size_ / step_;
    case Form::List: return begin_;
  }
  return 0;
}

std::vector<std::uint32_t> Index::materialize() const {
  if (list_) return *list_;
  return with_rows(*this, [&](auto row_at) { return list_of(size_, row_at); });
}

bool Index::operator==(const Index& other) const {
  if (size_ != other.size_ || bound() != other.bound()) return false;
  if (list_ && list_ == other.list_) return true;
  if (list_ && other.list_) {
    return holds_for_ranges(size_, [&](std::size_t begin, std::size_t end) {
      const auto part = [&](const Index& of) { return of.array().subspan(begin, end - begin); };
      return std::ranges::equal(part(*this), part(other));
    });
  }
  return with_rows(*this, [&](auto mine) {
    return with_rows(other, [&](auto theirs) {
      return holds_for_all(size_, [&](std::size_t i) {
        return mine(static_cast<std::uint32_t>(i)) == theirs(static_cast<std::uint32_t>(i));
      });
    });
  });
}

std::uint64_t Index::bytes() const {
  return list_ ? list_->size() * sizeof(std::uint32_t) : 0;
}

}  // namespace vecc
