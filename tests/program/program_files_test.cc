// Saved Programs: a text, and a side file for long arrays.
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "src/support/whole_file.h"
#include "tests/program/program_difference.h"
#include "tests/program/random_program.h"
#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

class ProgramFiles : public ::testing::Test {
 protected:
  ProgramFiles() {
    folder_ = (std::filesystem::temp_directory_path() / "vecc-test-XXXXXX").string();
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  ~ProgramFiles() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return folder_ + "/p.vecc"; }
  [[nodiscard]] std::string side_path() const { return path() + ".arrays"; }
  void write(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
  }

  std::string folder_;
};

Program long_program() {
  std::vector<double> values;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 100; ++i) {
    values.push_back(0.1 * i);
    rows.push_back(99 - i);
  }
  Program program;
  program.set_sample_count(100);
  const ValueId fact = program.fact(std::move(values), 100, Shape());
  program.output(program.gather(fact, Index::list(std::move(rows))), Index::slice(0, 100));
  return program;
}

TEST_F(ProgramFiles, round_trip_with_a_side_file) {
  const Program program = long_program();
  ASSERT_TRUE(save_program(program, path()).has_value());
  EXPECT_EQ(std::filesystem::file_size(side_path()), 100u * (8 + 4));
  const auto loaded = load_program(path());
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  EXPECT_EQ(program_difference(program, *loaded), "");
}

TEST_F(ProgramFiles, short_arrays_need_no_side_file) {
  Program program;
  program.fact({1, 2}, 2, Shape());
  ASSERT_TRUE(save_program(program, path()).has_value());
  EXPECT_FALSE(std::filesystem::exists(side_path()));
  EXPECT_TRUE(load_program(path()).has_value());
}

TEST_F(ProgramFiles, random_programs_round_trip_with_parameter_values) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    RandomSource random(seed);
    const Program program = random_row_number_program(random, 40);
    ASSERT_TRUE(save_program(program, path()).has_value());
    const auto loaded = load_program(path());
    ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
    EXPECT_EQ(program_difference(program, *loaded), "");
  }
}

TEST_F(ProgramFiles, bad_no_file) {
  EXPECT_EQ(load_program(path()).error().text(),
            path() + ": error: cannot be read: No such file or directory [E001]");
}

TEST_F(ProgramFiles, bad_no_side_file) {
  ASSERT_TRUE(save_program(long_program(), path()).has_value());
  std::filesystem::remove(side_path());
  EXPECT_EQ(load_program(path()).error().text(),
            side_path() + ": error: cannot be read: No such file or directory [E001]");
}

TEST_F(ProgramFiles, bad_damaged_side_file) {
  ASSERT_TRUE(save_program(long_program(), path()).has_value());
  write(side_path(), std::string(1200, '\0'));
  EXPECT_THAT(load_program(path()).error().text(),
              ::testing::MatchesRegex(
                  ".*/p.vecc:1:.*the side file has 1200 bytes and the digest [0-9a-f]*, expected "
                  "1200 and [0-9a-f]*: it is damaged, or another program's; .* \\[E007\\]"));
}

// No damage of a file may give another program: all of its bits one by one, and all of its lengths.
void check_every_damage(const std::string& file, const std::string& path, const Program& program) {
  const std::string whole = *read_whole_file(file);
  const auto check = [&](const std::string& damaged, const std::string& what) {
    std::ofstream(file, std::ios::binary) << damaged;
    const auto loaded = load_program(path);
    if (!loaded) return;
    EXPECT_EQ(program_difference(program, *loaded), "") << what;
  };
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    check(damaged, "bit " + std::to_string(bit));
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    check(whole.substr(0, size), "cut to " + std::to_string(size));
  }
  ASSERT_TRUE(write_whole_file(file, whole));
}

TEST_F(ProgramFiles, no_damage_gives_another_program) {
  Program program = long_program();
  const auto weight =
      program.add_parameter({"w", 1, Shape(), SharedNumbers::of(std::vector<double>{0.5})});
  ASSERT_TRUE(weight);
  program.weight(*weight);
  ASSERT_TRUE(save_program(program, path()).has_value());
  check_every_damage(path(), path(), program);
  check_every_damage(side_path(), path(), program);
}

TEST_F(ProgramFiles, bad_changed_text_says_how_to_change_it) {
  ASSERT_TRUE(save_program(long_program(), path()).has_value());
  std::string text = *read_whole_file(path());
  text.replace(text.find("[0:100]"), 7, "[0:099]");
  write(path(), text);
  EXPECT_THAT(load_program(path()).error().text(),
              ::testing::MatchesRegex(".*/p.vecc:1:22: error: its bytes have the CRC-32 [0-9a-f]*, "
                                      "expected [0-9a-f]*: it is damaged; write it again \\(a text "
                                      "that is changed by hand goes without \"crc32 "
                                      "[0-9a-f]*\"\\) \\[E007\\]"));
  text.erase(text.find("crc32"), 15);
  text.replace(text.find("[0:099]"), 7, "[0:100]");
  write(path(), text);
  EXPECT_TRUE(load_program(path()));
}

TEST_F(ProgramFiles, bad_text) {
  write(path(), "vecc program 1 f32 samples 0\nx\n");
  EXPECT_EQ(load_program(path()).error().text(),
            path() + ":2:1: error: found \"x\", expected \"%\" or \"parameter\" [E030]");
}

TEST_F(ProgramFiles, bad_program_that_does_not_verify) {
  write(path(), "vecc program 1 f32 samples 1\n");
  EXPECT_EQ(load_program(path()).error().text(),
            path() + ": sample 0: error: is in no output, expected exactly one [E031]");
}

TEST_F(ProgramFiles, bad_folder_to_write_to) {
  const std::string file = folder_ + "/none/p.vecc";
  EXPECT_EQ(save_program(Program(), file).error().text(),
            file + ": error: cannot be written: No such file or directory [E051]");
}

TEST_F(ProgramFiles, saving_over_an_old_program_replaces_it) {
  ASSERT_TRUE(save_program(long_program(), path()).has_value());
  ASSERT_TRUE(save_program(Program(), path()).has_value());
  const auto loaded = load_program(path());
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  EXPECT_TRUE(loaded->ops().empty());
}

}  // namespace
}  // namespace vecc::test
