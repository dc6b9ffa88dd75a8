#include "src/support/atomic_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace vecc {
namespace {

namespace fs = std::filesystem;

class AtomicFolders : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_); }
  void TearDown() override { fs::remove_all(root_); }

  const fs::path root_ =
      fs::path(testing::TempDir()) / ("atomic_folder_" + std::to_string(::getpid()));
  const fs::path path_ = root_ / "folder";
};

TEST_F(AtomicFolders, appears_with_its_files) {
  auto folder = AtomicFolder::create(path_.string());
  ASSERT_TRUE(folder);
  EXPECT_TRUE(folder->write("a", "text"));
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_TRUE(folder->commit());
  EXPECT_EQ(fs::file_size(path_ / "a"), 4u);
}

TEST_F(AtomicFolders, leaves_nothing_without_commit) {
  {
    auto folder = AtomicFolder::create(path_.string());
    ASSERT_TRUE(folder && folder->write("a", "text"));
  }
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(AtomicFolders, never_replaces_what_came_meanwhile) {
  {
    auto folder = AtomicFolder::create(path_.string());
    ASSERT_TRUE(folder && folder->write("a", "text"));
    fs::create_directories(path_ / "b");
    EXPECT_FALSE(folder->commit());
    EXPECT_EQ(errno, ENOTEMPTY);
  }
  EXPECT_TRUE(fs::exists(path_ / "b"));
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), 1);
}

TEST_F(AtomicFolders, says_why_there_can_be_none) {
  std::ofstream(path_) << "a file";
  EXPECT_FALSE(AtomicFolder::create(path_.string()));
  EXPECT_EQ(errno, ENOTDIR);
  EXPECT_FALSE(AtomicFolder::create((root_ / "missing" / "folder").string()));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_FALSE(AtomicFolder::create(root_.string()));
  EXPECT_EQ(errno, ENOTEMPTY);
}

}  // namespace
}  // namespace vecc
