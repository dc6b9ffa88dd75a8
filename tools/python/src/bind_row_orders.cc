// _core's functions of rows by keys: vecc/nn/binding.py calls them with arrays of the right types.
// Where there are many rows, as many threads as there are cores share them.
#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "errors.h"
#include "program_builder.h"
#include "src/program/index_algebra.h"
#include "src/program/inverse_index.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"

namespace vecc::python_package {
namespace {

using Numbers = Column<std::uint32_t>;

// Every number has to be below `bound`.
void check_bound(std::span<const std::uint32_t> numbers, std::size_t bound) {
  if (numbers.size() > kMaxRows) raise_usage("rows", "are more than 32 bits number");
  const std::uint32_t most = largest_entry(numbers);
  if (numbers.empty() || most < bound) return;
  raise_usage("rows", "key " + std::to_string(most) + " is not there");
}

nb::object array_of_list(std::vector<std::uint32_t> list) {
  const std::size_t count = list.size();
  return array_of(std::move(list), {count});
}

InverseIndex rows_by_key(std::span<const std::uint32_t> keys, std::uint32_t bound) {
  check_bound(keys, bound);
  return inverse_index(keys, bound);
}

// The same of keys that do not fall: no list of rows, which is 0, 1, ...
std::vector<std::uint32_t> offsets_of_rising(std::span<const std::uint32_t> keys,
                                             std::uint32_t bound) {
  std::vector<std::uint32_t> offsets = unset_list<std::uint32_t>(bound + std::size_t{1});
  // Those of the keys above that of row i - 1, up to that of row i.
  const auto begin_at = [&](std::size_t i, std::uint32_t key) {
    const std::size_t above = i == 0 ? 0 : std::size_t{keys[i - 1]} + 1;
    for (std::size_t k = above; k <= key; ++k) offsets[k] = static_cast<std::uint32_t>(i);
  };
  ListThreads::for_ranges(keys.size(), [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) begin_at(begin, keys[begin]);
  });
  begin_at(keys.size(), bound);
  return offsets;
}

bool is_rising(std::span<const std::uint32_t> keys) {
  return holds_for_all(keys.size() - std::min<std::size_t>(keys.size(), 1),
                       [&](std::size_t i) { return keys[i] <= keys[i + 1]; });
}

// As inverse_index(), but without rows where these are in order.
InverseIndex groups_by_key(std::span<const std::uint32_t> keys, std::uint32_t bound) {
  if (!is_rising(keys)) return rows_by_key(keys, bound);
  check_bound(keys, bound);
  return {offsets_of_rising(keys, bound), {}};
}

nb::object row_groups(const Numbers& keys, std::uint32_t bound) {
  InverseIndex rows;
  without_lock([&] {
    const ListThreads threads(0);
    rows = groups_by_key(span_of(keys), bound);
  });
  const bool in_order = rows.readers.empty();
  nb::object order = in_order ? nb::none() : array_of_list(std::move(rows.readers));
  return nb::make_tuple(std::move(order), array_of_list(std::move(rows.offsets)));
}

nb::object stable_order(const Numbers& keys, std::uint32_t bound) {
  InverseIndex rows;
  without_lock([&] {
    const ListThreads threads(0);
    rows = rows_by_key(span_of(keys), bound);
  });
  return array_of_list(std::move(rows.readers));
}

nb::object take_numbers(const Numbers& values, const Numbers& rows) {
  std::vector<std::uint32_t> taken;
  without_lock([&] {
    const ListThreads threads(0);
    check_bound(span_of(rows), values.size());
    taken = vecc::list_of(
        static_cast<std::uint32_t>(rows.size()),
        [from = values.data(), at = rows.data()](std::uint32_t i) { return from[at[i]]; });
  });
  return array_of_list(std::move(taken));
}

// Of the rows of one key, which are put in some order: how many have the second key of each.
void count_second(std::span<std::uint32_t> order, std::span<const std::uint32_t> second,
                  std::vector<double>& counts) {
  std::ranges::sort(order, {}, [&](std::uint32_t row) { return second[row]; });
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && second[order[end]] == second[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      counts[order[i]] = static_cast<double>(end - begin);
    }
  }
}

nb::object count_pairs(const Numbers& keys, std::uint32_t bound, const Numbers& second) {
  if (second.size() != keys.size()) raise_usage("rows", "have two keys each");
  std::vector<double> counts;
  without_lock([&] {
    const ListThreads threads(0);
    const InverseIndex rows = groups_by_key(span_of(keys), bound);
    counts = unset_list<double>(keys.size());
    ListThreads::for_ranges(bound, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint32_t> order;
      for (; begin < end; ++begin) {
        const std::uint32_t first = rows.offsets[begin];
        order.resize(rows.offsets[begin + 1] - first);
        if (rows.readers.empty()) {
          std::iota(order.begin(), order.end(), first);
        } else {
          std::copy_n(rows.readers.begin() + first, order.size(), order.begin());
        }
        count_second(order, span_of(second), counts);
      }
    });
  });
  const std::size_t count = counts.size();
  return array_of(std::move(counts), {count});
}

// A row of `size` numbers for each class, which are 0 but for the class's.
nb::object one_hot(const Numbers& classes, std::uint32_t size) {
  std::vector<double> rows;
  without_lock([&] {
    const ListThreads threads(0);
    check_bound(span_of(classes), size);
    rows = long_list<double>(classes.size() * size);
    ListThreads::for_ranges(classes.size(), [&](std::size_t begin, std::size_t end) {
      for (; begin < end; ++begin) rows[begin * size + classes.data()[begin]] = 1;
    });
  });
  return array_of(std::move(rows), {classes.size(), size});
}

}  // namespace

void bind_row_orders(nb::module_& module) {
  module.def("stable_order", stable_order, nb::arg("keys"), nb::arg("bound"),
             nb::sig("def stable_order(keys: " VECC_ARRAY ", bound: int) -> " VECC_ARRAY),
             "Row numbers by rising key, rows of one key in their order: linear.");
  module.def("row_groups", row_groups, nb::arg("keys"), nb::arg("bound"),
             nb::sig("def row_groups(keys: " VECC_ARRAY ", bound: int) -> tuple[" VECC_ARRAY
                     " | None, " VECC_ARRAY "]"),
             "stable_order(), None where that is the order they have; and where the rows of each "
             "key begin in it, and the last end.");
  module.def(
      "take_numbers", take_numbers, nb::arg("values"), nb::arg("rows"),
      nb::sig("def take_numbers(values: " VECC_ARRAY ", rows: " VECC_ARRAY ") -> " VECC_ARRAY),
      "values[rows]");
  module.def("count_pairs", count_pairs, nb::arg("keys"), nb::arg("bound"), nb::arg("second"),
             nb::sig("def count_pairs(keys: " VECC_ARRAY ", bound: int, second: " VECC_ARRAY
                     ") -> " VECC_ARRAY),
             "By row: how many rows have both of its keys.");
  module.def("one_hot", one_hot, nb::arg("classes"), nb::arg("size"),
             nb::sig("def one_hot(classes: " VECC_ARRAY ", size: int) -> " VECC_ARRAY));
}

}  // namespace vecc::python_package
