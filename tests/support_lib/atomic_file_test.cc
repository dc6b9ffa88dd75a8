#include "src/support/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "tests/graph_io/temporary_folder.h"

namespace vecc::test {
namespace {

TEST(AtomicFile, APipeStaysAPipe) {
  const TemporaryFolder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  auto file = AtomicFile::create(path);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->write("bytes"));
  EXPECT_TRUE(file->commit());
  char found[16] = {};
  EXPECT_EQ(::read(reader, found, sizeof found), 5);
  EXPECT_STREQ(found, "bytes");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(path));
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(AtomicFile, ASealedFileAppearsWithItsCommit) {
  const TemporaryFolder folder;
  const std::string path = folder.path("file");
  for (const bool commits : {false, true}) {
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file);
    EXPECT_TRUE(file->write("bytes"));
    EXPECT_TRUE(file->seal());
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(commits && file->commit(), commits);
  }
  EXPECT_EQ(std::filesystem::file_size(path), 5u);
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(AtomicFile, AFullDeviceIsAFailureAndStaysADevice) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full";
  auto file = AtomicFile::create("/dev/full");
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->write("bytes"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace vecc::test
