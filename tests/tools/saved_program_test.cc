// vecc --save-program, vecc run and vecc predict by it: other molecules, nothing compiled.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "process.h"
#include "tests/support/graph_subset.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class SavedPrograms : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = test_folder();
    const NeuronGraph whole =
        read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis.pb")
            .value();
    std::vector<std::uint32_t> molecules;
    for (std::uint32_t s = 0; s < whole.samples.size(); s += 5) molecules.push_back(s);
    ASSERT_TRUE(write_graph(whole, trained(), Compression::None));
    ASSERT_TRUE(write_graph(graph_of_samples(whole, molecules), other(), Compression::None));
    const Finished done =
        run_vecc({trained(), "--train", "--epochs=5", "--backend=interpreter", "--dtype=f64",
                  "--loss=squared_diff", "--save-program=" + program(),
                  "--save-weights=" + weights(), "-o", folder_ + "/out"});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("program"));
  }

  static std::string trained() { return folder_ + "/train.pb"; }
  static std::string other() { return folder_ + "/new.pb"; }
  static std::string program() { return folder_ + "/model.vecc"; }
  static std::string weights() { return folder_ + "/w.safetensors"; }

  static void expect_close(const json& found, const json& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t s = 0; s < found.size(); ++s) {
      EXPECT_EQ(found[s]["sample"], expected[s]["sample"]);
      EXPECT_EQ(found[s]["target"], expected[s]["target"]);
      EXPECT_NEAR(found[s]["value"].get<double>(), expected[s]["value"].get<double>(), 1e-12);
    }
  }

  static inline std::string folder_;
};

TEST_F(SavedPrograms, run_prints_what_the_graph_gives_with_the_weights) {
  const Finished found = run_vecc({"run", program(), other(), "--json"});
  const Finished expected = run_vecc(
      {other(), "--load-weights=" + weights(), "--dtype=f64", "--backend=interpreter", "--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  ASSERT_EQ(expected.code, 0) << expected.err;
  const json report = json::parse(found.out);
  expect_close(report["outputs"], json::parse(expected.out)["outputs"]);
  EXPECT_EQ(report["dtype"], "f64");
}

TEST_F(SavedPrograms, a_second_run_compiles_nothing) {
  ASSERT_EQ(run_vecc({"run", program(), other(), "-q"}).code, 0);
  const Finished again = run_vecc({"run", program(), other(), "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  std::set<std::string> stages;
  const json report = json::parse(again.out);
  for (const json& stage : report["stages"]) {
    stages.insert(stage["name"]);
    EXPECT_EQ(stage.value("compiled", 0), 0);
    EXPECT_EQ(stage.value("interpreted", 0), 0);
  }
  EXPECT_THAT(stages, testing::UnorderedElementsAre("load", "import", "compile", "bind", "run"));
}

TEST_F(SavedPrograms, other_backends_compile_the_graph_with_the_same_weights) {
  const Finished found = run_vecc({"run", program(), other(), "--json"});
  const Finished expected =
      run_vecc({"run", program(), other(), "--backend=interpreter", "--json"});
  ASSERT_EQ(expected.code, 0) << expected.err;
  expect_close(json::parse(found.out)["outputs"], json::parse(expected.out)["outputs"]);
}

// The graph is compiled, as one without a program.
TEST_F(SavedPrograms, places_and_limits_of_memory_count) {
  for (const char* command : {"run", "predict"}) {
    const auto by = [&](std::vector<std::string> options) {
      options.insert(options.begin(), {command, program(), other(), "--backend=cpu"});
      return run_vecc(options);
    };
    const Finished found = by({"--json"});
    ASSERT_EQ(found.code, 0) << found.err;
    const Finished placed = by({"--json", "--place=w0=file"});
    EXPECT_EQ(placed.code, 0) << placed.err;
    if (command == std::string("run")) {
      EXPECT_THAT(placed.err, HasSubstr("in a file"));
      expect_close(json::parse(placed.out)["outputs"], json::parse(found.out)["outputs"]);
    }
    const Finished unknown = by({"--place=nosuch=file"});
    EXPECT_EQ(unknown.code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("no table \"nosuch\" in the program"));
    const Finished little = by({"--host-memory=1M"});
    EXPECT_EQ(little.code, 5);
    EXPECT_THAT(little.err, HasSubstr("left of --host-memory"));
  }
}

TEST_F(SavedPrograms, predict_prints_the_table_that_weights_give) {
  const Finished found = run_vecc({"predict", program(), other(), "--dtype=f32"});
  const Finished expected =
      run_vecc({"predict", other(), "--load-weights=" + weights(), "--loss=squared_diff"});
  ASSERT_EQ(found.code, 0) << found.err;
  ASSERT_EQ(expected.code, 0) << expected.err;
  std::istringstream lines(found.out);
  std::istringstream other_lines(expected.out);
  std::string line;
  std::string other_line;
  std::size_t count = 0;
  while (std::getline(lines, line) && std::getline(other_lines, other_line)) {
    EXPECT_EQ(line.substr(0, line.find('\t')), other_line.substr(0, other_line.find('\t')));
    ++count;
  }
  EXPECT_EQ(count, 39u);
}

TEST_F(SavedPrograms, what_does_not_fit_is_refused) {
  const std::string xor_path = std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/xor.pb";
  const Finished unknown = run_vecc({"run", program(), xor_path});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("group 0 \"xy/0\": error: fact \"\" is no group of the "
                                     "template, expected one of its 32 [E021]"));
  EXPECT_EQ(unknown.out, "");
  const Finished no_program = run_vecc({"run", weights(), other()});
  EXPECT_EQ(no_program.code, 3);
  EXPECT_THAT(no_program.err, HasSubstr("is no saved program: vecc GRAPH --save-program=FILE"));
  const Finished no_graph = run_vecc({"predict", program()});
  EXPECT_EQ(no_graph.code, 2);
  EXPECT_THAT(no_graph.err, HasSubstr("is a saved program: of which graph?"));
  const Finished folds =
      run_vecc({trained(), "--train", "--folds=2", "--save-program=" + folder_ + "/x"});
  EXPECT_EQ(folds.code, 2);
  EXPECT_THAT(folds.err, HasSubstr("--save-program"));
}

TEST_F(SavedPrograms, a_damaged_one_is_refused) {
  std::ifstream file(program(), std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  std::string damaged = bytes.str();
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  const std::string path = folder_ + "/damaged.vecc";
  std::ofstream(path, std::ios::binary) << damaged;
  const Finished result = run_vecc({"run", path, other()});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("CRC-32"));
}

}  // namespace
}  // namespace vecc::test
