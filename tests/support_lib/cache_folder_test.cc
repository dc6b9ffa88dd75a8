// The user's cache folder: private, and the user's own.
#include "src/support/cache_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

class CacheFolder : public ::testing::Test {
 protected:
  CacheFolder() {
    std::string path = fs::temp_directory_path() / "vecc-cache-XXXXXX";
    root_ = ::mkdtemp(path.data());
    ::setenv("VECC_CACHE_DIR", (root_ + "/own").c_str(), 1);
  }
  ~CacheFolder() override {
    ::unsetenv("VECC_CACHE_DIR");
    fs::remove_all(root_);
  }

  std::string root_;
};

TEST_F(CacheFolder, is_made_private) {
  const auto folder = cache_folder("cost");
  ASSERT_TRUE(folder.has_value()) << folder.error().text();
  EXPECT_EQ(*folder, root_ + "/own/cost");
  struct stat status {};
  ASSERT_EQ(::stat(folder->c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  EXPECT_TRUE(cache_folder("cost").has_value()) << "a second time";
}

TEST_F(CacheFolder, that_others_may_write_in_is_refused) {
  fs::create_directories(root_ + "/own");
  ::chmod((root_ + "/own").c_str(), 0777);
  const auto folder = cache_folder("cost");
  ASSERT_FALSE(folder.has_value());
  EXPECT_THAT(folder.error().text(), ::testing::HasSubstr("others may write in it"));
  EXPECT_THAT(folder.error().text(), ::testing::HasSubstr("VECC_CACHE_DIR"));
}

TEST_F(CacheFolder, that_is_a_file_is_refused) {
  ::setenv("VECC_CACHE_DIR", "/dev/null", 1);
  EXPECT_FALSE(cache_folder("cost").has_value());
}

TEST_F(CacheFolder, is_below_the_xdg_folder_without_its_own_variable) {
  ::unsetenv("VECC_CACHE_DIR");
  ::setenv("XDG_CACHE_HOME", (root_ + "/xdg").c_str(), 1);
  const auto folder = cache_folder("tuned");
  ::unsetenv("XDG_CACHE_HOME");
  ASSERT_TRUE(folder.has_value()) << folder.error().text();
  EXPECT_EQ(*folder, root_ + "/xdg/vecc/tuned");
}

TEST(CacheName, keeps_plain_characters_only) {
  EXPECT_EQ(cache_name("cuda:0 NVIDIA H200/../x"), "cuda_0_NVIDIA_H200_.._x");
  EXPECT_EQ(cache_name(std::string(500, 'a')).size(), 100u);
}

}  // namespace
}  // namespace vecc::test
