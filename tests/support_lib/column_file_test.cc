// Files of columns: what is read is what was written, or nothing is.
#include "src/support/column_file.h"

#include <gmock/gmock.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "src/support/digest.h"
#include "tests/graph_io/temporary_folder.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

class ColumnFiles : public ::testing::Test {
 protected:
  void write_small() {
    auto writer = ColumnWriter::create(path_, kNoLimit);
    ASSERT_TRUE(writer);
    EXPECT_EQ(writer->add(std::string_view("some text")), 0u);
    const std::vector<std::uint32_t> words{1, 2, 0xFFFFFFFF};
    EXPECT_EQ(writer->add(std::span(words)), 1u);
    const std::vector<double> floats{0.5, -0.0, 3};
    EXPECT_EQ(writer->add(SharedNumbers::of(floats)), 2u);
    const std::vector<double> doubles{0.1, 1e300};
    EXPECT_EQ(writer->add(SharedNumbers::of(doubles)), 3u);
    EXPECT_EQ(writer->add(std::string_view()), 4u);
    ASSERT_TRUE(writer->commit("key"));
    EXPECT_EQ(writer->bytes(), fs::file_size(path_));
  }
  [[nodiscard]] std::string bytes() const { return read_bytes(path_); }
  void put(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    ::chmod(path_.c_str(), 0600);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("entry");
};

TEST_F(ColumnFiles, give_back_what_was_written) {
  write_small();
  for (const std::uint32_t threads : {1u, 3u}) {
    const auto file = ColumnFile::read(path_, "key", threads);
    ASSERT_TRUE(file && *file) << file.error().text();
    ASSERT_EQ((*file)->size(), 5u);
    EXPECT_EQ(*(*file)->text(0), "some text");
    EXPECT_THAT(*(*file)->words(1), ::testing::ElementsAre(1, 2, 0xFFFFFFFF));
    EXPECT_THAT((*file)->numbers(2).doubles(), ::testing::ElementsAre(0.5, 0, 3));
    EXPECT_TRUE(std::signbit((*file)->numbers(2)[1]));
    EXPECT_THAT((*file)->numbers(3).doubles(), ::testing::ElementsAre(0.1, 1e300));
    EXPECT_EQ(*(*file)->text(4), "");
    EXPECT_EQ((*file)->text(1), nullptr);
    EXPECT_EQ((*file)->words(2), nullptr);
    EXPECT_FALSE((*file)->numbers(1));
    EXPECT_EQ((*file)->text(5), nullptr);
  }
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(ColumnFiles, keep_every_bit_of_long_columns) {
  std::vector<std::uint32_t> words(1'000'003);
  std::vector<double> floats(700'001);
  std::vector<double> doubles(300'001);
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = static_cast<std::uint32_t>(i * 2654435761);
  for (std::size_t i = 0; i < floats.size(); ++i) floats[i] = static_cast<float>(i) / 7.0f;
  for (std::size_t i = 0; i < doubles.size(); ++i) doubles[i] = static_cast<double>(i) / 7;
  doubles[7] = std::numeric_limits<double>::quiet_NaN();
  auto writer = ColumnWriter::create(path_, kNoLimit);
  ASSERT_TRUE(writer);
  writer->add(std::span<const std::uint32_t>(words));
  writer->add(SharedNumbers::of(floats));
  writer->add(SharedNumbers::of(doubles));
  ASSERT_TRUE(writer->commit("long"));
  EXPECT_LT(writer->bytes(), 4 * words.size() + 4 * floats.size() + 8 * doubles.size() + 1000);
  const auto file = ColumnFile::read(path_, "long", 3);
  ASSERT_TRUE(file && *file);
  EXPECT_EQ(*(*file)->words(0), words);
  EXPECT_TRUE((*file)->numbers(1).are_floats());
  EXPECT_EQ((*file)->numbers(1).doubles(), floats);
  const std::vector<double> found = (*file)->numbers(2).doubles();
  ASSERT_EQ(found.size(), doubles.size());
  EXPECT_EQ(std::memcmp(found.data(), doubles.data(), 8 * doubles.size()), 0);
}

TEST_F(ColumnFiles, no_changed_byte_is_read) {
  write_small();
  const std::string whole = bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << at % 8);
    put(damaged);
    ASSERT_FALSE(ColumnFile::read(path_, "key", 1)) << "byte " << at;
  }
}

TEST_F(ColumnFiles, no_part_is_read) {
  write_small();
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    put(whole.substr(0, size));
    ASSERT_FALSE(ColumnFile::read(path_, "key", 1)) << size << " bytes";
    put(whole.substr(whole.size() - size));
    ASSERT_FALSE(ColumnFile::read(path_, "key", 1)) << "the last " << size << " bytes";
  }
  put(whole + '\0');
  EXPECT_FALSE(ColumnFile::read(path_, "key", 1));
  put(std::string(64, '\0') + whole);
  EXPECT_FALSE(ColumnFile::read(path_, "key", 1));
}

TEST_F(ColumnFiles, of_another_key_and_missing_ones_are_no_failure) {
  write_small();
  const auto other = ColumnFile::read(path_, "other", 1);
  ASSERT_TRUE(other);
  EXPECT_FALSE(*other);
  const auto missing = ColumnFile::read(path_ + "x", "key", 1);
  ASSERT_TRUE(missing);
  EXPECT_FALSE(*missing);
}

TEST_F(ColumnFiles, that_others_may_write_and_links_are_refused) {
  write_small();
  fs::create_symlink(path_, path_ + "-link");
  EXPECT_FALSE(ColumnFile::read(path_ + "-link", "key", 1));
  ::chmod(path_.c_str(), 0622);
  EXPECT_FALSE(ColumnFile::read(path_, "key", 1));
}

TEST_F(ColumnFiles, leave_nothing_without_commit_or_beyond_the_limit) {
  {
    auto writer = ColumnWriter::create(path_, kNoLimit);
    ASSERT_TRUE(writer);
    writer->add(std::string_view("text"));
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
  auto writer = ColumnWriter::create(path_, 100);
  ASSERT_TRUE(writer);
  writer->add(std::string_view("text"));
  EXPECT_FALSE(writer->commit("key"));
  EXPECT_EQ(errno, EFBIG);
  writer.reset();
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

TEST_F(ColumnFiles, a_file_has_one_digest_for_any_number_of_threads) {
  std::string text(3 * kDigestBlock + 12'345, 'x');
  put(text);
  const auto digest = digest_file(path_, 1);
  ASSERT_TRUE(digest) << digest.error().text();
  EXPECT_EQ(*digest, *digest_file(path_, 4));
  for (const std::size_t at : {std::size_t{0}, kDigestBlock - 1, kDigestBlock, text.size() - 1}) {
    text[at] = 'y';
    put(text);
    EXPECT_NE(*digest, *digest_file(path_, 2)) << at;
    text[at] = 'x';
  }
  put(text + "x");
  EXPECT_NE(*digest, *digest_file(path_, 2));
  put("");
  EXPECT_TRUE(digest_file(path_, 2));
  EXPECT_FALSE(digest_file(folder_.path(), 2)) << "a folder";
  EXPECT_FALSE(digest_file("/dev/zero", 2)) << "never ends";
}

// A writer that waits for a reader would take the digest for it, and write to no one.
TEST_F(ColumnFiles, a_pipe_has_no_digest_and_is_not_opened_for_one) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const int events = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(events, 0);
  ASSERT_GE(::inotify_add_watch(events, path_.c_str(), IN_OPEN), 0);
  EXPECT_FALSE(digest_file(path_, 1));
  char event[4096];
  EXPECT_LT(::read(events, event, sizeof event), 0);
  EXPECT_EQ(errno, EAGAIN);
  ::close(events);
}

TEST_F(ColumnFiles, a_file_that_is_written_or_replaced_has_another_state) {
  EXPECT_EQ(file_state(path_), "");
  put("text");
  const std::string state = file_state(path_);
  EXPECT_EQ(file_state(path_), state);
  fs::last_write_time(path_, fs::last_write_time(path_) + std::chrono::milliseconds(1));
  EXPECT_NE(file_state(path_), state);
  fs::rename(path_, path_ + "-old");
  put("text");
  EXPECT_NE(file_state(path_), file_state(path_ + "-old"));
}

TEST(DigestBlock, tells_sizes_and_bytes_apart) {
  std::vector<Digest> seen;
  std::string text;
  for (int size = 0; size < 200; ++size) {
    seen.push_back(digest_block(text));
    text += '\0';
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = 1;
    seen.push_back(digest_block(other));
  }
  for (std::size_t a = 0; a < seen.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) ASSERT_NE(seen[a], seen[b]) << a << ", " << b;
  }
}

}  // namespace
}  // namespace vecc::test
