// Launches that read the host's rows by a list go through these in the order of addresses.
#include "src/plan/address_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string>

#include "src/plan/device_arrays.h"
#include "src/plan/launch_schedules.h"

namespace vecc::test {
namespace {

constexpr std::uint64_t kPlenty = std::numeric_limits<std::uint64_t>::max();

class OrderByAddress : public testing::Test {
 protected:
  void plan_it() {
    PlanOptions options;
    options.target = *find_target("h200");
    plan = make_plan(program, options);
    tables = find_tables(plan, program, TablePlace::Device);
  }
  void to_host(const std::string& name) {
    std::ranges::find(tables, name, &PlacedTable::name)->place = TablePlace::Host;
  }
  ValueId table(const char* name, std::uint32_t rows, Shape shape) {
    auto values = SharedNumbers::repeated(rows * shape.size(), 0.5);
    return program.weight(*program.add_parameter({name, rows, shape, std::move(values)}));
  }
  // The entries of the list by which a launch reads a table, in the order of its rows.
  [[nodiscard]] std::vector<std::uint32_t> entries_of(const std::string& name) const {
    const BufferIndex of = std::ranges::find(tables, name, &PlacedTable::name)->buffer;
    std::vector<std::uint32_t> entries;
    for (const Launch& launch : plan.launches) {
      for (const AccessBinding& access : launch.accesses) {
        if (access.buffer != of || access.list == kNone) continue;
        for (std::uint32_t at = 0; at < launch.rows; ++at) {
          const std::uint32_t row = launch.order == kNone ? at : (*plan.arrays[launch.order])[at];
          entries.push_back((*plan.arrays[access.list])[row]);
        }
      }
    }
    return entries;
  }

  Program program;
  Plan plan;
  std::vector<PlacedTable> tables;
};

TEST_F(OrderByAddress, rows_rise_where_the_table_of_the_longest_rows_is_on_the_host) {
  program.set_sample_count(6);
  const std::array both{
      program.gather(table("wide", 9, Shape::column(8)), Index::list({5, 0, 8, 5, 3, 1})),
      program.gather(table("narrow", 9, Shape()), Index::list({2, 1, 0, 8, 4, 4}))};
  program.output(program.map(*parse_expr("elproduct(tanh($0), $1)", "test"), both),
                 Index::slice(0, 6));
  plan_it();
  const Plan before = plan;
  EXPECT_FALSE(order_rows_by_address(plan, tables, kPlenty));  // all on the device
  to_host("wide");
  to_host("narrow");
  ASSERT_TRUE(order_rows_by_address(plan, tables, kPlenty));
  EXPECT_EQ(entries_of("wide"), (std::vector<std::uint32_t>{0, 1, 3, 5, 5, 8}));
  EXPECT_EQ(entries_of("narrow"), (std::vector<std::uint32_t>{1, 4, 4, 2, 8, 0}));
  const Result<void> verified = verify(plan);
  EXPECT_TRUE(verified) << verified.error().text();
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {  // each row is computed as before
    EXPECT_EQ(*LaunchSchedules(plan).of(plan.launches[l]).schedule,
              *LaunchSchedules(before).of(before.launches[l]).schedule);
  }
  EXPECT_FALSE(order_rows_by_address(plan, tables, kPlenty));  // they rise
}

// And those of segments are as they were.
TEST_F(OrderByAddress, rows_of_segments_stay) {
  program.set_sample_count(2);
  const ValueId read =
      program.gather(table("wide", 9, Shape::column(8)), Index::list({5, 0, 8, 5}));
  program.output(program.segment(read, Segments::ragged({0, 1, 4}), Combination::Sum),
                 Index::slice(0, 2));
  plan_it();
  to_host("wide");
  EXPECT_FALSE(order_rows_by_address(plan, tables, kPlenty));
}

// Tiles have a type: rows of one change places with one another alone.
TEST_F(OrderByAddress, rows_of_a_type_stay_together) {
  constexpr std::uint32_t kColumns = 3000;
  program.set_sample_count(kColumns);
  std::vector<std::uint32_t> types(kColumns);
  std::vector<std::uint32_t> rows(kColumns);
  for (std::uint32_t i = 0; i < kColumns; ++i) {
    types[i] = i % 3;
    rows[i] = i * 577 % 901;
  }
  const ValueId matrices =
      program.gather(table("matrices", 3, Shape(64, 64)), Index::list(std::move(types)));
  const ValueId columns =
      program.gather(table("columns", 901, Shape::column(64)), Index::list(std::move(rows)));
  program.output(program.linear(matrices, columns), Index::slice(0, kColumns));
  plan_it();
  const Plan before = plan;
  to_host("columns");
  ASSERT_TRUE(order_rows_by_address(plan, tables, kPlenty));
  const Result<void> verified = verify(plan);
  EXPECT_TRUE(verified) << verified.error().text();
  const std::vector<std::uint32_t> entries = entries_of("columns");
  std::size_t falls = 0;
  for (std::size_t i = 1; i < entries.size(); ++i) falls += entries[i] < entries[i - 1] ? 1 : 0;
  EXPECT_EQ(entries.size(), kColumns);
  EXPECT_EQ(falls, 2u);  // between types
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const Launch& launch = plan.launches[l];
    const Launch& old = before.launches[l];
    EXPECT_TRUE(std::ranges::equal(launch.tile_types, old.tile_types));
    if (launch.order == old.order) continue;
    for (std::uint32_t at = 0; at < launch.rows; ++at) {
      EXPECT_EQ((*plan.arrays[launch.order])[at] % 3, (*before.arrays[old.order])[at] % 3);
    }
  }
}

// An order is there only where there is room for it, and takes no more than that.
TEST_F(OrderByAddress, takes_the_room_that_there_is) {
  for (const std::uint32_t rows : {1000u, 70'000u}) {  // 70,000: with lists of 32 bits, too
    program = Program();
    program.set_sample_count(rows);
    std::vector<std::uint32_t> list(rows);
    for (std::uint32_t i = 0; i < rows; ++i) list[i] = i * 67 % 211;
    const ValueId read =
        program.gather(table("wide", 211, Shape::column(8)), Index::list(std::move(list)));
    program.output(program.transform(read, {Transformation::Tanh, 0.01, {}}),
                   Index::slice(0, rows));
    plan_it();
    to_host("wide");
    const std::uint64_t before = bytes_of_device_arrays(plan);
    const std::uint64_t arrays = plan.arrays.size();
    const std::uint64_t order = device_array_bytes(std::uint64_t{rows} * 4);
    const std::uint64_t most = rows > 0x10000 ? 2 * order : order;
    EXPECT_FALSE(order_rows_by_address(plan, tables, most - 1));
    EXPECT_EQ(plan.arrays.size(), arrays);
    EXPECT_EQ(bytes_of_device_arrays(plan), before);
    EXPECT_TRUE(order_rows_by_address(plan, tables, most));
    EXPECT_TRUE(std::ranges::is_sorted(entries_of("wide")));
    EXPECT_GT(bytes_of_device_arrays(plan), before);
    EXPECT_LE(bytes_of_device_arrays(plan), before + most);
  }
}

}  // namespace
}  // namespace vecc::test
