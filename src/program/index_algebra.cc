#include "src/program/index_algebra.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "src/support/mark_once.h"

namespace vecc {
namespace {

// Whether index[i] = form(i) for all i.
template <class Form>
bool is_form(std::span<const std::uint32_t> rows, const Form& form) {
  return holds_for_all(
      rows.size(), [&](std::size_t i) { return rows[i] == form(static_cast<std::uint32_t>(i)); });
}

Index simplest_of_list(const Index& list) {
  const auto rows = list.array();
  const auto size = static_cast<std::uint32_t>(rows.size());
  if (size < 2) return Index::slice(size == 0 ? 0 : rows[0], size);
  if (rows[1] > rows[0]) {
    const std::uint32_t begin = rows[0];
    const std::uint32_t step = rows[1] - begin;
    const bool constant = rows[size - 1] == begin + std::uint64_t{step} * (size - 1) &&
                          is_form(rows, [&](std::uint32_t i) { return begin + i * step; });
    if (constant) return step == 1 ? Index::slice(begin, size) : Index::stride(begin, step, size);
  }
  if (size <= kShortList || rows[0] != 0) return list;
  std::uint32_t period = 1;  // 0, 1, 2, ... up to the next 0; most lists are not even that
  while (period < size && rows[period] == period) ++period;
  const bool comes_again = period < size && rows[period] == 0;
  if (comes_again && size % period == 0 &&
      is_form(rows, [&](std::uint32_t i) { return i % period; })) {
    return Index::repeat(period, size / period);
  }
  const auto times = static_cast<std::uint32_t>(
      std::ranges::find_if(rows, [](std::uint32_t row) { return row != 0; }) - rows.begin());
  if (size % times == 0 && is_form(rows, [&](std::uint32_t i) { return i / times; })) {
    return Index::interleave(size / times, times);
  }
  return list;
}

}  // namespace

std::uint32_t largest_entry(std::span<const std::uint32_t> entries) {
  std::atomic<std::uint32_t> largest{0};
  ListThreads::for_ranges(entries.size(), [&](std::size_t begin, std::size_t end) {
    std::uint32_t own = 0;
    for (const std::uint32_t entry : entries.subspan(begin, end - begin))
      own = std::max(own, entry);
    std::uint32_t other = largest.load(std::memory_order_relaxed);
    while (other < own && !largest.compare_exchange_weak(other, own, std::memory_order_relaxed)) {
    }
  });
  return largest.load(std::memory_order_relaxed);
}

Index compose(const Index& outer, const Index& inner) {
  if (outer.form() == Index::Form::Slice && outer.begin() == 0) return inner;
  if (is_identity(inner, outer.size())) return outer;
  return Index::compact(with_rows(outer, [&](auto outer_row) {
    return with_rows(inner, [&](auto inner_row) {
      return list_of(inner.size(), [&](std::uint32_t i) { return outer_row(inner_row(i)); });
    });
  }));
}

bool is_identity(const Index& index, std::uint32_t rows) {
  if (index.size() != rows) return false;
  if (index.form() == Index::Form::Slice) return rows == 0 || index.begin() == 0;
  return with_rows(index, [&](auto row_at) {
    return holds_for_all(rows,
                         [&](std::size_t i) { return row_at(static_cast<std::uint32_t>(i)) == i; });
  });
}

bool is_view(const Index& index) {
  if (index.form() == Index::Form::Slice || index.size() < 2) return true;
  if (index[1] <= index[0]) return false;
  const std::uint32_t step = index[1] - index[0];
  for (std::uint32_t i = 2; i < index.size(); ++i) {
    if (index[i] <= index[i - 1] || index[i] - index[i - 1] != step) return false;
  }
  return true;
}

std::uint32_t shortest_period(const Index& index) {
  if (index.form() == Index::Form::Repeat) return std::min(index.step(), index.size());
  const std::uint32_t n = index.size();
  if (n < 2) return n;
  // Of two whole periods their greatest common divisor is one, too: each prime of n is divided out
  // as often as that leaves a period.
  std::uint32_t period = n;
  const auto repeats_after = [&](std::uint32_t p) {
    return with_rows(index, [&](auto row_at) {
      return holds_for_all(n - p, [&](std::size_t i) {
        const auto at = static_cast<std::uint32_t>(i);
        return row_at(at) == row_at(at + p);
      });
    });
  };
  const auto divide_out = [&](std::uint32_t prime) {
    while (period % prime == 0 && repeats_after(period / prime)) period /= prime;
  };
  std::uint32_t left = n;
  for (std::uint32_t prime = 2; std::uint64_t{prime} * prime <= left; ++prime) {
    if (left % prime != 0) continue;
    while (left % prime == 0) left /= prime;
    divide_out(prime);
  }
  if (left > 1) divide_out(left);
  return period;
}

std::uint32_t longest_interleaving(const Index& index) {
  const std::uint32_t n = index.size();
  if (n == 0) return 0;
  if (index.form() == Index::Form::Interleave) return index.step();
  // The greatest common divisor of the lengths of all runs of one row.
  std::uint32_t divisor = 0;
  std::uint32_t begin = 0;
  for (std::uint32_t i = 1; i <= n && divisor != 1; ++i) {
    if (i < n && index[i] == index[begin]) continue;
    divisor = std::gcd(divisor, i - begin);
    begin = i;
  }
  return divisor;
}

Index simplest(const Index& index) {
  switch (index.form()) {
    case Index::Form::Slice: return index;
    case Index::Form::Stride:
      if (index.step() > 1 && index.size() > 1) return index;
      return Index::slice(index.begin(), index.size());
    case Index::Form::Repeat:
      return index.size() > index.step() ? index : Index::slice(0, index.size());
    case Index::Form::Interleave: return index.step() > 1 ? index : Index::slice(0, index.size());
    case Index::Form::List: return simplest_of_list(index);
  }
  return index;
}

bool is_regular(const Index& index) {
  return simplest(index).form() != Index::Form::List;
}

Index shifted(const Index& index, std::int64_t by) {
  if (by == 0) return index;
  const auto row = [&](std::uint32_t old) { return static_cast<std::uint32_t>(old + by); };
  if (index.form() == Index::Form::Slice) return Index::slice(row(index.begin()), index.size());
  if (index.form() == Index::Form::Stride) {
    return Index::stride(row(index.begin()), index.step(), index.size());
  }
  return Index::compact(with_rows(index, [&](auto row_at) {
    return list_of(index.size(), [&](std::uint32_t i) { return row(row_at(i)); });
  }));
}

Index first_rows(const Index& index, std::uint32_t count) {
  return compose(index, Index::slice(0, count));
}

Index every_nth(const Index& index, std::uint32_t begin, std::uint32_t step) {
  const std::uint32_t count = index.size() <= begin ? 0 : (index.size() - begin + step - 1) / step;
  return compose(index, Index::stride(begin, step, count));
}

std::uint64_t count_distinct(const Index& index, std::uint32_t bound) {
  switch (index.form()) {
    case Index::Form::Slice: return index.size();
    case Index::Form::Stride: return index.step() == 0 ? std::min(1u, index.size()) : index.size();
    case Index::Form::Repeat: return std::min(index.step(), index.size());
    case Index::Form::Interleave:
      return (std::uint64_t{index.size()} + index.step() - 1) / index.step();
    case Index::Form::List: break;
  }
  constexpr std::uint32_t kFewOfMany = 16;
  if (bound / kFewOfMany > index.size()) {
    std::vector<std::uint32_t> rows(index.array().begin(), index.array().end());
    std::ranges::sort(rows);
    return static_cast<std::uint64_t>(std::unique(rows.begin(), rows.end()) - rows.begin());
  }
  std::vector<std::uint8_t> seen = long_list<std::uint8_t>(bound);
  ListThreads::for_ranges(index.size(), [&](std::size_t begin, std::size_t end) {
    for (const std::uint32_t row : index.array().subspan(begin, end - begin)) {
      mark_once(seen[row]);
    }
  });
  std::atomic<std::uint64_t> count{0};
  ListThreads::for_ranges(bound, [&](std::size_t begin, std::size_t end) {
    std::uint64_t own = 0;
    for (std::size_t row = begin; row < end; ++row) own += seen[row];
    count += own;
  });
  return count;
}

}  // namespace vecc
