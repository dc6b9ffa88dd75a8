// Which rows of a host table are on the device, and who reads them where they lie then.
#include "src/plan/hot_rows.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

#include "src/plan/launch_schedules.h"
#include "src/plan/place_tables.h"
#include "src/plan/renumber_rows.h"
#include "src/plan/row_reads.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kFeatureRows = 8;
constexpr std::uint64_t kFeatureRowBytes = 4 * sizeof(float);

// Rows of a fact that are multiplied row by row, and whose products are read by a list; and the
// same rows, read by a list (row 6 three times, 2 twice, 0 once).
Program program_of_features() {
  Program program;
  program.set_sample_count(5);
  std::vector<double> values(kFeatureRows * 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const ValueId features =
      program.fact(std::move(values), kFeatureRows, Shape::column(4), Note("features"));
  const ValueId weight = program.weight(
      *program.add_parameter({"w", 1, Shape(4, 4), SharedNumbers::repeated(16, 0.5)}));
  const ValueId products = program.linear(
      program.gather(weight, Index::list(std::vector<std::uint32_t>(kFeatureRows))), features);
  const ValueId read = program.gather(features, Index::list({6, 6, 2, 2, 6, 0}));
  const ValueId sums =
      program.segment(read, Segments::ragged({0, 2, 3, 4, 5, 6}), Combination::Sum);
  const ValueId of_products = program.gather(products, Index::list({5, 5, 5, 1, 1}));
  const ValueId operands[] = {sums, of_products};
  program.output(program.map(*parse_expr("sum($0, $1)", "test"), operands), Index::slice(0, 5));
  return program;
}

Plan plan_on_gpu(const Program& program) {
  PlanOptions options;
  options.target = *find_target("h200");
  return make_plan(program, options);
}

BufferIndex fact_of(const Plan& plan) {
  for (BufferIndex b = 0; b < plan.buffers.size(); ++b) {
    if (plan.buffers[b].kind == PlanBuffer::Kind::Constant) return b;
  }
  return kNone;
}

class HotRowsOf : public testing::Test {
 protected:
  [[nodiscard]] std::vector<PlacedTable> tables_on_host() const {
    std::vector<PlacedTable> tables = find_tables(plan, program, TablePlace::Device);
    for (PlacedTable& table : tables) {
      if (table.buffer == fact) table.place = TablePlace::Host;
    }
    return tables;
  }
  [[nodiscard]] static const PlacedTable& facts(const std::vector<PlacedTable>& tables) {
    return *std::ranges::find(tables, "features", &PlacedTable::name);
  }

  Program program = program_of_features();
  Plan plan = plan_on_gpu(program);
  BufferIndex fact = fact_of(plan);
};

TEST_F(HotRowsOf, reads_are_counted) {
  const auto reads = count_row_reads(plan, program, fact, /*by_batches=*/false);
  ASSERT_TRUE(reads);
  EXPECT_EQ(reads->row_elements, 4u);
  EXPECT_EQ(reads->counts, (std::vector<std::uint32_t>{2, 1, 3, 1, 1, 1, 4, 1}));
  EXPECT_EQ(reads->list_entries, 14u);
}

// Of what is computed row by row, a batch needs what is read then.
TEST_F(HotRowsOf, reads_of_batches_are_those_of_what_is_computed) {
  const auto reads = count_row_reads(plan, program, fact, /*by_batches=*/true);
  ASSERT_TRUE(reads);
  EXPECT_EQ(reads->counts, (std::vector<std::uint32_t>{2, 2, 3, 1, 1, 3, 4, 1}));
}

TEST(HotFirst, both_parts_stay_in_the_order_of_rows) {
  using Rows = std::vector<std::uint32_t>;
  EXPECT_EQ(order_hot_first({2, 1, 3, 1, 1, 3, 4, 1}, 3), (Rows{2, 5, 6, 0, 1, 3, 4, 7}));
  EXPECT_EQ(order_hot_first({1, 1, 1}, 2), (Rows{0, 1, 2}));
  EXPECT_EQ(order_hot_first({1, 2}, 5), (Rows{0, 1}));
  EXPECT_EQ(order_hot_first({}, 0), Rows{});
}

// All that read rows read the same ones; schedules, and so the orders of sums, are as before.
TEST_F(HotRowsOf, rows_that_change_places_are_read_where_they_lie) {
  const Plan before = plan;
  const std::vector<std::uint32_t> order{2, 6, 0, 1, 3, 4, 5, 7};
  renumber_rows(plan, program, fact, 4, order);
  const Result<void> verified = verify(plan);
  EXPECT_TRUE(verified) << verified.error().text();
  std::uint32_t lists = 0;
  std::uint32_t renumbered = 0;
  LaunchSchedules schedules(plan);
  LaunchSchedules schedules_before(before);
  for (std::size_t l = 0; l < plan.launches.size(); ++l) {
    const Launch& launch = plan.launches[l];
    EXPECT_EQ(schedules.of(launch).schedule->members,
              schedules_before.of(before.launches[l]).schedule->members);
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      if (launch.accesses[a].buffer != fact) continue;
      ++lists;
      const KernelAccess& access = plan.kernels[launch.kernel].accesses[a];
      const AccessBinding& old = before.launches[l].accesses[a];
      renumbered += access.renumbered ? 1 : 0;
      ASSERT_EQ(access.map, RowMap::List);
      const auto& list = *plan.arrays[launch.accesses[a].list];
      for (std::uint32_t i = 0; i < list.size(); ++i) {
        EXPECT_EQ(order[list[i]], old.list == kNone ? i : (*before.arrays[old.list])[i]);
      }
    }
  }
  // A golden text: the kernel that read the rows one after another.
  EXPECT_NE(text_of(plan, program).find("load 4x1 row list renumbered aligned"), std::string::npos)
      << text_of(plan, program);
  EXPECT_EQ(lists, 2u);
  EXPECT_EQ(renumbered, 1u);
  // The host finds the fact's rows, too.
  for (ValueId id = 0; id < plan.places.size(); ++id) {
    if (plan.places[id].buffer != fact) continue;
    const Index& view = plan.views[plan.places[id].view];
    for (std::uint32_t i = 0; i < view.size(); ++i) {
      EXPECT_EQ(order[view[i]],
                before.places[id].view == kNone ? i : before.views[before.places[id].view][i]);
    }
  }
}

TEST_F(HotRowsOf, a_page_of_rows_is_on_the_device_where_there_is_room) {
  std::vector<PlacedTable> tables = tables_on_host();
  const std::uint64_t lists = 14 * sizeof(std::uint32_t);
  EXPECT_FALSE(place_hot_rows(plan, program, tables, lists + 2 * kFeatureRowBytes - 1,
                              2 * kFeatureRowBytes,
                              /*by_batches=*/false));
  EXPECT_TRUE(place_hot_rows(plan, program, tables, lists + 2 * kFeatureRowBytes,
                             2 * kFeatureRowBytes,
                             /*by_batches=*/false));
  ASSERT_TRUE(facts(tables).hot);
  EXPECT_EQ(facts(tables).hot->rows, 2u);
  EXPECT_EQ(facts(tables).hot->of, kFeatureRows);
  EXPECT_EQ(facts(tables).hot->bytes, 2 * kFeatureRowBytes);
  EXPECT_EQ(*facts(tables).hot->order, (std::vector<std::uint32_t>{2, 6, 0, 1, 3, 4, 5, 7}));
  EXPECT_NE(text_of(tables).find("host, 2 of 8 rows on the device (32 B)"), std::string::npos)
      << text_of(tables);
}

TEST_F(HotRowsOf, a_row_may_lie_on_both_sides_of_a_page) {
  std::vector<PlacedTable> tables = tables_on_host();
  EXPECT_TRUE(place_hot_rows(plan, program, tables, 1000, 24, /*by_batches=*/false));
  EXPECT_EQ(facts(tables).hot->bytes, 96u);  // 128 less a page, in pages
  EXPECT_EQ(facts(tables).hot->rows, 6u);
  tables = tables_on_host();
  EXPECT_TRUE(place_hot_rows(plan, program, tables, 1000, 40, /*by_batches=*/false));
  EXPECT_EQ(facts(tables).hot->bytes, 80u);
  EXPECT_EQ(facts(tables).hot->rows, 5u);
}

TEST_F(HotRowsOf, rows_that_nothing_reads_are_not_on_the_device) {
  Program few;
  few.set_sample_count(2);
  const ValueId rows =
      few.fact(std::vector<double>(32, 0.5), 8, Shape::column(4), Note("features"));
  few.output(
      few.map(*parse_expr("tanh($0)", "test"), std::array{few.gather(rows, Index::list({7, 5}))}),
      Index::slice(0, 2));
  program = std::move(few);
  plan = plan_on_gpu(program);
  fact = fact_of(plan);
  std::vector<PlacedTable> tables = tables_on_host();
  EXPECT_TRUE(place_hot_rows(plan, program, tables, 1000, 16, /*by_batches=*/false));
  EXPECT_EQ(facts(tables).hot->rows, 2u);
  EXPECT_EQ(*facts(tables).hot->order, (std::vector<std::uint32_t>{5, 7, 0, 1, 2, 3, 4, 6}));
  // Rows larger than the room are left.
  tables = tables_on_host();
  EXPECT_FALSE(place_hot_rows(plan, program, tables, 20, 8, /*by_batches=*/false));
}

TEST_F(HotRowsOf, a_table_that_was_asked_for_is_where_it_was_asked_to_be) {
  std::vector<PlacedTable> tables = tables_on_host();
  for (PlacedTable& table : tables) table.is_asked = true;
  EXPECT_FALSE(place_hot_rows(plan, program, tables, 1000, 16, /*by_batches=*/false));
}

// Matrices that launches read by the type of a tile lie one behind the other.
TEST(HotRows, matrices_of_types_stay_where_they_are) {
  Program program;
  constexpr std::uint32_t kColumns = 3000;
  program.set_sample_count(kColumns);
  const ValueId matrices =
      program.fact(std::vector<double>(3 * 64 * 64, 0.5), 3, Shape(64, 64), Note("matrices"));
  const ValueId columns = program.weight(
      *program.add_parameter({"w", kColumns, Shape::column(64),
                              SharedNumbers::repeated(std::size_t{kColumns} * 64, 0.5)}));
  std::vector<std::uint32_t> types(kColumns);
  for (std::uint32_t i = 0; i < kColumns; ++i) types[i] = i % 3;
  const ValueId of_rows = program.gather(matrices, Index::list(std::move(types)));
  program.output(program.linear(of_rows, columns), Index::slice(0, kColumns));
  Plan plan = plan_on_gpu(program);
  EXPECT_FALSE(count_row_reads(plan, program, fact_of(plan), false));
  std::vector<PlacedTable> tables = find_tables(plan, program, TablePlace::Host);
  EXPECT_FALSE(place_hot_rows(plan, program, tables, 1 << 20, 4096, /*by_batches=*/false));
  EXPECT_NE(text_of(tables).find("host, none of its rows on the device"), std::string::npos)
      << text_of(tables);
}

TEST(RoomBesideTables, is_what_neither_these_nor_hot_rows_take) {
  const Program program = program_of_features();
  const Plan plan = plan_on_gpu(program);
  const std::uint64_t others = bytes_beside_tables(plan);
  const std::vector<PlacedTable> none;
  PlaceOptions places;
  EXPECT_EQ(room_beside(plan, none, places, others + 800), 800u);
  EXPECT_EQ(room_beside(plan, none, places, others / 2), 0u);
  places.device_bytes = others + 800;
  EXPECT_EQ(room_beside(plan, none, places, 1 << 20), 800u);
  PlacedTable table;
  table.bytes = 160;
  EXPECT_EQ(room_beside(plan, {table}, places, 1 << 20), 640u);
  table.is_there = true;
  EXPECT_EQ(room_beside(plan, {table}, places, 1 << 20), 640u);
  EXPECT_EQ(room_beside(plan, {table}, {}, others + 800), 800u);
  table.place = TablePlace::Host;
  table.hot.emplace().bytes = 100;
  EXPECT_EQ(room_beside(plan, {table}, places, 1 << 20), 700u);
}

}  // namespace
}  // namespace vecc::test
