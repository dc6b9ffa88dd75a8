// _core's functions of rows by keys: vecc/nn/binding.py calls them with arrays of the right types.
// Where there are many rows, as many threads as there are cores share them.
#include <algorithm>
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

nb::object stable_order(const Numbers& keys, std::uint32_t bound) {
  InverseIndex rows;
  without_lock([&] {
    const ListThreads threads(0);
    rows = rows_by_key(span_of(keys), bound);
  });
  return array_of_list(std::move(rows.readers));
}

nb::object key_offsets(const Numbers& keys, std::uint32_t bound) {
  InverseIndex rows;
  without_lock([&] {
    const ListThreads threads(0);
    rows = rows_by_key(span_of(keys), bound);
  });
  return array_of_list(std::move(rows.offsets));
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

// Of the rows of one key: how many have the second key of each. `order` is for its own use.
void count_second(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> second,
                  std::vector<std::uint32_t>& order, std::vector<double>& counts) {
  order.assign(rows.begin(), rows.end());
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
    const InverseIndex rows = rows_by_key(span_of(keys), bound);
    counts = unset_list<double>(keys.size());
    ListThreads::for_ranges(bound, [&](std::size_t begin, std::size_t end) {
      std::vector<std::uint32_t> order;
      for (; begin < end; ++begin) {
        const std::uint32_t first = rows.offsets[begin];
        count_second(std::span(rows.readers).subspan(first, rows.offsets[begin + 1] - first),
                     span_of(second), order, counts);
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
  module.def("key_offsets", key_offsets, nb::arg("keys"), nb::arg("bound"),
             nb::sig("def key_offsets(keys: " VECC_ARRAY ", bound: int) -> " VECC_ARRAY),
             "Where the rows of each key begin in stable_order(), and the last end.");
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
