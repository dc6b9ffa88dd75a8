// Which tables of a Plan are in a GPU's memory, and which in the host's.
#include "src/plan/place_tables.h"

#include <gtest/gtest.h>

#include <limits>

#include "src/support/quantity_text.h"
#include "tests/support/program_of_tables.h"

namespace vecc::test {
namespace {

constexpr std::uint64_t kPlenty = std::numeric_limits<std::uint64_t>::max();

Plan plan_of(const Program& program) {
  PlanOptions options;
  options.target = *find_target("h200");
  return make_plan(program, options);
}

std::string places_of(const std::vector<PlacedTable>& tables) {
  std::string text;
  for (const PlacedTable& table : tables) {
    text += table.name + " " + std::string(text_of(table.place)) + "\n";
  }
  return text;
}

void expect_says(const Result<std::vector<PlacedTable>>& refused,
                 const std::vector<std::string>& words) {
  ASSERT_FALSE(refused);
  const std::string text = refused.error().text();
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
}

class PlaceTables : public testing::Test {
 protected:
  [[nodiscard]] Result<std::vector<PlacedTable>> place(const PlaceOptions& places,
                                                       std::uint64_t room = kPlenty,
                                                       std::uint64_t host_room = kPlenty) const {
    return place_tables(plan, program, places, room, host_room, "gpu",
                        [](BufferIndex) { return std::optional<TablePlace>(); });
  }
  /// Beside the tables.
  [[nodiscard]] std::uint64_t others() const { return bytes_beside_tables(plan); }

  Program program = program_of_tables();
  Plan plan = plan_of(program);
};

TEST_F(PlaceTables, AllAreOnTheDeviceIfTheyFit) {
  const std::vector<PlacedTable> tables = place({}).value();
  EXPECT_EQ(places_of(tables), "cold device\nhot device\nfeatures/0 device\n");
  EXPECT_EQ(tables[0].bytes, 32000u);
  EXPECT_EQ(tables[0].moved, 128u);
  EXPECT_EQ(tables[1].moved, tables[1].bytes);
}

TEST_F(PlaceTables, WhatIsReadLeastForItsSizeGoesFirst) {
  EXPECT_EQ(places_of(place({}, others() + 32255).value()),
            "cold host\nhot device\nfeatures/0 device\n");
  PlaceOptions asked;
  asked.device_bytes = others() + 200;
  EXPECT_EQ(places_of(place(asked).value()), "cold host\nhot host\nfeatures/0 device\n");
}

TEST_F(PlaceTables, IndexArraysThatBatchesBringTakeNoRoom) {
  const auto nothing_there = [](BufferIndex) { return std::optional<TablePlace>(); };
  const std::uint64_t values = plan.arena_elements * byte_size(plan.dtype);
  ASSERT_GT(others(), values);
  EXPECT_FALSE(place_tables(plan, program, {}, values, kPlenty, "", nothing_there));
  EXPECT_TRUE(place_tables(plan, program, {}, values, kPlenty, "", nothing_there,
                           /*has_arrays=*/false));
}

TEST_F(PlaceTables, WishesAreKept) {
  PlaceOptions places;
  places.wishes = {{"hot", TablePlace::Host}, {"features/0", TablePlace::Host}};
  EXPECT_EQ(places_of(place(places).value()), "cold device\nhot host\nfeatures/0 host\n");
  places.wishes = {{"cold", TablePlace::Device}};
  const auto refused = place(places, others() + 1000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().list().front().code, ErrorCode::OutOfMemory);
  expect_says(refused, {"31.2 KB of tables", "it has ", " free. ", "--place=TABLE=host"});
}

TEST_F(PlaceTables, WhatFitsNowhereIsRefused) {
  EXPECT_FALSE(place({}, others() - 1));
  const auto refused = place({}, others() + 1000, 31999);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("of the host's memory"), std::string::npos);
}

// The cause, and places of tables only where these leave enough.
TEST_F(PlaceTables, TheRefusalNamesTheLimit) {
  PlaceOptions asked;
  asked.device_bytes = others() - 1;
  const auto values = place(asked);
  expect_says(values, {"--gpu-memory=" + text_of_bytes(others() - 1) + " leaves "});
  EXPECT_EQ(values.error().text().find("--place"), std::string::npos) << values.error().text();
  const auto there = [&](BufferIndex buffer) {
    const bool is_table = plan.buffers[buffer].kind == PlanBuffer::Kind::Parameter;
    return is_table ? std::optional(TablePlace::Device) : std::nullopt;
  };
  asked.device_bytes = others() + 32000;  // less than both, and the rest
  expect_says(place_tables(plan, program, asked, kPlenty, kPlenty, "", there),
              {" leaves ", " beside tables that are there (31.4 KB)", "--place=TABLE=host"});
}

TEST_F(PlaceTables, TablesThatAreThereStayAndCountNoMore) {
  const auto there = [&](BufferIndex buffer) {
    const bool is_cold = plan.buffers[buffer].kind == PlanBuffer::Kind::Parameter &&
                         plan.buffers[buffer].source == 0;
    return is_cold ? std::optional(TablePlace::Device) : std::nullopt;
  };
  const auto tables = place_tables(plan, program, {}, others() + 256, kPlenty, "", there).value();
  EXPECT_EQ(places_of(tables), "hot device\nfeatures/0 device\ncold device\n");
  PlaceOptions asked;  // of which the table there takes its part
  asked.device_bytes = others() + 32000 + 128;
  const auto less = place_tables(plan, program, asked, kPlenty, kPlenty, "", there).value();
  EXPECT_EQ(places_of(less), "hot host\nfeatures/0 device\ncold device\n");
}

TEST_F(PlaceTables, WhatIsReadLeastGoesToFilesByTheSameRule) {
  std::vector<PlacedTable> tables = find_tables(plan, program, TablePlace::Host);
  move_tables(tables, TablePlace::Host, TablePlace::File, 32255);
  EXPECT_EQ(places_of(tables), "cold file\nhot host\nfeatures/0 host\n");
  EXPECT_EQ(bytes_at(tables, TablePlace::Host), 256u);
  // What others have of it counts, and what was asked for, or is there, stays.
  tables = find_tables(plan, program, TablePlace::Host);
  tables[1].copies = 1000;
  tables[0].is_asked = true;
  move_tables(tables, TablePlace::Host, TablePlace::File, 32128);
  EXPECT_EQ(places_of(tables), "cold host\nhot file\nfeatures/0 host\n");
  tables[2].is_there = true;
  move_tables(tables, TablePlace::Host, TablePlace::File, 0);
  EXPECT_EQ(places_of(tables), "cold host\nhot file\nfeatures/0 host\n");
}

TEST_F(PlaceTables, NamesThatAreNotThereAreRefused) {
  PlaceOptions places;
  places.wishes = {{"hot", TablePlace::Host}, {"adam.m/hot", TablePlace::Host}};
  EXPECT_TRUE(check_places(places, program, true));
  const auto refused = check_places(places, program, false);
  ASSERT_FALSE(refused);
  EXPECT_NE(
      refused.error().text().find(R"(no table "adam.m/hot" in the program, which has "cold", )"
                                  R"("features/0", "hot")"),
      std::string::npos)
      << refused.error().text();
}

}  // namespace
}  // namespace vecc::test
