// vecc --train: what it prints and writes, and what it leaves behind when it is stopped.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "process.h"
#include "tools/common/cost_cache.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::string xor_graph() {
  return std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/xor.pb";
}

Finished run_train(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {xor_graph(), "--train", "--backend=interpreter"});
  return run_vecc(std::move(arguments));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(VeccTrain, learns_and_prints_the_outputs_of_the_learned_weights) {
  const std::string weights = test_folder() + "/w.safetensors";
  const Finished trained = run_train({"--epochs=300", "--lr=0.05", "--save-weights=" + weights});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("300 epochs"));
  const Finished loaded =
      run_vecc({xor_graph(), "--backend=interpreter", "--load-weights=" + weights});
  EXPECT_EQ(loaded.out, trained.out);
  EXPECT_NE(loaded.out, run_vecc({xor_graph(), "--backend=interpreter"}).out);
}

// Compiling the steps may take longer than all of them.
TEST(VeccTrain, the_report_tells_preparing_from_training) {
  const Finished trained = run_train({"--epochs=2", "--json"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const json report = json::parse(trained.out);
  std::vector<std::string> stages;
  for (const json& stage : report.at("stages")) stages.push_back(stage.at("name"));
  const auto train = std::ranges::find(stages, "train");
  ASSERT_NE(train, stages.end());
  EXPECT_EQ(*std::prev(train), "prepare");
  EXPECT_EQ(*std::next(train), "compile");
}

// Steps go through the optimizer after the Program has, which knew what it is to run on.
TEST(VeccTrain, steps_are_optimized_for_the_device_as_it_was_calibrated) {
  const std::string cache = test_folder() + "/cache";
  const std::string before = std::getenv("VECC_CACHE_DIR");
  setenv("VECC_CACHE_DIR", cache.c_str(), 1);
  const auto saved = tools::save_coefficients("interpreter", "cpu", {.launch = 0.0123});
  setenv("VECC_CACHE_DIR", before.c_str(), 1);
  ASSERT_TRUE(saved) << saved.error().text();
  Command command;
  command.tool = "vecc";
  command.arguments = {xor_graph(), "--train", "--epochs=1", "--backend=interpreter",
                       "--log-level=debug"};
  command.environment = {"VECC_CACHE_DIR=" + cache};
  EXPECT_THAT(run(command).err, HasSubstr("steps are optimized for cpu: 0.0123 s a launch"));
}

TEST(VeccTrain, batches_have_the_samples_with_a_target) {
  auto graph = read_graph(xor_graph());
  ASSERT_TRUE(graph);
  graph->samples[1].has_target = false;
  const std::string path = test_folder() + "/partly.pb";
  ASSERT_TRUE(write_graph(*graph, path, {}));
  const auto train = [&](const std::string& size) {
    return run_vecc({path, "--train", "--backend=interpreter", "--json", "--epochs=2", size});
  };
  const Finished batches = train("--batch-size=2");
  ASSERT_EQ(batches.code, 0) << batches.err;
  EXPECT_THAT(batches.err,
              HasSubstr("batches of 2 of the 3 samples with a target, each a program"));
  EXPECT_THAT(batches.out, HasSubstr("\"batch_samples\":3"));
  const Finished whole = train("--batch-size=all");
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.err.find("batches of"), std::string::npos) << whole.err;
}

TEST(VeccTrain, the_loss_falls_in_the_log) {
  const std::string log = test_folder() + "/log.jsonl";
  ASSERT_EQ(run_train({"--epochs=50", "--lr=0.05", "--log=jsonl:" + log}).code, 0);
  const std::vector<std::string> lines = lines_of(read_text(log));
  ASSERT_EQ(lines.size(), 50u);
  EXPECT_EQ(json::parse(lines[9]).at("epoch"), 10);
  EXPECT_LT(json::parse(lines[49]).at("loss").get<double>(),
            json::parse(lines[0]).at("loss").get<double>());
}

TEST(VeccTrain, a_csv_log_has_the_same_columns_in_every_line) {
  const std::string log = test_folder() + "/log.csv";
  ASSERT_EQ(run_train({"--epochs=3", "--log=csv:" + log}).code, 0);
  const std::vector<std::string> lines = lines_of(read_text(log));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0], testing::StartsWith("epoch,rate,loss,seconds,train_loss,"));
  for (const std::string& line : lines) {
    EXPECT_EQ(std::ranges::count(line, ','), std::ranges::count(lines[0], ','));
  }
}

TEST(VeccTrain, folds_print_mean_and_standard_error) {
  const Finished result = run_train({"--folds=2", "--epochs=5"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("fold 2"));
  EXPECT_THAT(result.err, HasSubstr("(mean and standard error of 2 folds)"));
}

TEST(VeccTrain, early_stop_needs_samples_to_validate_with) {
  const Finished result = run_train({"--early-stop=3"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("--validate=0.2"));
}

TEST(VeccTrain, a_rate_that_is_too_high_ends_with_the_op_and_row) {
  const Finished result = run_train({"--optimizer=sgd", "--lr=1e200", "--epochs=20"});
  EXPECT_EQ(result.code, 6);
  EXPECT_THAT(result.err, HasSubstr(", row "));
  EXPECT_THAT(result.err, HasSubstr("[E070]"));
}

TEST(VeccTrain, options_of_training_need_train) {
  const Finished result = run_vecc({xor_graph(), "--checkpoint=x"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("nothing is trained: add --train"));
}

TEST(VeccTrain, another_graph_validates_with_the_same_weights) {
  const Finished result = run_train({"--epochs=3", "--validate=" + xor_graph()});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("validation loss"));
}

TEST(VeccTrain, a_page_has_the_curves) {
  const std::string page = test_folder() + "/page.html";
  const Finished result = run_train({"--epochs=7", "--validate=0.25", "--emit=html", "-o", page});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");  // outputs come with --run
  const std::string text = read_text(page);
  EXPECT_THAT(text, HasSubstr("<h2 id='training'>"));
  EXPECT_THAT(text, HasSubstr("<title>epoch 7: train loss "));
  EXPECT_THAT(text, HasSubstr("<title>epoch 7: validation accuracy "));
  EXPECT_THAT(text, HasSubstr("best: epoch "));
}

TEST(VeccTrain, a_program_is_emitted_with_the_learned_weights) {
  const std::string folder = test_folder();
  const auto emit = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.end(), {"--emit=ir", "-o", folder + "/" + name});
    EXPECT_EQ(run_vecc(std::move(more)).code, 0);
    return read_text(folder + "/" + name);
  };
  const std::string trained =
      emit("trained", {xor_graph(), "--train", "--backend=interpreter", "--epochs=20",
                       "--save-weights=" + folder + "/w.safetensors"});
  EXPECT_EQ(trained, emit("loaded", {xor_graph(), "--backend=interpreter",
                                     "--load-weights=" + folder + "/w.safetensors"}));
  EXPECT_NE(trained, emit("before", {xor_graph(), "--backend=interpreter"}));
}

TEST(VeccTrain, a_read_only_folder_is_an_error_before_training) {
  const Finished result = run_train({"--checkpoint=/proc/no-folder"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("/proc/no-folder"));
}

TEST(VeccTrain, resumed_after_it_was_stopped_it_ends_with_the_same_weights) {
  const std::string folder = test_folder();
  const auto train = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(),
                {"--epochs=40", "--batch-size=3", "--checkpoint=" + folder + "/" + name,
                 "--checkpoint-every=7", "--save-weights=" + folder + "/" + name + ".st"});
    return run_train(std::move(more));
  };
  ASSERT_EQ(train("whole", {}).code, 0);
  const Finished first = run_train({"--epochs=23", "--batch-size=3",
                                    "--checkpoint=" + folder + "/parts", "--checkpoint-every=7"});
  ASSERT_EQ(first.code, 0) << first.err;
  const Finished second = train("parts", {"--resume"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_EQ(read_text(folder + "/parts.st"), read_text(folder + "/whole.st"));
}

TEST(VeccTrain, interrupted_it_leaves_a_checkpoint_that_goes_on_bit_for_bit) {
  const std::string folder = test_folder();
  const auto command = [&](const std::string& name) {
    Command result;
    result.tool = "vecc";
    result.arguments = {xor_graph(),
                        "--train",
                        "--backend=interpreter",
                        "--epochs=5000",
                        "--checkpoint=" + folder + "/" + name,
                        "--save-weights=" + folder + "/" + name + ".st"};
    return result;
  };
  ASSERT_EQ(run(command("whole")).code, 0);
  Command stopped = command("parts");
  stopped.interrupt_on = "epoch 1/";
  EXPECT_EQ(run(stopped).code, 130);
  Command again = command("parts");
  again.arguments.emplace_back("--resume");
  ASSERT_EQ(run(again).code, 0);
  EXPECT_EQ(read_text(folder + "/parts.st"), read_text(folder + "/whole.st"));
}

}  // namespace
}  // namespace vecc::test
