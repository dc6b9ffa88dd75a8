#include "src/support/file_handle.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace vecc {
namespace {

int open_null() {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}
bool is_open(int file) {
  return ::fcntl(file, F_GETFD) >= 0;
}

TEST(FileHandle, ClosesItsFile) {
  int file = -1;
  {
    const FileHandle handle(open_null());
    ASSERT_TRUE(handle.is_open());
    file = handle.get();
    EXPECT_TRUE(is_open(file));
  }
  EXPECT_FALSE(is_open(file));
  EXPECT_FALSE(FileHandle().is_open());
}

TEST(FileHandle, ThatIsMovedHasNone) {
  FileHandle from(open_null());
  const int file = from.get();
  FileHandle to(std::move(from));
  EXPECT_FALSE(from.is_open());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(to.get(), file);
  to = FileHandle();  // closes what it had
  EXPECT_FALSE(to.is_open());
  EXPECT_FALSE(is_open(file));
}

TEST(FileHandle, ThatIsAssignedToItselfStaysOpen) {
  FileHandle handle(open_null());
  FileHandle& same = handle;
  handle = std::move(same);
  EXPECT_TRUE(handle.is_open());
  EXPECT_TRUE(is_open(handle.get()));
}

TEST(FileHandle, LeavesWhatIsReleased) {
  int file = -1;
  {
    FileHandle handle(open_null());
    file = handle.release();
    EXPECT_FALSE(handle.is_open());
  }
  EXPECT_TRUE(is_open(file));
  const FileHandle closes(file);
}

}  // namespace
}  // namespace vecc
