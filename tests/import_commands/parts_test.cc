// vecc-import --parts: cat of the parts is the graph that is written without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import_commands/import_check.h"

namespace vecc::test {
namespace {

using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string part_of(const std::string& folder, int k, int count, const std::string& ending) {
  const auto digits = [](int number) {
    const std::string text = std::to_string(number);
    return std::string(4 - text.size(), '0') + text;
  };
  return folder + "/g-" + digits(k) + "-of-" + digits(count) + ending;
}

std::string parts_of(const Words& import, int count, int threads, const std::string& ending) {
  const std::string folder = test_folder();
  const Finished done = run_import(import + Words{"--parts=" + std::to_string(count),
                                                  "--threads=" + std::to_string(threads), "-o",
                                                  folder + "/g" + ending});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(list_folder(folder).size(), static_cast<std::size_t>(count));
  std::string all;
  for (int k = 1; k <= count; ++k) all += read_text(part_of(folder, k, count, ending));
  return all;
}

std::string whole(const Words& import, const std::string& ending) {
  const std::string folder = test_folder();
  EXPECT_EQ(run_import(import + Words{"-o", folder + "/g" + ending}).code, 0);
  return read_text(folder + "/g" + ending);
}

const Words kSynth{"synth", "--nodes=300", "--edges=2000", "--types=5"};
const Words kSynthSet{"synth-set", "--graphs=40"};

TEST(ImportParts, joined_they_are_the_file) {
  const std::vector<Words> imports{kSynth + Words{"--model=rgcn", "--classes=3"},
                                   kSynth + Words{"--model=hgt"},
                                   kSynth + Words{"--model=rgat", "--heads=2", "--dims=4,4"},
                                   kSynth + Words{"--model=distmult", "--negatives=2"},
                                   kSynthSet + Words{"--model=gat"},
                                   kSynthSet + Words{"--model=gin"},
                                   Words{"tu", molecules_folder(), "--model=gcn"}};
  for (const Words& import : imports) {
    const std::string expected = whole(import, ".pb");
    for (const int threads : {1, 2, 4}) {
      EXPECT_TRUE(parts_of(import, 4, threads, ".pb") == expected)
          << import.front() << " " << import.back() << ", " << threads << " threads";
    }
  }
}

TEST(ImportParts, vecc_reads_them_from_stdin) {
  const std::string folder = test_folder();
  const Words import = kSynth + Words{"--model=rgcn", "--classes=3"};
  const auto run_bytes = [&](const std::string& bytes) {
    write_text(folder + "/all", bytes);
    Command command;
    command.tool = "vecc";
    command.arguments = {"-", "--quiet", "--backend=interpreter"};
    command.stdin_path = folder + "/all";
    const Finished done = run(command);
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out;
  };
  const std::string expected = run_bytes(whole(import, ".pb"));
  EXPECT_FALSE(expected.empty());
  for (const char* const ending : {".pb", ".pb.gz", ".pb.zst"}) {
    EXPECT_EQ(run_bytes(parts_of(import, 3, 2, ending)), expected) << ending;
  }
}

TEST(ImportParts, one_part_is_the_file) {
  const std::string folder = test_folder();
  const Finished done =
      run_import(kSynthSet + Words{"--model=gcn", "--parts=1", "-o", folder + "/g.pb"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(list_folder(folder), Words{"g.pb"});
}

TEST(ImportParts, the_report_names_first_and_last) {
  const std::string folder = test_folder();
  const Finished done =
      run_import(kSynthSet + Words{"--model=gcn", "--parts=2", "-o", folder + "/g.pb"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, testing::HasSubstr("g-0001-of-0002.pb to "));
  EXPECT_THAT(done.err, testing::HasSubstr("g-0002-of-0002.pb\n"));
}

TEST(ImportParts, bad_parts) {
  const std::string folder = test_folder();
  const auto error_of = [&](const std::string& parts, const std::string& output) {
    const Finished done =
        run_import(kSynthSet + Words{"--model=gcn", "-q", "--parts=" + parts, "-o", output});
    EXPECT_EQ(done.code, 2) << done.err;
    EXPECT_TRUE(list_folder(folder).empty());
    return done.err;
  };
  EXPECT_EQ(error_of("2", "-"),
            "vecc-import: error: --parts=2: /dev/stdout is no file; expected a name as -o graph.pb "
            "[E050]\n");
  // Redirected it is a file, but the parts' names are not its.
  const std::string redirected = test_folder() + "/g.pb";
  write_text(redirected, "");
  Command to_stdout;
  to_stdout.tool = "vecc-import";
  to_stdout.arguments = kSynthSet + Words{"--model=gcn", "-q", "--parts=2", "-o", "-"};
  to_stdout.stdout_path = redirected;
  EXPECT_EQ(run(to_stdout).code, 2);
  EXPECT_THAT(error_of("200", folder + "/g.pb"),
              testing::ContainsRegex("200 parts: the graph has [0-9]+ pieces, and a part holds at "
                                     "least one"));
  for (const char* const parts : {"0", "257", "-1"}) {
    EXPECT_THAT(error_of(parts, folder + "/g.pb"), testing::HasSubstr("--parts"));
  }
}

TEST(ImportParts, a_full_disk_leaves_nothing) {
  const std::string folder = test_folder();
  for (const char* const ending : {".pb", ".pb.zst"}) {
    Command command;
    command.tool = "vecc-import";
    command.arguments =
        kSynthSet + Words{"--model=gcn", "--parts=12", "-q", "-o", folder + "/g" + ending};
    command.max_file_bytes = 500;
    const Finished done = run(command);
    EXPECT_EQ(done.code, 3) << done.err;
    EXPECT_THAT(done.err, testing::HasSubstr("cannot be written: File too large"));
    EXPECT_TRUE(list_folder(folder).empty());
  }
}

TEST(ImportParts, limits_are_found_before_anything_is_written) {
  const std::string folder = test_folder();
  const Finished done = run_import(
      kSynthSet + Words{"--model=gcn", "--max-neurons=100", "--parts=2", "-o", folder + "/g.pb"});
  EXPECT_EQ(done.code, 4) << done.err;
  EXPECT_TRUE(list_folder(folder).empty());
}

}  // namespace
}  // namespace vecc::test
