// Rows that are kept where classes are numbered in the order of their first rows.
#include "optimizer/rewrite/row_map.h"

#include <gtest/gtest.h>

#include <random>

#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

// One row in `repeats` has a class that was there before, any of them.
std::vector<std::uint32_t> numbered_rows(std::uint32_t rows, std::uint32_t repeats) {
  std::mt19937 random(rows);
  std::vector<std::uint32_t> classes;
  std::uint32_t next = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    classes.push_back(next > 0 && random() % repeats == 0 ? random() % next : next++);
  }
  return classes;
}

TEST(RowMap, of_numbered_classes_is_that_of_any_classes) {
  for (const std::uint32_t rows : {0u, 1u, 2u, 1000u, 200'000u}) {
    for (const std::uint32_t repeats : {1u, 2u, 1000u}) {
      const std::vector<std::uint32_t> classes = numbered_rows(rows, repeats);
      std::uint32_t count = 0;
      for (const std::uint32_t number : classes) count = std::max(count, number + 1);
      const RowMap expected = RowMap::of_classes(classes, count);
      for (const std::uint32_t threads : {1u, 2u, 5u}) {
        const ListThreads scope(threads);
        const RowMap found = RowMap::of_numbered(classes, count);
        EXPECT_EQ(found.identity, expected.identity);
        EXPECT_EQ(found.kept, expected.kept) << rows << " rows, " << threads << " threads";
        EXPECT_EQ(found.place, expected.place);
      }
    }
  }
}

}  // namespace
}  // namespace vecc::opt
