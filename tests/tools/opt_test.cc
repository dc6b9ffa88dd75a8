// vecc-opt: Program text in, Program text out.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;

Finished run_opt(std::vector<std::string> arguments, const std::string& stdin_path = "/dev/null") {
  Command command;
  command.tool = "vecc-opt";
  command.arguments = std::move(arguments);
  command.stdin_path = stdin_path;
  return run(command);
}

TEST(Opt, text_goes_through_unchanged_from_file_and_stdin) {
  const std::string folder = test_folder();
  const std::string text = run_vecc({write_wide_graph(folder, 100), "--emit=ir"}).out;
  const std::string path = folder + "/p.vecc";
  write_text(path, text);
  EXPECT_EQ(run_opt({path}).out, text);
  EXPECT_EQ(run_opt({}, path).out, text);
  EXPECT_EQ(run_opt({"-"}, path).out, text);
}

TEST(Opt, side_file_is_read_and_written) {
  const std::string folder = test_folder();
  const std::string graph = write_wide_graph(folder, 100);
  ASSERT_EQ(run_vecc({graph, "--emit=ir", "-o", folder + "/a.vecc"}).code, 0);
  EXPECT_THAT(list_folder(folder), ::testing::IsSupersetOf({"a.vecc", "a.vecc.arrays"}));
  ASSERT_EQ(run_opt({folder + "/a.vecc", "-o", folder + "/b.vecc"}).code, 0);
  EXPECT_EQ(read_text(folder + "/b.vecc"), read_text(folder + "/a.vecc"));
  EXPECT_EQ(read_text(folder + "/b.vecc.arrays"), read_text(folder + "/a.vecc.arrays"));
  EXPECT_EQ(run_opt({folder + "/a.vecc"}).out, run_vecc({graph, "--emit=ir"}).out);
  ASSERT_EQ(run_opt({folder + "/a.vecc", "--full", "-o", folder + "/c.vecc"}).code, 0);
  EXPECT_EQ(read_text(folder + "/c.vecc"), run_vecc({graph, "--emit=ir"}).out);
}

TEST(Opt, emits_dot_and_stats) {
  const std::string folder = test_folder();
  const std::string path = folder + "/p.vecc";
  write_text(path, run_vecc({write_small_graph(folder), "--emit=ir"}).out);
  EXPECT_THAT(run_opt({path, "--emit=dot"}).out, ::testing::StartsWith("digraph"));
  EXPECT_THAT(run_opt({path, "--emit=stats"}).out, HasSubstr("program.ops"));
  const auto stats = nlohmann::json::parse(run_opt({path, "--emit=stats", "--json"}).out);
  EXPECT_EQ(stats.at("program").at("samples"), 3);
}

TEST(Opt, bad_text_is_3) {
  const std::string path = test_folder() + "/bad.vecc";
  write_text(path, "vecc program 1 f32 samples 1\n%0 = nonsense\n");
  const Finished file = run_opt({path});
  EXPECT_EQ(file.code, 3);
  EXPECT_EQ(file.out, "");
  EXPECT_THAT(file.err, HasSubstr("bad.vecc:2:"));
  EXPECT_THAT(run_opt({}, path).err, HasSubstr("<stdin>:2:"));
  EXPECT_EQ(run_opt({test_folder() + "/missing.vecc"}).code, 3);
}

TEST(Opt, program_that_does_not_verify_is_3) {
  const std::string path = test_folder() + "/unverified.vecc";
  write_text(path, "vecc program 1 f32 samples 1\n");  // sample 0 is in no output
  const Finished result = run_opt({path});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("unverified.vecc"));
}

TEST(Opt, passes_do_not_exist_yet) {
  const Finished result = run_opt({"--passes=drop-dead"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("known passes: (none yet)"));
}

}  // namespace
}  // namespace vecc::test
