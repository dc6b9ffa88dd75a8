// vecc-bench compile and large: their tables and their JSON.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

Finished run_bench(std::vector<std::string> arguments) {
  Command command;
  command.tool = "vecc-bench";
  command.arguments = std::move(arguments);
  return run(command);
}

TEST(Bench, compile_measures_each_size) {
  const std::string folder = test_folder();
  const std::string graph = write_wide_graph(folder, 500);
  const Finished result = run_bench({"compile", graph, "--times=1,20", "--repeat=2", "--json",
                                     folder + "/b.json", "--temp", folder});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::ContainsRegex("neurons/s +peak B/edge"));
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 3);
  const auto object = nlohmann::json::parse(read_text(folder + "/b.json"));
  const auto& rows = object.at("rows");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("neurons"), 1000);
  EXPECT_EQ(rows[1].at("neurons"), 20000);
  EXPECT_EQ(rows[1].at("edges"), 10000);
  EXPECT_EQ(rows[1].at("runs").size(), 2u);
  EXPECT_GT(rows[1].at("neurons_per_second"), 0);
  EXPECT_GT(rows[1].at("peak_bytes_per_edge"), 0);
  EXPECT_GT(rows[1].at("graph_bytes_per_edge"), 0);
  EXPECT_THAT(list_folder(folder), ::testing::ElementsAre("b.json", "wide.pb"));
}

TEST(Bench, large_measures_each_stage_to_a_trained_epoch) {
  const std::string folder = test_folder();
  const Finished result = run_bench(
      {"large", "--case=synth-set --graphs=200 --model=gcn --dim=4",
       "--case=synth --nodes=60 --edges=300 --types=3 --classes=4 --model=rgcn --dims=4,4",
       "--backend=interpreter", "--json", folder + "/b.json", "--temp", folder});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::ContainsRegex("neurons/s +peak +peak B/neuron"));
  const auto object = nlohmann::json::parse(read_text(folder + "/b.json"));
  ASSERT_EQ(object.at("rows").size(), 2u);
  for (const auto& row : object.at("rows")) {
    std::vector<std::string> stages;
    std::uint64_t peak = 0;
    for (const auto& stage : row.at("stages")) {
      stages.push_back(stage.at("stage"));
      EXPECT_GE(stage.at("peak_bytes").get<std::uint64_t>(), peak);
      peak = stage.at("peak_bytes");
    }
    EXPECT_THAT(stages,
                ::testing::ElementsAre("read", "vectorize", "optimize", "prepare", "epoch"));
    EXPECT_GT(row.at("loss"), 0);
    EXPECT_GT(row.at("file_bytes"), 0);
  }
  EXPECT_THAT(list_folder(folder), ::testing::ElementsAre("b.json"));
}

TEST(Bench, bad_input_and_usage) {
  const std::string folder = test_folder();
  EXPECT_EQ(run_bench({"compile", folder + "/missing.pb"}).code, 3);
  EXPECT_EQ(run_bench({}).code, 2);
  EXPECT_EQ(run_bench({"compile"}).code, 2);
  EXPECT_EQ(run_bench({"compile", folder + "/x.pb", "--times=0"}).code, 2);
  EXPECT_EQ(run_bench({"large", "--case=synth-set --model=gcn"}).code, 5);
  EXPECT_EQ(run_bench({"train", folder, "--matmul-precision=fp8"}).code, 2);
  EXPECT_EQ(run_bench({"peers", "--device=cpu", "--matmul-precision=tf32"}).code, 2);
  EXPECT_EQ(run_bench({"compile", write_small_graph(folder), "--temp", folder + "/none"}).code, 3);
}

}  // namespace
}  // namespace vecc::test
