// Copies of a training's state in files: the same bytes as in memory.
#include "src/train/kept_state.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/graph_io/temporary_folder.h"

namespace vecc::test {
namespace {

WeightFile state_of(char first, std::size_t size) {
  WeightFile file;
  file.metadata.emplace_back("epoch", std::string(1, first));
  file.tensors.push_back({"w", ElementType::F32, {size / 4}, std::string(size, first)});
  file.tensors.push_back({"none", ElementType::F32, {0}, ""});
  std::string numbers(16, first);
  numbers[3] = '\0';
  file.tensors.push_back({"state/adam.m/w", ElementType::F64, {2}, std::move(numbers)});
  return file;
}

void copy(training::KeptState& kept, const WeightFile& file) {
  ASSERT_TRUE(kept.copy(WeightFileSource(file)));
  EXPECT_TRUE(kept.is_there());
}

void expect_same(const training::KeptState& kept, const WeightFile& expected) {
  const WeightFile found = *read_all(kept);
  EXPECT_EQ(found.metadata, expected.metadata);
  EXPECT_EQ(found.tensors, expected.tensors);
}

TEST(KeptState, InAFileIsWhatItIsInMemory) {
  const TemporaryFolder folder;
  for (const std::uint64_t bytes : {0, 8016, 20}) {  // in memory; as large; one that grows
    training::KeptState kept;
    ASSERT_TRUE(kept.reserve({bytes == 0 ? "" : folder.path(), bytes}));
    EXPECT_FALSE(kept.is_there());
    copy(kept, state_of('a', 8000));
    copy(kept, state_of('b', 8000));
    expect_same(kept, state_of('b', 8000));
    training::KeptState other = std::move(kept);
    expect_same(other, state_of('b', 8000));
    other.clear();
    EXPECT_FALSE(other.is_there());
    EXPECT_TRUE(other.tensors().empty());
    copy(other, state_of('c', 40));
    expect_same(other, state_of('c', 40));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(KeptState, WithoutRoomIsRefusedBeforeTheFirst) {
  const TemporaryFolder folder;
  training::KeptState kept;
  const auto refused = kept.reserve({folder.path(), std::uint64_t{1} << 60});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().list().front().code, ErrorCode::OutOfMemory);
}

}  // namespace
}  // namespace vecc::test
