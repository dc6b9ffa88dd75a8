// Where vecc writes: whole files or none, and what becomes of failed writes.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(VeccFiles, output_replaces_the_old_file_and_leaves_nothing_else) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  write_text(folder + "/out.json", "old");
  ASSERT_EQ(::chmod((folder + "/out.json").c_str(), 0640), 0);
  const Finished result =
      run_vecc({graph, "--backend=reference", "--json", "-o", folder + "/out.json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  const auto object = nlohmann::json::parse(read_text(folder + "/out.json"));
  EXPECT_EQ(object.at("outputs").size(), 3u);
  EXPECT_THAT(list_folder(folder), ElementsAre("out.json", "small.pb"));
  struct stat status {};
  ASSERT_EQ(::stat((folder + "/out.json").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(VeccFiles, dash_is_stdin_and_stdout) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  Command repeat;
  repeat.tool = "vecc-import";
  repeat.arguments = {"repeat", "--times=2", "-", "-o", "-"};
  repeat.stdin_path = graph;
  repeat.stdout_path = folder + "/twice.pb";
  write_text(repeat.stdout_path, "");
  const Finished twice = run(repeat);
  ASSERT_EQ(twice.code, 0) << twice.err;
  Command read;
  read.tool = "vecc";
  read.arguments = {"-", "--backend=reference"};
  read.stdin_path = repeat.stdout_path;
  const Finished piped = run(read);
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(std::count(piped.out.begin(), piped.out.end(), '\n'), 6);
  EXPECT_EQ(run_vecc({repeat.stdout_path, "--backend=reference"}).out, piped.out);
  EXPECT_THAT(list_folder(folder), ElementsAre("small.pb", "twice.pb"));
}

TEST(VeccFiles, failure_keeps_the_old_file) {
  const std::string folder = test_folder();
  write_text(folder + "/broken.pb", "broken");
  write_text(folder + "/out.txt", "old");
  for (const char* emit : {"--emit=ir", "--emit=dot", "--quiet"}) {
    EXPECT_EQ(run_vecc({folder + "/broken.pb", emit, "-o", folder + "/out.txt"}).code, 3);
    EXPECT_EQ(read_text(folder + "/out.txt"), "old");
  }
  EXPECT_THAT(list_folder(folder), ElementsAre("broken.pb", "out.txt"));
}

TEST(VeccFiles, symbolic_link_is_followed) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  write_text(folder + "/real", "old");
  ASSERT_EQ(::symlink("real", (folder + "/link").c_str()), 0);
  EXPECT_EQ(run_vecc({graph, "--backend=reference", "-o", folder + "/link"}).code, 0);
  EXPECT_THAT(read_text(folder + "/real"), HasSubstr("sum\t2.5\t1\n"));
}

TEST(VeccFiles, missing_folder_and_folder_as_file_are_errors) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  for (const char* emit : {"--emit=ir", "--emit=dot", "--emit=stats", "--backend=reference"}) {
    for (const std::string& path : {folder + "/missing/out", folder}) {
      const Finished result = run_vecc({graph, emit, "-o", path});
      EXPECT_EQ(result.code, 3) << emit << ": " << result.err;
      EXPECT_THAT(result.err, HasSubstr("[E051]")) << emit;
    }
  }
  EXPECT_THAT(list_folder(folder), ElementsAre("small.pb"));
}

TEST(VeccFiles, module_is_a_new_or_empty_folder) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const std::string module = folder + "/module";
  EXPECT_EQ(run_vecc({graph, "--emit=python"}).code, 2);
  EXPECT_THAT(run_vecc({graph, "--emit=python"}).err, HasSubstr("--emit=python needs -o"));
  const Finished written =
      run_vecc({graph, "--emit=python", "-o", module, "--run", "--backend=reference"});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_THAT(written.out, HasSubstr("sum\t2.5\t1\n"));
  EXPECT_THAT(list_folder(module),
              ElementsAre("README.md", "data.safetensors", "model.py", "weights.safetensors"));
  const Finished again = run_vecc({graph, "--emit=python", "-o", module});
  EXPECT_EQ(again.code, 3);
  EXPECT_THAT(again.err, HasSubstr("the folder is there and not empty [E051]"));
  EXPECT_THAT(list_folder(folder), ElementsAre("module", "small.pb"));
}

TEST(VeccFiles, module_of_open_weights_says_how_to_get_some) {
  const std::string folder = test_folder();
  const Finished result =
      run_vecc({write_open_graph(folder), "--emit=python", "-o", folder + "/module"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("has no values; --init=glorot gives it some [E023]"));
  EXPECT_THAT(list_folder(folder), ElementsAre("open.pb"));
}

TEST(VeccFiles, full_disk_is_an_error) {
  const std::string graph = write_small_graph(test_folder());
  Command command;
  command.tool = "vecc";
  command.stdout_path = "/dev/full";
  for (const char* what : {"--backend=reference", "--json", "--emit=ir", "--emit=dot", "--help"}) {
    command.arguments = {graph, what};
    const Finished result = run(command);
    EXPECT_EQ(result.code, 3) << what;
    EXPECT_THAT(result.err, HasSubstr("stdout: error: cannot write: ")) << what;
  }
  for (const char* emit : {"--emit=ir", "--emit=dot", "--backend=reference"}) {
    const Finished result = run_vecc({graph, emit, "-o", "/dev/full"});
    EXPECT_EQ(result.code, 3) << emit;
  }
}

TEST(VeccFiles, device_is_written_not_replaced) {
  const std::string graph = write_small_graph(test_folder());
  for (const char* emit : {"--emit=ir", "--emit=dot", "--backend=reference"}) {
    EXPECT_EQ(run_vecc({graph, emit, "-o", "/dev/null"}).code, 0) << emit;
    struct stat status {};
    ASSERT_EQ(::stat("/dev/null", &status), 0);
    EXPECT_TRUE(S_ISCHR(status.st_mode));
  }
}

TEST(VeccFiles, closed_pipe_ends_quietly) {
  Command command;
  command.tool = "vecc";
  command.stdout_closed = true;
  const std::string graph = write_wide_graph(test_folder(), 20000);
  for (const char* what : {"--backend=reference", "--json", "--emit=ir", "--help"}) {
    command.arguments = {graph, what};
    const Finished result = run(command);
    EXPECT_EQ(result.signal, 0) << what;
    EXPECT_EQ(result.code, 0) << what;
    EXPECT_EQ(result.err, "") << what;
  }
}

}  // namespace
}  // namespace vecc::test
