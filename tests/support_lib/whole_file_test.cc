#include "src/support/whole_file.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>

namespace vecc {
namespace {

class WholeFile : public ::testing::Test {
 protected:
  WholeFile() {
    folder_ = (std::filesystem::temp_directory_path() / "vecc-test-XXXXXX").string();
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  ~WholeFile() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::size_t file_count() const {
    const std::filesystem::directory_iterator files(folder_);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

 private:
  std::string folder_;
};

TEST_F(WholeFile, reads_what_was_written) {
  std::string bytes(3'000'000, 'x');
  bytes += std::string("\0\n", 2);
  ASSERT_TRUE(write_whole_file(path("a"), bytes).has_value());
  EXPECT_EQ(*read_whole_file(path("a")), bytes);
}

TEST_F(WholeFile, replaces_an_old_file_and_leaves_no_other) {
  ASSERT_TRUE(write_whole_file(path("a"), "old").has_value());
  ASSERT_TRUE(write_whole_file(path("a"), "").has_value());
  EXPECT_EQ(*read_whole_file(path("a")), "");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(WholeFile, bad_endless) {
  const auto endless = read_whole_file("/dev/zero");
  ASSERT_FALSE(endless.has_value());
  EXPECT_EQ(endless.error().exit_code(), ExitCode::Limit);
  EXPECT_EQ(endless.error().text(),
            "/dev/zero: error: is no regular file and has more than 1073741824 bytes, the limit of "
            "what is held in memory: write it to a file [E040]");
}

TEST_F(WholeFile, bad_no_such_file) {
  EXPECT_EQ(read_whole_file(path("a")).error().text(),
            path("a") + ": error: cannot be read: No such file or directory [E001]");
}

TEST_F(WholeFile, bad_a_folder) {
  std::filesystem::create_directory(path("d"));
  EXPECT_EQ(read_whole_file(path("d")).error().text(),
            path("d") + ": error: cannot be read: Is a directory [E001]");
}

TEST_F(WholeFile, bad_folder_that_does_not_exist) {
  EXPECT_EQ(write_whole_file(path("d/a"), "x").error().text(),
            path("d/a") + ": error: cannot be written: No such file or directory [E051]");
}

TEST_F(WholeFile, bad_target_is_a_folder_and_no_temporary_file_stays) {
  std::filesystem::create_directory(path("d"));
  EXPECT_EQ(write_whole_file(path("d"), "x").error().text(),
            path("d") + ": error: cannot be written: Is a directory [E051]");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(WholeFile, bad_name_is_escaped) {
  EXPECT_EQ(read_whole_file(path("a\n\x1b")).error().text(),
            path("a\\n\\x1b") + ": error: cannot be read: No such file or directory [E001]");
}

}  // namespace
}  // namespace vecc
