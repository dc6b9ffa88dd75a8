// Indices as functions from rows to rows: composition, and the regularities that passes look for.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "src/support/list_threads.h"
#include "src/support/long_list.h"
#include "vecc/index.h"

namespace vecc {

/// visit(row_at), where row_at(i) is index[i] without asking for the form at each i.
template <class Visit>
decltype(auto) with_rows(const Index& index, Visit&& visit) {
  const std::uint32_t begin = index.begin();
  const std::uint32_t step = index.step();
  switch (index.form()) {
    case Index::Form::Slice: break;
    case Index::Form::Stride:
      return visit([begin, step](std::uint32_t i) { return begin + i * step; });
    case Index::Form::Repeat: return visit([step](std::uint32_t i) { return i % step; });
    case Index::Form::Interleave: return visit([step](std::uint32_t i) { return i / step; });
    case Index::Form::List:
      return visit([list = index.array().data()](std::uint32_t i) { return list[i]; });
  }
  return visit([begin](std::uint32_t i) { return begin + i; });
}

/// entry_at(0) .. entry_at(count - 1), written by all threads of the scope (ListThreads).
template <class EntryAt>
[[nodiscard]] std::vector<std::uint32_t> list_of(std::uint32_t count, const EntryAt& entry_at) {
  std::vector<std::uint32_t> entries = unset_list<std::uint32_t>(count);
  ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) entries[i] = entry_at(static_cast<std::uint32_t>(i));
  });
  return entries;
}

/// term_at(0) + ... + term_at(count - 1), by all threads of the scope.
template <class TermAt>
[[nodiscard]] std::uint64_t total_of(std::uint32_t count, const TermAt& term_at) {
  std::atomic<std::uint64_t> sum{0};
  ListThreads::for_ranges(count, [&](std::size_t begin, std::size_t end) {
    std::uint64_t here = 0;
    for (; begin < end; ++begin) here += term_at(static_cast<std::uint32_t>(begin));
    sum.fetch_add(here, std::memory_order_relaxed);
  });
  return sum.load(std::memory_order_relaxed);
}

/// 0, length_at(0), length_at(0) + length_at(1), ...: where each of `count` lists begins, and the
/// last ends; asked by all threads of the scope, twice.
template <class LengthAt>
[[nodiscard]] std::vector<std::uint32_t> offsets_of(std::size_t count, const LengthAt& length_at) {
  std::vector<std::uint32_t> offsets = unset_list<std::uint32_t>(count + 1);
  std::vector<std::uint32_t> begin(ListThreads::ranges_of(count));
  const auto add_range = [&](std::size_t range, std::size_t from, std::size_t to, auto&& visit) {
    std::uint32_t at = begin[range];
    for (std::size_t i = from; i < to; ++i) {
      at += length_at(i);
      visit(i, at);
    }
    begin[range] = at;
  };
  if (begin.size() > 1) {
    ListThreads::for_numbered_ranges(
        count, [&](std::size_t range, std::size_t from, std::size_t to) {
          add_range(range, from, to, [](std::size_t, std::uint32_t) {});
        });
    std::uint32_t at = 0;
    for (std::uint32_t& of_range : begin) at += std::exchange(of_range, at);
  }
  offsets[0] = 0;
  ListThreads::for_numbered_ranges(count, [&](std::size_t range, std::size_t from, std::size_t to) {
    add_range(range, from, to, [&](std::size_t i, std::uint32_t at) { offsets[i + 1] = at; });
  });
  return offsets;
}

/// The largest entry, found by all threads of the scope; 0 of none.
[[nodiscard]] std::uint32_t largest_entry(std::span<const std::uint32_t> entries);

/// The numbers i of 0 .. count-1 for which `has(i)`, in order; each is asked once, by all threads
/// of the scope.
template <class Has>
[[nodiscard]] std::vector<std::uint32_t> entries_where(std::uint32_t count, const Has& has) {
  std::vector<std::uint32_t> found;
  std::vector<std::size_t> next(ListThreads::ranges_of(count));
  if (next.size() == 1) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (has(i)) found.push_back(i);
    }
    return found;
  }
  // What was answered, a bit each: what is asked may lie anywhere.
  constexpr std::size_t kWord = 64;
  std::vector<std::vector<std::uint64_t>> answers(next.size());
  ListThreads::for_numbered_ranges(
      count, [&](std::size_t range, std::size_t begin, std::size_t end) {
        std::vector<std::uint64_t> words((end - begin + kWord - 1) / kWord);
        std::size_t holds = 0;
        for (std::size_t w = 0; w < words.size(); ++w) {
          const std::size_t first = begin + w * kWord;
          const std::size_t bits = std::min(kWord, end - first);
          std::uint64_t word = 0;
          for (std::size_t b = 0; b < bits; ++b) {
            word |= std::uint64_t{has(static_cast<std::uint32_t>(first + b))} << b;
          }
          words[w] = word;
          holds += static_cast<std::size_t>(std::popcount(word));
        }
        answers[range] = std::move(words);
        next[range] = holds;
      });
  std::size_t all = 0;
  for (std::size_t& of_range : next) all += std::exchange(of_range, all);
  found = unset_list<std::uint32_t>(all);
  ListThreads::for_numbered_ranges(count, [&](std::size_t range, std::size_t begin, std::size_t) {
    std::size_t at = next[range];
    for (std::size_t w = 0; w < answers[range].size(); ++w) {
      for (std::uint64_t word = answers[range][w]; word != 0; word &= word - 1) {
        found[at++] = static_cast<std::uint32_t>(begin + w * kWord) +
                      static_cast<std::uint32_t>(std::countr_zero(word));
      }
    }
  });
  return found;
}

/// The same, for what holds of few.
template <class Has>
[[nodiscard]] std::vector<std::uint32_t> few_entries_where(std::uint32_t count, const Has& has) {
  std::vector<std::vector<std::uint32_t>> of_range(ListThreads::ranges_of(count));
  ListThreads::for_numbered_ranges(
      count, [&](std::size_t range, std::size_t begin, std::size_t end) {
        std::vector<std::uint32_t> found;
        for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
          if (has(i)) found.push_back(i);
        }
        of_range[range] = std::move(found);
      });
  std::vector<std::uint32_t> all = std::move(of_range.front());
  for (std::size_t range = 1; range < of_range.size(); ++range) {
    all.insert(all.end(), of_range[range].begin(), of_range[range].end());
  }
  return all;
}

/// result[i] = outer[inner[i]]: `gather (gather x outer) inner` is `gather x result`. Regular forms
/// stay regular where that costs nothing.
[[nodiscard]] Index compose(const Index& outer, const Index& inner);

/// Whether it reads rows 0 .. rows-1 in order.
[[nodiscard]] bool is_identity(const Index& index, std::uint32_t rows);

/// Whether its rows can be read in place, whatever its form: begin, begin + step, ..., step > 0.
[[nodiscard]] bool is_view(const Index& index);

/// The shortest l with index = p p ... p, |p| = l, whole periods only (dimension 1 repetition);
/// the whole length if nothing repeats. 0 for an empty index.
[[nodiscard]] std::uint32_t shortest_period(const Index& index);

/// The largest r with index = each of some list r times in a row (dimension 2 repetition); 1 if
/// nothing is interleaved. 0 for an empty index.
[[nodiscard]] std::uint32_t longest_interleaving(const Index& index);

/// The first `count` entries.
[[nodiscard]] Index first_rows(const Index& index, std::uint32_t count);
/// Every `step`-th entry from `begin` on.
[[nodiscard]] Index every_nth(const Index& index, std::uint32_t begin, std::uint32_t step);

/// The longest list that stays a list where it could be a Repeat or an Interleave.
inline constexpr std::uint32_t kShortList = 24;

/// The same rows in the simplest form: a Slice, else a Stride, else, of more than kShortList
/// entries, a Repeat or an Interleave, else the list as it is (not copied).
[[nodiscard]] Index simplest(const Index& index);

/// Whether its simplest form is not a list.
[[nodiscard]] bool is_regular(const Index& index);

/// Every row plus `by`; none of them may become negative.
[[nodiscard]] Index shifted(const Index& index, std::int64_t by);

/// The number of distinct rows in the index; all are below `bound`, which may be far larger.
[[nodiscard]] std::uint64_t count_distinct(const Index& index, std::uint32_t bound);

}  // namespace vecc
