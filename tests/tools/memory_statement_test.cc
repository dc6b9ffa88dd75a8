// What the statement of memory counts where, and what it puts in files for want of room.
#include "tools/common/memory_statement.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "src/plan/plan_tables.h"
#include "src/support/mapped_file.h"
#include "tests/graph_io/temporary_folder.h"
#include "tests/support/program_of_tables.h"
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
    VECC_TRY_VOID(statement.state({program_, plan_, nullptr, &places, &tables}, nullptr));
    std::string words;
    nlohmann::ordered_json all;
    statement.describe(words, all);
    numbers = all["memory"];
    kept = statement.kept_copies();
    return {};
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
  std::vector<PlacedTable> tables;
  nlohmann::ordered_json numbers;
  KeptCopies kept;

 private:
  vecc::test::TemporaryFolder folder_;
  Program program_ = vecc::test::program_of_tables();
  Plan plan_ = make_plan(program_);
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
