// What the statement of memory counts where, and what it puts in files for want of room.
#include "tools/common/memory_statement.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "src/plan/plan_tables.h"
#include "src/support/mapped_file.h"
#include "tests/graph_io/temporary_folder.h"
#include "tests/support/program_of_tables.h"
#include "vecc/batch.h"
#include "vecc/plan.h"

namespace vecc::tools::test {
namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

class MemoryStatementTest : public testing::Test {
 protected:
  MemoryStatementTest() {
    places.folder = folder_.path();
    later.of_facts = {{"features/0", 64 * kMega}, {"others/1", kMega}};
    later.facts = 65 * kMega;
    later.values = 32 * kMega;
  }
  void SetUp() override {
    const auto folder = find_file_folder(places.folder);
    if (folder && folder->is_memory) GTEST_SKIP() << places.folder << " is memory";
  }
  // A step of which the process may hold so much more than it does; 0: what is free.
  Result<void> state(std::uint64_t more) {
    tables = find_tables(plan_, program_, TablePlace::Host);
    take_wishes(tables, places);
    const std::uint64_t most = more == 0 ? 0 : process_memory().resident + more;
    MemoryStatement statement(most, nullptr);
    VECC_TRY_VOID(statement.expect(later, copies, 8 * kMega));
    const BatchOptions* const of = batch ? &*batch : nullptr;
    if (batch) kept_bytes = batch->kept_bytes;
    VECC_TRY_VOID(statement.state({program_, plan_, of, &places, &tables, &kept_bytes}, nullptr));
    std::string words;
    nlohmann::ordered_json all;
    statement.describe(words, all);
    numbers = all["memory"];
    kept = statement.kept_copies();
    return {};
  }
  void plan_of_many_rows() {
    constexpr std::uint32_t kRows = 1 << 20;
    program_ = Program();
    program_.set_sample_count(kRows);
    const ValueId table = program_.weight(
        *program_.add_parameter({"table", 1, Shape::column(8), SharedNumbers::repeated(8, 0.5)}));
    const ValueId rows = program_.gather(table, Index::list(std::vector<std::uint32_t>(kRows)));
    program_.output(program_.transform(rows, {Transformation::Tanh, 0.01, {}}),
                    Index::slice(0, kRows));
    plan_ = make_plan(program_);
  }
  [[nodiscard]] std::string placed() const {
    std::string text;
    for (const PlacedTable& table : tables) {
      text += table.name + " " + std::string(text_of(table.place)) + "\n";
    }
    return text;
  }

  PlaceOptions places;
  MemoryNeed later;
  WeightCopies copies;
  std::optional<BatchOptions> batch;  // none: a step of all samples
  std::uint64_t kept_bytes = 0;       // of a batch: what the statement lets stay
  std::vector<PlacedTable> tables;
  nlohmann::ordered_json numbers;
  KeptCopies kept;
  Program program_ = vecc::test::program_of_tables();
  Plan plan_ = make_plan(program_);

 private:
  vecc::test::TemporaryFolder folder_;
};

constexpr const char* kAllInMemory = "cold host\nhot host\nfeatures/0 host\n";

TEST_F(MemoryStatementTest, HasNoFilesWithoutWantOfThem) {
  ASSERT_TRUE(state(0));
  EXPECT_EQ(placed(), kAllInMemory);
  EXPECT_EQ(numbers["file_bytes"], 0);
  EXPECT_EQ(numbers["to_come"]["facts"], 65 * kMega + 128);
  EXPECT_EQ(numbers["to_come"]["parameters"], 32000 + 128);
  ASSERT_TRUE(state(1000 * kMega));
  EXPECT_EQ(placed(), kAllInMemory);
  EXPECT_EQ(kept.bytes, 0u);
}

TEST_F(MemoryStatementTest, CountsWhatIsAskedForInFilesApart) {
  places.wishes = {{"cold", TablePlace::File}, {"features/0", TablePlace::File}};
  copies = {2, 1};
  ASSERT_TRUE(state(0));
  // With what evaluations have of the fact, two copies of all weights and one that is being made.
  EXPECT_EQ(numbers["file_bytes"], 32000 + 128 + 64 * kMega + 24 * kMega);
  EXPECT_EQ(numbers["to_come"]["facts"], kMega);
  EXPECT_EQ(numbers["to_come"]["parameters"], 128);
  EXPECT_EQ(numbers["to_come"]["copies of weights"], 0);
  EXPECT_EQ(kept.bytes, 8 * kMega);
  EXPECT_EQ(kept.folder, places.folder);
}

TEST_F(MemoryStatementTest, PutsInFilesWhatHasNoRoom) {
  // The fact alone makes room, with its copies; what is smaller and colder comes back.
  ASSERT_TRUE(state(50 * kMega));
  EXPECT_EQ(placed(), "cold host\nhot host\nfeatures/0 file\n");
  EXPECT_EQ(numbers["file_bytes"], 64 * kMega + 128);
  // The peak, which counts more than what is listed, is within the limit, too.
  ASSERT_TRUE(state(99 * kMega));
  EXPECT_EQ(placed(), "cold host\nhot host\nfeatures/0 file\n");
  // Copies of weights go first.
  copies = {2, 2};
  ASSERT_TRUE(state(110 * kMega));
  EXPECT_EQ(placed(), kAllInMemory);
  EXPECT_EQ(numbers["file_bytes"], 32 * kMega);
  EXPECT_EQ(numbers["to_come"]["copies of weights"], 0);
}

TEST_F(MemoryStatementTest, RefusesWhatHasNoRoomAllTheSame) {
  const auto too_little = state(20 * kMega);
  ASSERT_FALSE(too_little);
  EXPECT_EQ(too_little.error().list().front().code, ErrorCode::OutOfMemory);
  places.wishes = {{"features/0", TablePlace::Host}};
  EXPECT_FALSE(state(50 * kMega));
  EXPECT_EQ(placed(), "cold file\nhot file\nfeatures/0 host\n");
}

TEST_F(MemoryStatementTest, LetsValuesOfBatchesStayWhereMemoryIsFree) {
  plan_of_many_rows();
  const std::uint64_t values = host_memory(program_, plan_).values;
  ASSERT_GE(values, 32 * kMega);
  batch.emplace();
  batch->kept_bytes = kMega;
  ASSERT_TRUE(state(1000 * kMega));
  EXPECT_EQ(kept_bytes, kMega);
  batch->keeps_more = true;
  ASSERT_TRUE(state(1000 * kMega));
  EXPECT_EQ(kept_bytes, values);
  EXPECT_EQ(numbers["to_come"]["values"], later.values + values);
  // A quarter of what is left beside what has to be there; the process has some more by then.
  std::uint64_t needed = kMega - values;
  for (const auto& part : numbers["to_come"]) needed += part.get<std::uint64_t>();
  ASSERT_TRUE(state(needed + 40 * kMega));
  EXPECT_NEAR(static_cast<double>(kept_bytes), 11.0 * kMega, 2.0 * kMega);
  EXPECT_EQ(numbers["to_come"]["values"], later.values + kept_bytes);
  // All stay as it is.
  batch->kept_bytes = 2 * values;
  ASSERT_TRUE(state(1000 * kMega));
  EXPECT_EQ(kept_bytes, 2 * values);
  EXPECT_EQ(numbers["to_come"]["values"], later.values + values);
}

TEST_F(MemoryStatementTest, FindsNoRoomInFoldersThatAreMemory) {
  if (!std::filesystem::is_directory("/dev/shm")) GTEST_SKIP() << "no /dev/shm";
  places.folder = "/dev/shm";
  EXPECT_FALSE(state(50 * kMega));
  EXPECT_EQ(placed(), kAllInMemory);
  places.wishes = {{"features/0", TablePlace::File}};
  ASSERT_TRUE(state(0));
  EXPECT_EQ(numbers["file_bytes"], 0);
  EXPECT_EQ(kept.bytes, 0u);
}

}  // namespace
}  // namespace vecc::tools::test
