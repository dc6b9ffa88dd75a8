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
  std::string full = read_text(folder + "/c.vecc");
  EXPECT_EQ(full.substr(0, 21), "vecc program 1 crc32 ");
  EXPECT_EQ(full.erase(15, 15), run_vecc({graph, "--emit=ir"}).out);
}

TEST(Opt, emits_modules) {
  const std::string folder = test_folder();
  const std::string path = folder + "/p.vecc";
  write_text(path, run_vecc({write_small_graph(folder), "--emit=ir"}).out);
  EXPECT_EQ(run_opt({path, "--emit=python"}).code, 2);
  EXPECT_EQ(run_opt({path, "--emit=python", "-o", folder + "/module"}).code, 0);
  EXPECT_THAT(read_text(folder + "/module/model.py"), HasSubstr("class Model(nn.Module):"));
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

// Gradients of the sum of all outputs are states; a Program that has them already is refused.
TEST(Opt, differentiates) {
  const std::string path = test_folder() + "/forward.vecc";
  write_text(path,
             "vecc program 1 f64 samples 2\n"
             "parameter \"w\" [1, 1] = {3}\n"
             "parameter \"unread\" [1, 1] = {3}\n"
             "%0 = weight \"w\" : f64[1, 1]\n"
             "%1 = fact {2, 4} : f64[2, 1]\n"
             "%2 = linear %0 lift(repeat 2), %1 : f64[2, 1]\n"
             "%3 = output %2 [0:2] : f64[2, 1]\n");
  const Finished result = run_opt({path, "--differentiate", "-O2"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("= state \"gradient/w\" = 0 : f64[1, 1]\n"));
  EXPECT_THAT(result.out, HasSubstr("= update %"));
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("gradient/unread")));
  // What --check compares holds for the appended ops, too.
  EXPECT_EQ(run_opt({path, "--differentiate", "-O2", "--check", "--emit=stats"}).code, 0);
  const std::string twice = test_folder() + "/twice.vecc";
  write_text(twice, result.out);
  const Finished again = run_opt({twice, "--differentiate"});
  EXPECT_EQ(again.code, 3);
  EXPECT_THAT(again.err, HasSubstr("gradient/w"));
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

// A program of which drop-dead leaves three ops.
std::string write_program_with_a_dead_op(const std::string& folder) {
  const std::string path = folder + "/dead.vecc";
  write_text(path,
             "vecc program 1 f32 samples 1\n"
             "%0 = fact {0.5} : f32[1, 1]\n"
             "%1 = transform %0 tanh : f32[1, 1]\n"
             "%2 = transform %0 relu : f32[1, 1]\n"
             "%3 = output %2 [0:1] : f32[1, 1]\n");
  return path;
}

TEST(Opt, passes_run_in_the_order_given) {
  const std::string path = write_program_with_a_dead_op(test_folder());
  const Finished result = run_opt({path, "--passes=drop-dead", "--verify-each"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out,
            "vecc program 1 f32 samples 1\n"
            "%0 = fact {0.5} : f32[1, 1]\n"
            "%1 = transform %0 relu : f32[1, 1]\n"
            "%2 = output %1 [0:1] : f32[1, 1]\n");
}

TEST(Opt, every_level_runs_and_is_checked) {
  const std::string path = write_program_with_a_dead_op(test_folder());
  for (const char* level : {"-O0", "-O1", "-O2", "-O3"}) {
    const Finished result = run_opt({path, level, "--check", "--verify-each", "--emit=stats"});
    EXPECT_EQ(result.code, 0) << level << result.err;
  }
}

TEST(Opt, passes_are_timed_and_printed_on_stderr) {
  const std::string path = write_program_with_a_dead_op(test_folder());
  const Finished result =
      run_opt({path, "--passes=drop-dead", "--pass-statistics", "--print-ir-before=drop-dead",
               "--print-ir-after-all", "--emit=stats"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("# before drop-dead\nvecc program 1"));
  EXPECT_THAT(result.err, HasSubstr("# after drop-dead\nvecc program 1"));
  EXPECT_THAT(result.err, ::testing::ContainsRegex("ops dropped +1\n"));
}

TEST(Opt, stats_hold_what_each_pass_did) {
  const std::string path = write_program_with_a_dead_op(test_folder());
  const auto stats =
      nlohmann::json::parse(run_opt({path, "--passes=drop-dead", "--emit=stats", "--json"}).out);
  const auto& pass = stats.at("optimizer").at("passes").at(0);
  EXPECT_EQ(pass.at("pass"), "drop-dead");
  EXPECT_EQ(pass.at("before").at("ops"), 4);
  EXPECT_EQ(pass.at("after").at("ops"), 3);
  EXPECT_EQ(pass.at("counters").at("ops dropped"), 1);
  // In the table a list is how many it has.
  const std::string table = run_opt({path, "--passes=drop-dead", "--emit=stats"}).out;
  EXPECT_THAT(table, ::testing::ContainsRegex("\noptimizer.passes +1\n"));
}

TEST(Opt, unknown_pass_is_2_and_lists_the_passes) {
  const std::string path = write_program_with_a_dead_op(test_folder());
  for (const char* option : {"--passes=nonsense", "--disable-pass=nonsense",
                             "--print-ir-before=nonsense", "--print-ir-after=nonsense"}) {
    const Finished result = run_opt({path, option});
    EXPECT_EQ(result.code, 2) << option;
    EXPECT_THAT(result.err, HasSubstr("no pass \"nonsense\"; passes: "));
    EXPECT_THAT(result.err, HasSubstr("drop-dead"));
  }
  EXPECT_EQ(run_opt({path, "-O4"}).code, 2);
  EXPECT_EQ(run_opt({path, "-O2", "--gather-preset=nonsense"}).code, 2);
  EXPECT_EQ(run_opt({path, "-O2", "--pad=nonsense"}).code, 2);
}

TEST(Opt, page_shows_the_passes_and_escapes_names) {
  const std::string path = test_folder() + "/named.vecc";
  write_text(path,
             "vecc program 1 f32 samples 1\n"
             "%0 = fact {0.5} : f32[1, 1]  # <script>alert(1)</script>\n"
             "%1 = transform %0 tanh : f32[1, 1]\n"
             "%2 = output %0 [0:1] : f32[1, 1]\n");
  const Finished result = run_opt({path, "--passes=drop-dead", "--emit=html"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, ::testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(result.out, HasSubstr("drop-dead"));
  EXPECT_THAT(result.out, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace vecc::test
