// What is in the cache folder is checked, bounded and made again where it is damaged.
#include "backends/native/code_cache.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/cpu/code_fixture.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CodeCacheTest : public CodeTest {
 protected:
  /// Loads a unit, so that the cache has its entry; the entry's path.
  std::string make_entry() {
    EXPECT_EQ(load_answer(7), 7);
    const std::vector<std::string> files = files_in(cache());
    EXPECT_THAT(files, SizeIs(1));
    return files.front();
  }
  /// The entry was not used, and is whole again.
  void expect_made_again() {
    EXPECT_EQ(load_answer(7), 7);
    EXPECT_EQ(counts_.compiled, 1u);
    EXPECT_EQ(load_answer(7), 7);
    EXPECT_EQ(counts_.compiled, 0u) << "after it was made again";
  }
  /// It works all the same, tells once that it keeps nothing, and why.
  void expect_uncached(const std::string& why) {
    for (int i = 0; i < 2; ++i) {
      warnings_.clear();
      EXPECT_EQ(load_answer(7), 7);
      EXPECT_EQ(counts_.compiled, 1u);
      EXPECT_THAT(warnings_, ElementsAre(HasSubstr(why)));
    }
    EXPECT_THAT(files_in(folder_.path("temporary")), IsEmpty());
  }
};

TEST_F(CodeCacheTest, is_private) {
  const std::string entry = make_entry();
  struct stat status {};
  ASSERT_EQ(::stat(cache().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
  ASSERT_EQ(::stat(entry.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(CodeCacheTest, is_where_the_options_say) {
  options_.cache_folder = folder_.path("elsewhere");
  EXPECT_EQ(load_answer(7), 7);
  EXPECT_THAT(files_in(options_.cache_folder), SizeIs(1));
  EXPECT_FALSE(fs::exists(cache()));
}

TEST_F(CodeCacheTest, makes_an_entry_with_a_wrong_byte_again) {
  const std::string entry = make_entry();
  const auto middle = static_cast<std::streamoff>(fs::file_size(entry) / 2);
  std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(middle);
  const char byte = static_cast<char>(file.get() ^ 1);
  file.seekp(middle);
  file.put(byte);
  file.close();
  expect_made_again();
}

TEST_F(CodeCacheTest, makes_a_truncated_entry_again) {
  for (const std::uintmax_t size : {0, 10, 3000}) {
    fs::remove_all(cache());
    fs::resize_file(make_entry(), size);
    expect_made_again();
  }
}

TEST_F(CodeCacheTest, makes_an_entry_of_another_key_again) {
  const std::string entry = make_entry();
  EXPECT_EQ(load_answer(8), 8);
  for (const std::string& file : files_in(cache())) {
    if (file != entry) fs::copy_file(file, entry, fs::copy_options::overwrite_existing);
  }
  expect_made_again();
}

TEST_F(CodeCacheTest, follows_no_link_and_replaces_it) {
  const std::string entry = make_entry();
  const std::string target = folder_.path("target");
  fs::rename(entry, target);
  fs::create_symlink(target, entry);
  const std::string bytes = read_bytes(target);
  expect_made_again();
  EXPECT_FALSE(fs::is_symlink(entry));
  EXPECT_EQ(read_bytes(target), bytes);
}

TEST_F(CodeCacheTest, does_not_trust_an_entry_that_others_may_write) {
  ::chmod(make_entry().c_str(), 0666);
  expect_made_again();
}

TEST_F(CodeCacheTest, does_not_trust_an_entry_of_another_user) {
  if (::chown(make_entry().c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root can";
  expect_made_again();
}

TEST_F(CodeCacheTest, is_not_used_where_others_may_write) {
  fs::create_directories(cache());
  ::chmod(cache().c_str(), 0777);
  expect_uncached("others may write in it");
  EXPECT_THAT(files_in(cache()), IsEmpty());
}

TEST_F(CodeCacheTest, is_not_used_in_a_folder_of_another_user) {
  fs::create_directories(cache());
  if (::chown(cache().c_str(), 12345, 12345) != 0) GTEST_SKIP() << "only root can";
  expect_uncached("belongs to another user");
  EXPECT_THAT(files_in(cache()), IsEmpty());
}

TEST_F(CodeCacheTest, may_be_in_a_folder_that_cannot_be_written) {
  fs::create_directories(cache());
  ::chmod(cache().c_str(), 0500);
  if (::access(cache().c_str(), W_OK) == 0) GTEST_SKIP() << "root writes everywhere";
  expect_uncached("cannot be written");
}

TEST_F(CodeCacheTest, may_have_an_entry_that_cannot_be_replaced) {
  const std::string entry = make_entry();
  fs::remove(entry);
  fs::create_directories(entry + "/full");
  expect_uncached("cannot be written");
}

TEST_F(CodeCacheTest, may_be_impossible) {
  const ScopedVariable nowhere("VECC_CACHE_DIR", "/proc/none");
  expect_uncached("/proc/none");
}

TEST_F(CodeCacheTest, is_shared_by_processes_at_once) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    // One that comes late finds the entry of another.
    if (pid == 0) {
      ::_exit(load_answer(9) == 9 && counts_.compiled + counts_.cached == 1 ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_THAT(files_in(cache()), SizeIs(1));
  EXPECT_EQ(load_answer(9), 9);
  EXPECT_EQ(counts_.compiled, 0u);
}

// Entries of about one size; one of `number` was used so many hours ago.
class CodeCacheTrim : public CodeCacheTest {
 protected:
  void set_used(const std::string& entry, int hours_ago) {
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
  }
  /// Three entries, used 30, 20 and 10 hours ago; the cap is then below three.
  void make_three() {
    for (const int number : {1, 2, 3}) {
      EXPECT_EQ(load_answer(number), number);
      for (const std::string& file : files_in(cache())) {
        if (known_.insert(file).second) entries_.push_back(file);
      }
      set_used(entries_.back(), 40 - 10 * number);
    }
    options_.cache_bytes = 3 * fs::file_size(entries_.front()) + 100;
  }

  std::unordered_set<std::string> known_;
  std::vector<std::string> entries_;
};

TEST_F(CodeCacheTrim, removes_what_was_used_longest_ago) {
  make_three();
  EXPECT_EQ(load_answer(4), 4);
  EXPECT_FALSE(fs::exists(entries_[0]));
  EXPECT_TRUE(fs::exists(entries_[1]) && fs::exists(entries_[2]));
  EXPECT_THAT(files_in(cache()), SizeIs(3));
}

TEST_F(CodeCacheTrim, counts_a_use_from_the_cache) {
  make_three();
  EXPECT_EQ(load_answer(1), 1);
  EXPECT_EQ(load_answer(4), 4);
  EXPECT_TRUE(fs::exists(entries_[0]));
  EXPECT_FALSE(fs::exists(entries_[1]));
}

TEST_F(CodeCacheTrim, keeps_what_this_process_holds) {
  make_three();
  const Loaded held = load({part(1)});
  set_used(entries_[0], 50);
  EXPECT_EQ(load_answer(4), 4);
  EXPECT_TRUE(fs::exists(entries_[0]));
  EXPECT_FALSE(fs::exists(entries_[1]));
}

TEST_F(CodeCacheTrim, removes_what_an_interrupted_process_left) {
  const std::string left = make_entry() + ".tmp-1-0";
  std::ofstream(left) << "half";
  EXPECT_EQ(load_answer(1), 1);
  EXPECT_TRUE(fs::exists(left)) << "somebody may be writing it";
  set_used(left, 2);
  EXPECT_EQ(load_answer(2), 2);
  EXPECT_FALSE(fs::exists(left));
}

}  // namespace
}  // namespace vecc::test
