// Functions that move entries of rows (concats, slices, transposed matrices): of what is loaded, of
// what the same kernel computes, and before products.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/backends/program_check.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kMovedRows = 5;

ValueId random_column(Program& p, std::uint32_t size, std::uint32_t seed) {
  return random_fact(p, kMovedRows, size == 1 ? Shape::scalar() : Shape::column(size), seed);
}
ValueId map_rows(Program& p, const std::string& expr, const std::vector<ValueId>& operands) {
  return p.map(*parse_expr(expr, "test"), operands);
}
ValueId slice_rows(Program& p, ValueId x, std::vector<std::uint32_t> words) {
  return p.transform(x, {.id = Transformation::Slice, .target = {}}, std::move(words));
}
ValueId transpose_rows(Program& p, ValueId x) {
  return p.transform(x, {.id = Transformation::Transp, .target = {}});
}

// Concats of concats, functions of which are stored part by part: with numbers, of one length, of
// several, and so long that blocks share a row.
TEST(Moved, ConcatsStoredInParts) {
  const std::vector<std::vector<std::uint32_t>> sizes = {
      {1, 1}, {3, 1, 5}, {64, 64, 64}, {64, 32, 8}, {700, 700, 1}};
  for (const std::vector<std::uint32_t>& each : sizes) {
    std::string name;
    for (const std::uint32_t size : each) name += std::to_string(size) + " ";
    expect_agreement("concat of " + name, [&](Program& p) {
      std::string list;
      std::vector<ValueId> parts;
      for (const std::uint32_t size : each) {
        list += (list.empty() ? "$" : ", $") + std::to_string(parts.size());
        parts.push_back(map_rows(p, "tanh($0)", {random_column(p, size, size + 1)}));
      }
      const ValueId all = map_rows(p, "concat(" + list + ")", parts);
      const ValueId number = random_column(p, 1, 77);
      const ValueId scaled = map_rows(p, "elproduct($0, $1)", {all, number});
      map_rows(p, "concat($0, $1, tanh(sum($0, $1)), $2)", {all, scaled, number});
    });
  }
}

TEST(Moved, ConcatsReadWhole) {
  expect_agreement("softmax of a concat", [](Program& p) {
    const ValueId all =
        map_rows(p, "concat($0, $1)",
                 {random_column(p, 64, 1), map_rows(p, "tanh($0)", {random_column(p, 96, 2)})});
    map_rows(p, "elproduct($0, $1)", {map_rows(p, "softmax($0)", {all}), all});
  });
}

// Parts of a long row: loaded, computed, of one entry, next to one another.
TEST(Moved, SlicesOfLongRows) {
  expect_agreement("slices", [](Program& p) {
    const ValueId loaded = random_column(p, 160, 1);
    const ValueId made = map_rows(p, "sum($0, tanh($1))", {loaded, random_column(p, 160, 2)});
    for (const ValueId x : {loaded, made}) {
      const ValueId first = slice_rows(p, x, {0, 64, 0, 1});
      const ValueId last = slice_rows(p, x, {61, 125, 0, 1});
      map_rows(p, "elproduct(sigmoid($0), tanh($1))", {first, last});
      map_rows(p, "tanh($0)", {slice_rows(p, x, {7, 8, 0, 1})});
    }
  });
}

TEST(Moved, MatricesOfOneRowAndOfMany) {
  for (const std::uint32_t rows : {1u, kMovedRows}) {
    expect_agreement("matrices of " + std::to_string(rows), [&](Program& p) {
      const ValueId loaded = random_fact(p, rows, Shape(12, 20), 1);
      const ValueId made = map_rows(p, "tanh($0)", {loaded});
      for (const ValueId x : {loaded, made}) {
        const ValueId turned = transpose_rows(p, x);
        const ValueId part = slice_rows(p, x, {2, 11, 3, 17});
        map_rows(p, "sum($0, $1)",
                 {transpose_rows(p, slice_rows(p, turned, {3, 17, 2, 11})), part});
        p.linear(turned, random_fact(p, rows, Shape::column(12), 3));
        p.linear(x, random_fact(p, rows, Shape::column(20), 4));
      }
    });
  }
}

}  // namespace
}  // namespace vecc::test
