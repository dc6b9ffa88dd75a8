// --eval-batch-size: what is computed some samples at a time is what is computed at once.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "process.h"

namespace vecc::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kBatches = "--eval-batch-size=7";

std::string molecules() {
  return std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis.pb";
}

Finished run_on_cpu(std::vector<std::string> words, bool in_batches) {
  words.insert(words.end(), {"--backend=cpu", "--device=cpu"});
  if (in_batches) words.emplace_back(kBatches);
  Finished finished = run_vecc(std::move(words));
  EXPECT_EQ(finished.code, 0) << finished.err;
  return finished;
}

void expect_the_same(const std::vector<std::string>& words, const std::string& said) {
  const Finished whole = run_on_cpu(words, false);
  const Finished batches = run_on_cpu(words, true);
  EXPECT_EQ(batches.out, whole.out);
  EXPECT_THAT(batches.err, HasSubstr(said));
  EXPECT_FALSE(has_control_characters(batches.err)) << batches.err;
}

TEST(VeccEvalBatches, outputs_are_those_of_all_samples_at_once) {
  expect_the_same({molecules()}, "outputs of 7 samples at a time: ");
  expect_the_same({"predict", molecules()}, "outputs of 7 samples at a time: ");
  EXPECT_EQ(run_on_cpu({molecules(), "--quiet", "--repeat=2"}, true).err, "");
}

TEST(VeccEvalBatches, json_has_the_memory_of_a_batch) {
  const json report = json::parse(run_on_cpu({molecules(), "--json"}, true).out);
  for (const json& stage : report.at("stages")) {
    if (stage.at("name") != "compile") continue;
    EXPECT_EQ(stage.at("batches"), 27);  // of 188 samples
    EXPECT_GT(stage.at("batch_value_bytes"), 0);
    EXPECT_GT(stage.at("batch_array_bytes"), 0);
    return;
  }
  FAIL() << "no stage compile";
}

TEST(VeccEvalBatches, metrics_are_those_of_all_samples_at_once) {
  const auto metrics_of = [](bool in_batches) {
    const std::vector<std::string> words{"evaluate", molecules(), "--json", "--dtype=f64"};
    return json::parse(run_on_cpu(words, in_batches).out).at("metrics");
  };
  json whole = metrics_of(false);
  json batches = metrics_of(true);
  EXPECT_NEAR(batches.at("loss").get<double>(), whole.at("loss").get<double>(), 1e-12);
  batches.erase("loss");
  whole.erase("loss");
  EXPECT_EQ(batches, whole);
}

// Steps have batches of their own.
TEST(VeccEvalBatches, trainings_and_folds_learn_and_predict_the_same) {
  expect_the_same({molecules(), "--train", "--epochs=2", "--batch-size=50", "--validate=0.2"},
                  "metrics of 7 samples at a time: ");
  expect_the_same({molecules(), "--train", "--epochs=2", "--folds=3"},
                  "metrics of 7 samples at a time: ");
}

}  // namespace
}  // namespace vecc::test
