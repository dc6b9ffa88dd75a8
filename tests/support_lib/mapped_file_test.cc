// Memory that is a file's.
#include "src/support/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/graph_io/temporary_folder.h"

namespace vecc::test {
namespace {

class MappedFile : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(MappedFile, IsZerosThatStayAsTheyAreWritten) {
  constexpr std::uint64_t kBytes = (1 << 20) + 64;
  const auto memory = *map_new_file(folder_.path(), kBytes);
  const auto other = *map_new_file(folder_.path(), kBytes);
  for (std::uint64_t i = 0; i < kBytes; ++i) ASSERT_EQ(memory.get()[i], std::byte{0});
  memory.get()[kBytes - 1] = std::byte{7};
  EXPECT_EQ(memory.get()[kBytes - 1], std::byte{7});
  EXPECT_EQ(other.get()[kBytes - 1], std::byte{0});
  EXPECT_EQ(*map_new_file(folder_.path(), 0), nullptr);
}

TEST_F(MappedFile, HasNoName) {
  const auto memory = *map_new_file(folder_.path(), 4096);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  std::ifstream maps("/proc/self/maps");
  bool is_shared = false;
  for (std::string line; std::getline(maps, line);) {
    const bool is_here = line.find(folder_.path()) != std::string::npos;
    is_shared = is_shared || (is_here && line.find(" rw-s ") != std::string::npos);
  }
  EXPECT_TRUE(is_shared);
}

TEST_F(MappedFile, OfMoreThanTheDiskHasIsRefused) {
  const auto refused = map_new_file(folder_.path(), std::uint64_t{1} << 60);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().list().front().code, ErrorCode::OutOfMemory);
  const std::string text = refused.error().text();
  EXPECT_TRUE(text.starts_with(folder_.path() + ": error: needs a file of 1.0 EB for tables, "))
      << text;
  EXPECT_NE(text.find("the disk is too full; free there are "), std::string::npos) << text;
}

TEST_F(MappedFile, OfMoreThanAFileMayHaveIsRefused) {
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit low{8192, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  const auto fits = map_new_file(folder_.path(), 8192);
  const auto refused = map_new_file(folder_.path(), 8193);  // without a signal
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  EXPECT_TRUE(fits) << fits.error().text();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().list().front().code, ErrorCode::OutOfMemory);
  EXPECT_NE(refused.error().text().find("(ulimit -f)"), std::string::npos);
}

int calls = 0;

TEST_F(MappedFile, IsReservedOnFileSystemsThatCannotReserve) {
  const auto reserve = [&](int (*allocate)(int, std::uint64_t), std::uint64_t bytes) {
    std::FILE* const file = std::tmpfile();
    const int done = reserve_blocks(::fileno(file), bytes, allocate);
    const std::int64_t failed = -errno;
    const std::int64_t size = ::lseek(::fileno(file), 0, SEEK_END);
    std::fclose(file);
    return done == 0 ? size : failed;
  };
  const auto has_none = [](int, std::uint64_t) {
    errno = EOPNOTSUPP;
    return -1;
  };
  constexpr std::uint64_t kBytes = (3 << 20) + 5;
  EXPECT_EQ(reserve(has_none, kBytes), static_cast<std::int64_t>(kBytes));
  const auto is_full = [](int, std::uint64_t) {
    errno = ENOSPC;
    return -1;
  };
  EXPECT_EQ(reserve(is_full, kBytes), -ENOSPC);
  calls = 0;
  const auto is_interrupted = [](int file, std::uint64_t bytes) {
    if (++calls < 3) {
      errno = EINTR;
      return -1;
    }
    return ::ftruncate(file, static_cast<off_t>(bytes));
  };
  EXPECT_EQ(reserve(is_interrupted, kBytes), static_cast<std::int64_t>(kBytes));
  EXPECT_EQ(calls, 3);
}

TEST_F(MappedFile, FoldersThatAreNotThereAreRefused) {
  EXPECT_EQ(find_file_folder(folder_.path())->path, folder_.path());
  const auto missing = find_file_folder(folder_.path() + "/none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(),
            folder_.path() + "/none: error: No such file or directory [E051]");
  const std::string file = folder_.path() + "/file";
  std::ofstream(file) << "x";
  EXPECT_EQ(find_file_folder(file).error().text(), file + ": error: is no folder [E051]");
  EXPECT_FALSE(map_new_file(file, 4096));
}

TEST_F(MappedFile, FoldersInMemoryAreKnown) {
  if (!std::filesystem::is_directory("/dev/shm")) GTEST_SKIP() << "no /dev/shm";
  EXPECT_TRUE(find_file_folder("/dev/shm")->is_memory);
}

}  // namespace
}  // namespace vecc::test
