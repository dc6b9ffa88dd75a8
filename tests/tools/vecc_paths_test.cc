// Two outputs to one file, and outputs to what is read: refused whatever the paths look like.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string graph_to_read() {
  return std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/xor.pb";
}

Finished run_into(const std::string& tool, std::vector<std::string> arguments,
                  const std::string& stdout_path = "") {
  Command command;
  command.tool = tool;
  command.arguments = std::move(arguments);
  command.stdout_path = stdout_path;
  return run(command);
}

class Paths : public ::testing::Test {
 protected:
  Paths() {
    write_text(path("old"), "old");
    EXPECT_EQ(::symlink("old", path("link").c_str()), 0);
    EXPECT_EQ(::link(path("old").c_str(), path("hard").c_str()), 0);
    EXPECT_EQ(::symlink("none", path("dangling").c_str()), 0);
    fs::create_directory(path("sub"));
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  // Both options are named, and nothing was written.
  void expect_refused(const std::string& tool, std::vector<std::string> words,
                      const std::string& first, const std::string& second) {
    const auto before = list_folder(folder_);
    const Finished result = run_into(tool, words);
    EXPECT_EQ(result.code, 2) << first << " " << second << ": " << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr(first), HasSubstr(second)));
    EXPECT_EQ(list_folder(folder_), before);
    EXPECT_EQ(read_text(path("old")), "old");
  }
  void expect_refused(std::vector<std::string> options, std::vector<std::string> more = {}) {
    const std::string first = options[0];
    const std::string second = options[1];
    options.insert(options.begin(), {graph_to_read(), "--backend=interpreter"});
    options.insert(options.end(), more.begin(), more.end());
    expect_refused("vecc", options, first, second);
  }

  std::string folder_ = test_folder();
};

TEST_F(Paths, one_file_by_other_spellings) {
  const std::vector<std::string> train{"--train", "--epochs=1"};
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{{"x", "x"},
                                                                             {"x", "./x"},
                                                                             {"x", "sub/../x"},
                                                                             {"old", "link"},
                                                                             {"old", "hard"},
                                                                             {"link", "hard"},
                                                                             {"dangling", "none"},
                                                                             {"sub/x", "sub//x"}}) {
    expect_refused({"--log=csv:" + path(a), "--log=jsonl:" + path(b)}, train);
    expect_refused({"--save-weights=" + path(a), "--log=csv:" + path(b)}, train);
    expect_refused({"--gradients=" + path(a), "--save-weights=" + path(b)});
    expect_refused(
        "vecc", {graph_to_read(), "--backend=interpreter", "-o", path(a), "--gradients=" + path(b)},
        "-o " + path(a), "--gradients=" + path(b));
  }
}

TEST_F(Paths, logs_of_tensorboard_in_one_folder) {
  expect_refused({"--log=tensorboard:" + path("t"), "--log=tensorboard:" + path("sub/../t/")},
                 {"--train", "--epochs=1"});
}

TEST_F(Paths, files_that_other_options_make) {
  expect_refused({"--checkpoint=" + path("run"), "--save-weights=" + path("run/last.safetensors")},
                 {"--train", "--epochs=1"});
  expect_refused({"--checkpoint=" + path("run"), "--log=csv:" + path("run/best.safetensors")},
                 {"--train", "--epochs=1"});
  expect_refused("vecc",
                 {graph_to_read(), "--backend=interpreter", "--gradients=" + path("p.arrays"), "-o",
                  path("p"), "--emit=ir", "--run"},
                 "--gradients=" + path("p.arrays"), "-o " + path("p"));
  expect_refused({"--save-weights=" + path("w.st"), "--log=csv:" + path("w.st")},
                 {"--train", "--epochs=1", "--folds=2"});
}

TEST_F(Paths, files_inside_of_files_and_of_emitted_folders) {
  expect_refused({"--checkpoint=" + path("run"), "--log=csv:" + path("run")},
                 {"--train", "--epochs=1"});
  for (const std::string& other :
       {"--save-weights=" + path("module/w.st"), "--checkpoint=" + path("module")}) {
    expect_refused("vecc",
                   {graph_to_read(), "--backend=interpreter", "--train", "--epochs=1", other,
                    "--emit=python", "-o", path("module")},
                   other, "-o " + path("module"));
  }
}

TEST_F(Paths, outputs_that_name_an_input) {
  const std::string weights = path("w.safetensors");
  ASSERT_EQ(run_vecc({graph_to_read(), "--backend=interpreter", "--save-weights=" + weights}).code,
            0);
  fs::copy_file(graph_to_read(), path("g.pb"));
  const std::string graph = path("g.pb");
  const std::vector<std::string> train{"--train", "--epochs=1"};
  for (const std::string output : {"--save-weights=", "--gradients="}) {
    expect_refused("vecc", {graph, output + path("./g.pb")}, output, "the graph " + graph);
  }
  expect_refused({"--load-weights=" + weights, "--save-weights=" + path("./w.safetensors")});
  expect_refused({"--load-weights=" + weights, "--gradients=" + weights});
  expect_refused({"--validate=" + graph, "--log=csv:" + graph}, train);
  EXPECT_EQ(read_text(graph), read_text(graph_to_read()));
  // Reading one file twice is none.
  EXPECT_EQ(
      run_vecc({graph, "--backend=interpreter", "--train", "--epochs=1", "--validate=" + graph})
          .code,
      0);
}

TEST_F(Paths, stdout_by_another_name) {
  const std::string out = path("out");
  write_text(out, "");
  for (const std::string& name : {out, path("./out"), std::string("/dev/stdout")}) {
    const Finished result =
        run_into("vecc", {graph_to_read(), "--backend=interpreter", "--gradients=" + name}, out);
    EXPECT_EQ(result.code, 2);
    EXPECT_THAT(result.err, HasSubstr("--gradients=" + name + " and stdout name one file"));
  }
  // Alone it is one output like another, as a pipe and as a file.
  for (const std::string& stdout_path : {std::string(), out}) {
    write_text(out, "");
    const Finished result = run_into("vecc",
                                     {graph_to_read(), "--backend=interpreter", "--train",
                                      "--epochs=2", "--log=csv:/dev/stdout", "-o", path("outputs")},
                                     stdout_path);
    EXPECT_EQ(result.code, 0) << result.err;
    const std::string log = stdout_path.empty() ? result.out : read_text(out);
    EXPECT_THAT(log, AllOf(testing::StartsWith("epoch,rate,loss"), HasSubstr("\n2,")));
  }
}

TEST_F(Paths, the_null_device_takes_everything) {
  const Finished result = run_vecc(
      {graph_to_read(), "--backend=interpreter", "--gradients=/dev/null", "-o", "/dev/null"});
  EXPECT_EQ(result.code, 0) << result.err;
}

// A file is a file, wherever it lies: replaced whole, not appended to.
TEST_F(Paths, a_file_in_shared_memory_is_a_file) {
  if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "no /dev/shm here";
  const std::string shared = "/dev/shm/vecc-paths-test-" + std::to_string(::getpid());
  const std::string expected = run_vecc({graph_to_read(), "--backend=interpreter"}).out;
  for (int i = 0; i < 2; ++i) {
    const Finished result = run_vecc({graph_to_read(), "--backend=interpreter", "-o", shared});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(read_text(shared), expected);
    for (const char* log : {"--log=csv:", "--log=jsonl:"}) {
      EXPECT_EQ(run_vecc({graph_to_read(), "--backend=interpreter", "--train", "--epochs=1",
                          log + shared + ".log"})
                    .code,
                0);
    }
  }
  const std::string log = read_text(shared + ".log");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  fs::remove(shared);
  fs::remove(shared + ".log");
}

TEST_F(Paths, of_vecc_predict) {
  const std::string graph = path("graph.pb");
  fs::copy_file(graph_to_read(), graph);
  const std::string before = read_text(graph);
  ASSERT_EQ(::symlink("graph.pb", path("other").c_str()), 0);
  for (const std::string& output : {graph, path("other")}) {
    expect_refused("vecc", {"predict", graph, "-o", output}, "-o " + output, "the graph " + graph);
  }
  expect_refused("vecc", {"predict", graph, "--load-weights=" + path("old"), "-o", path("hard")},
                 "-o " + path("hard"), "--load-weights=" + path("old"));
  EXPECT_EQ(read_text(graph), before);
}

TEST_F(Paths, of_vecc_opt) {
  ASSERT_EQ(run_vecc({graph_to_read(), "--emit=ir", "-o", path("p")}).code, 0);
  const std::string before = read_text(path("p"));
  expect_refused("vecc-opt", {path("p"), "-O2", "-o", path("./p")}, "the program " + path("p"),
                 "-o " + path("./p"));
  expect_refused("vecc-opt", {path("p"), "-O2", "--emit=dot", "-o", path("p.arrays")},
                 "the program " + path("p"), "-o " + path("p.arrays"));
  EXPECT_EQ(read_text(path("p")), before);
}

TEST_F(Paths, of_vecc_import) {
  fs::copy_file(graph_to_read(), path("g.pb"));
  expect_refused("vecc-import", {"repeat", "--times=2", path("g.pb"), "-o", path("sub/../g.pb")},
                 "the input " + path("g.pb"), "-o ");
  write_text(path("sub/sub_A.txt"), "1, 2\n");
  expect_refused("vecc-import", {"tu", path("sub"), "--model=gcn", "-o", path("sub/sub_A.txt")},
                 "names a file of the input", path("sub"));
  write_text(path("edges"), "0 1\n1 2\n");
  write_text(path("classes"), "0 0\n1 1\n");
  expect_refused("vecc-import",
                 {"graph", path("edges"), "--labels=" + path("classes"), "--model=gcn", "-o",
                  path("sub/../classes")},
                 "--labels " + path("classes"), "-o ");
  expect_refused(
      "vecc-import",
      {"graph", path("edges"), "--like=" + path("g.pb"), "--model=gcn", "-o", path("g.pb")},
      "--like " + path("g.pb"), "-o ");
  write_text(path("types"), "a\tb\n");
  expect_refused(
      "vecc-import",
      {"kg", path("edges"), "--types", path("types"), "--model=transe", "-o", path("./types")},
      "--types " + path("types"), "-o ");
  EXPECT_EQ(read_text(path("g.pb")), read_text(graph_to_read()));
  EXPECT_EQ(read_text(path("sub/sub_A.txt")), "1, 2\n");
  EXPECT_EQ(read_text(path("classes")), "0 0\n1 1\n");
  EXPECT_EQ(read_text(path("types")), "a\tb\n");
}

TEST_F(Paths, of_vecc_learn) {
  write_text(path("sub/rows.csv"), "id,y\n1,0\n");
  for (const char* option : {"-o", "--page", "--log=csv"}) {
    const std::string word = std::string(option) + (option == std::string("--log=csv") ? ":" : "=");
    expect_refused("vecc-learn",
                   {"learn", path("sub"), "--target=rows.y",
                    (option == std::string("-o") ? "--output=" : word) + path("sub/rows.csv")},
                   "names a file of the database", path("sub"));
  }
  EXPECT_EQ(read_text(path("sub/rows.csv")), "id,y\n1,0\n");
}

TEST_F(Paths, of_vecc_bench) {
  fs::copy_file(graph_to_read(), path("g.pb"));
  expect_refused("vecc-bench", {"compile", path("g.pb"), "--json", path("./g.pb")}, path("g.pb"),
                 "--json=" + path("./g.pb"));
  expect_refused("vecc-bench", {"peers", "--json", path("x"), "--svg", path("./x")},
                 "--json=" + path("x"), "--svg=" + path("./x"));
  EXPECT_EQ(read_text(path("g.pb")), read_text(graph_to_read()));
}

TEST_F(Paths, of_vecc_weights) {
  const std::string weights = path("w.safetensors");
  ASSERT_EQ(run_vecc({graph_to_read(), "--backend=interpreter", "--save-weights=" + weights}).code,
            0);
  const std::string before = read_text(weights);
  expect_refused("vecc", {"weights", "convert", weights, path("./w.safetensors")}, weights,
                 path("./w.safetensors"));
  EXPECT_EQ(read_text(weights), before);
}

}  // namespace
}  // namespace vecc::test
