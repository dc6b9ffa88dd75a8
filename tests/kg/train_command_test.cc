// vecc-kg train as a user sees it: from triples to weights that the other commands read, stopped
// and gone on, and what it refuses.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "backends/cuda/cuda_backend.h"
#include "tests/tools/process.h"

namespace vecc::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Words = std::vector<std::string>;

class KgTrainCommand : public testing::Test {
 protected:
  std::string folder = test_folder();

  void SetUp() override {
    std::string train;
    for (int i = 0; i < 12; ++i) {
      train += "e" + std::to_string(i) + "\tnext\te" + std::to_string((i + 1) % 12) + "\n";
    }
    write_text(folder + "/train.txt", train + "e0\tonce\te5\n");
    write_text(folder + "/valid.txt", "e3\tnext\te9\n");
    write_text(folder + "/test.txt", "e4\tnext\tlonely\n");
  }
  [[nodiscard]] static Words join(const Words& a, const Words& b) {
    Words words = a;
    words.insert(words.end(), b.begin(), b.end());
    return words;
  }
  [[nodiscard]] Finished train(const Words& more) const {
    Words words{"train", folder, "--quiet"};
    const bool draws = std::ranges::none_of(more, [](const std::string& word) {
      return word == "--negatives=all" || word == "--negatives=k-vs-all";
    });
    for (const std::string small : {"--dim=6", "--negatives=4", "--chunk=3", "--batch-size=5"}) {
      const std::string name = small.substr(0, small.find('=') + 1);
      if (name == "--chunk=" && !draws) continue;
      if (std::ranges::none_of(more, [&](const auto& word) { return word.starts_with(name); })) {
        words.push_back(small);
      }
    }
    return run_tool("vecc-kg", join(words, more));
  }
  // The weights that it saves; it has ranked the validation triples.
  [[nodiscard]] std::string weights_after(const Words& more) const {
    const std::string path = folder + "/w.safetensors";
    const Finished done = train(join(more, {"--save-weights=" + path}));
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.out, StartsWith("ranks\trelations\tside\tcount\tmrr\t"));
    return read_text(path);
  }
  void expect_refused(const Words& more, int code, const std::string& message) const {
    const Finished done = train(more);
    EXPECT_EQ(done.code, code) << done.err;
    EXPECT_THAT(done.err, HasSubstr(message));
    EXPECT_EQ(done.out, "");
  }
};

TEST_F(KgTrainCommand, PrintsFilteredRanksAndWritesWhatTheOthersRead) {
  const std::string weights = folder + "/w.safetensors";
  for (const std::string model : {"transe", "transh", "transr", "rescal", "rotate"}) {
    const Finished done = train({"--model=" + model, "--epochs=3", "--save-weights=" + weights,
                                 "--log=jsonl:" + folder + "/log"});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_THAT(done.out, StartsWith("ranks\trelations\tside\tcount\tmrr\t"));
    EXPECT_THAT(done.out, HasSubstr("filtered\tall\tboth\t2\t"));
    EXPECT_THAT(read_text(folder + "/log"), HasSubstr("\"validation_filtered_mrr\":"));
    const Finished ranked = run_tool("vecc-kg", {"evaluate", weights, "--model=" + model,
                                                 "--triples=" + folder, "--split=validation"});
    ASSERT_EQ(ranked.code, 0) << ranked.err;
    EXPECT_EQ(ranked.out, done.out);
    const Finished asked = run_tool(
        "vecc-kg", {"predict", weights, "--model=" + model, "--query=e3,next,?", "--top=100"});
    ASSERT_EQ(asked.code, 0) << asked.err;
    EXPECT_EQ(std::ranges::count(asked.out, '\n'), 14);  // a head line, 13 entities
  }
}

// DistMult's tables are those of TransE: only the file tells them apart.
TEST_F(KgTrainCommand, WeightsSayWhichScoreTheyAreOf) {
  const std::string weights = folder + "/w";
  const auto predict = [&](const Words& more) {
    return run_tool("vecc-kg", join({"predict", weights, "--query=e1,next,?", "--top=3"}, more));
  };
  const Words options{"--epochs=2", "--save-weights=" + weights};
  ASSERT_EQ(train(join({"--model=transe", "--p=2"}, options)).code, 0);
  const Finished said = predict({});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, predict({"--model=transe", "--p=2"}).out);
  const auto expect_refused = [&](const Words& more, const std::string& message) {
    const Finished done = predict(more);
    EXPECT_NE(done.code, 0);
    EXPECT_EQ(done.out, "");
    EXPECT_THAT(done.err, HasSubstr(message));
  };
  expect_refused({"--model=distmult"}, "says that it is of transe, found --model=distmult");
  expect_refused({"--p=1"}, "says that its norm has p = 2, found --p=1");
  ASSERT_EQ(train(join({"--model=tucker"}, options)).code, 0);
  EXPECT_EQ(predict({}).out, predict({"--model=tucker"}).out);
  expect_refused({"--model=transe"}, "says that it is of formula, found --model=transe");
}

TEST_F(KgTrainCommand, InverseRelationsAnswerForHeads) {
  const std::string weights = folder + "/w.safetensors";
  const Finished done =
      train({"--model=complex", "--inverse=on", "--epochs=2", "--negatives=all", "--loss=softmax",
             "--n3=0.01", "--save-weights=" + weights, "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto result = nlohmann::json::parse(done.out);
  EXPECT_EQ(result["triples"], 26);
  EXPECT_EQ(result["relations"], 4);
  EXPECT_EQ(result["metrics"]["filtered"]["all"]["both"]["ranks"], 2);
  const Finished ranked = run_tool("vecc-kg", {"evaluate", weights, "--model=complex", "--triples",
                                               folder, "--split=validation", "--json"});
  ASSERT_EQ(ranked.code, 0) << ranked.err;
  EXPECT_TRUE(nlohmann::json::parse(ranked.out)["inverse"]);
}

// With fewer epochs to wait than lie between two evaluations, too.
TEST_F(KgTrainCommand, StopsEarlyByAnEvaluation) {
  const std::string log = folder + "/log";
  const Finished done = train({"--model=distmult", "--epochs=200", "--early-stop=1", "--json",
                               "--log-every=5", "--log=jsonl:" + log});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto result = nlohmann::json::parse(done.out);
  const std::uint64_t epochs = result["epochs"];
  EXPECT_LT(epochs, 200u);
  EXPECT_EQ(epochs, std::uint64_t{result["best_epoch"]} + 5);
  const std::string text = read_text(log);
  EXPECT_THAT(text.substr(text.rfind('{')), HasSubstr("\"validation_filtered_mrr\":"));
}

TEST_F(KgTrainCommand, RepeatedTriplesAreLearnedOnceAndRankedAsOftenAsTheyAreThere) {
  const std::string weights = folder + "/w.safetensors";
  write_text(folder + "/valid.txt", "e3\tnext\te9\ne3\tnext\te4\ne3\tnext\te9\n");
  const Words options{"--model=transe", "--epochs=2"};
  const std::string once = weights_after(options);
  write_text(folder + "/train.txt", read_text(folder + "/train.txt") + "e0\tnext\te1\n");
  EXPECT_EQ(weights_after(options), once);
  const Finished done =
      run_tool("vecc-kg", {"train", folder, "--model=transe", "--dim=6", "--epochs=1"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("13 triples to train on (1 repeated one left out), "));
  EXPECT_THAT(done.out, HasSubstr("filtered\tall\ttail\t3\t"));
  const Finished ranked =
      run_tool("vecc-kg", {"evaluate", weights, "--triples=" + folder, "--split=validation"});
  ASSERT_EQ(ranked.code, 0) << ranked.err;
  EXPECT_THAT(ranked.out, HasSubstr("filtered\tall\ttail\t3\t"));
}

TEST_F(KgTrainCommand, QueriesWithAllAnswersTrainStopAndGoOn) {
  for (const Words& model : {Words{"--model=complex", "--inverse=on"}, {"--model=tucker"}}) {
    const Words single = join(model, {"--loss=logistic", "--label-smoothing=0.1"});
    const Words common = join(single, {"--negatives=k-vs-all"});
    const auto weights_of = [&](const Words& more) { return weights_after(join(common, more)); };
    const std::string whole = weights_of({"--epochs=5", "--threads=3"});
    const std::string checkpoint = "--checkpoint=" + folder + "/" + model.front().substr(8);
    EXPECT_NE(weights_of({"--epochs=3", checkpoint}), whole);
    EXPECT_EQ(weights_of({"--epochs=5", checkpoint, "--resume"}), whole);
    expect_refused(join(single, {"--epochs=5", checkpoint, "--resume", "--negatives=all"}), 3,
                   "is of a training with other settings: negatives k-vs-all; now: negatives 0");
  }
}

TEST_F(KgTrainCommand, GoesOnFromACheckpointToTheSameWeights) {
  const Words common{"--model=distmult",  "--optimizer=lazy-adam", "--lr=0.01",
                     "--adversarial=0.5", "--corrupt=bernoulli",   "--draw=degree",
                     "--filtered",        "--entity-dropout=0.1",  "--relation-dropout=0.2"};
  const auto weights_of = [&](const Words& more) { return weights_after(join(common, more)); };
  const std::string whole = weights_of({"--epochs=7", "--threads=3"});
  const std::string checkpoint = "--checkpoint=" + folder + "/c";
  EXPECT_NE(weights_of({"--epochs=4", checkpoint}), whole);
  EXPECT_EQ(weights_of({"--epochs=7", checkpoint, "--resume"}), whole);
  EXPECT_NE(weights_of({"--epochs=7", "--seed=1"}), whole);
  expect_refused(join(common, {"--epochs=9", checkpoint, "--resume", "--chunk=4"}), 3,
                 "is of a training with other settings: chunk 3; now: chunk 4");
}

TEST_F(KgTrainCommand, EncodersTrainStopAndGoOn) {
  for (const Words& encoder :
       {Words{"--encoder=rgcn", "--bases=2", "--edge-dropout=0.2", "--inverse=on"},
        {"--encoder=hgt", "--heads=2", "--encoder-dims=4,8", "--mask-scored"}}) {
    const Words common = join({"--model=complex"}, encoder);
    const auto weights_of = [&](const Words& more) { return weights_after(join(common, more)); };
    const std::string whole = weights_of({"--epochs=5", "--threads=3"});
    const std::string checkpoint = "--checkpoint=" + folder + "/" + encoder.front().substr(10);
    EXPECT_NE(weights_of({"--epochs=3", checkpoint}), whole);
    EXPECT_EQ(weights_of({"--epochs=5", checkpoint, "--resume"}), whole);
    const Finished ranked = run_tool("vecc-kg", {"evaluate", folder + "/w.safetensors",
                                                 "--model=complex", "--triples=" + folder});
    EXPECT_EQ(ranked.code, 0) << ranked.err;
    expect_refused(join(common, {"--epochs=5", checkpoint, "--resume", "--self-loops=off"}), 3,
                   "is of a training with other settings: self-loops on; now: self-loops off");
  }
}

TEST_F(KgTrainCommand, WhatNoEncoderHasIsRefused) {
  const Words common{"--model=distmult"};
  expect_refused(join(common, {"--bases=2"}), 2, "--bases says nothing without --encoder");
  expect_refused(join(common, {"--encoder=gcn"}), 2, "gcn is none of none, rgcn, rgat, hgt");
  expect_refused(join(common, {"--encoder=rgat", "--bases=2"}), 2, "they are of rgcn");
  expect_refused(join(common, {"--encoder=hgt", "--heads=4"}), 2, "does not divide the width 6");
  expect_refused(join(common, {"--encoder=rgcn", "--layers=3", "--encoder-dims=4"}), 2,
                 "of 3 layers: found 1");
}

TEST_F(KgTrainCommand, OnAGpuEncodersTrainAndGoOn) {
  const Result<void> available = cuda_backend().available({Device::Kind::Cuda, 0});
  if (!available) GTEST_SKIP() << available.error().text();
  const Words common{"--model=distmult", "--backend=cuda", "--encoder=rgcn", "--layers=1",
                     "--edge-dropout=0.2"};
  const auto weights_of = [&](const Words& more) { return weights_after(join(common, more)); };
  const std::string whole = weights_of({"--epochs=4"});
  const std::string checkpoint = "--checkpoint=" + folder + "/c";
  EXPECT_FALSE(weights_of({"--epochs=2", checkpoint}) == whole);
  EXPECT_TRUE(weights_of({"--epochs=4", checkpoint, "--resume"}) == whole);
}

TEST_F(KgTrainCommand, OnAGpuTrainsStopsAndGoesOnAsOnTheCpu) {
  const Result<void> available = cuda_backend().available({Device::Kind::Cuda, 0});
  if (!available) GTEST_SKIP() << available.error().text();
  const Words common{"--model=transe", "--backend=cuda", "--corrupt=bernoulli", "--filtered"};
  const auto weights_of = [&](const Words& more) { return weights_after(join(common, more)); };
  const std::string whole = weights_of({"--epochs=7", "--log-every=2"});
  const std::string checkpoint = "--checkpoint=" + folder + "/c";
  EXPECT_FALSE(weights_of({"--epochs=4", checkpoint}) == whole);
  EXPECT_TRUE(weights_of({"--epochs=7", checkpoint, "--resume"}) == whole);
  const Finished stopped = train(join(common, {"--epochs=40", "--early-stop=1", "--json"}));
  ASSERT_EQ(stopped.code, 0) << stopped.err;
  EXPECT_LT(nlohmann::json::parse(stopped.out)["epochs"], 40);
  expect_refused(join(common, {"--lr=1e38", "--epochs=20"}), 6, "not finite");
  const Finished labelled =
      train({"--model=complex", "--backend=cuda", "--negatives=k-vs-all", "--epochs=2"});
  EXPECT_EQ(labelled.code, 0) << labelled.err;
}

TEST_F(KgTrainCommand, OnAGpuRanksAsTheCpuRanksTheSavedWeights) {
  const Result<void> available = cuda_backend().available({Device::Kind::Cuda, 0});
  if (!available) GTEST_SKIP() << available.error().text();
  const std::string weights = folder + "/w.safetensors";
  for (const Words& more : {Words{"--model=rotate"},
                            {"--model=rescal", "--inverse=on"},
                            {"--model=distmult", "--encoder=rgcn", "--layers=1"}}) {
    const Finished trained = train(
        join(more, {"--backend=cuda", "--epochs=3", "--log-every=1", "--save-weights=" + weights}));
    ASSERT_EQ(trained.code, 0) << trained.err;
    const Finished ranked =
        run_tool("vecc-kg", {"evaluate", weights, more.front(), "--triples=" + folder,
                             "--split=validation", "--quiet"});
    ASSERT_EQ(ranked.code, 0) << ranked.err;
    EXPECT_EQ(trained.out, ranked.out) << more.front();
  }
}

TEST_F(KgTrainCommand, OptionsComeFromAFile) {
  write_text(folder + "/c.toml", "model = \"transe\"\nloss = \"margin\"\nepochs = 2\n");
  const Finished done = train({"--config=" + folder + "/c.toml", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["epochs"], 2);
  write_text(folder + "/k.toml",
             "model = \"complex\"\nnegatives = \"k-vs-all\"\nloss = \"margin\"\ndim = 4\n");
  const std::string option = "--config=" + folder + "/k.toml";
  const Finished refused = run_tool("vecc-kg", {"train", folder, "--quiet", option});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--negatives=k-vs-all is of labels"));
  const Finished labelled =
      run_tool("vecc-kg", {"train", folder, "--quiet", option, "--loss=softmax", "--epochs=2"});
  EXPECT_EQ(labelled.code, 0) << labelled.err;
  write_text(folder + "/bad.toml", "model = \"transe\"\nnegative = 3\n");
  expect_refused(
      {"--config=" + folder + "/bad.toml"}, 2,
      "bad.toml: line 2: found the key \"negative\", expected an option of vecc-kg train "
      "as NAME = VALUE; did you mean negatives?");
  write_text(folder + "/bad.toml", "# nothing\n\nno value\nmodel = \"transe\"\n");
  expect_refused({"--config=" + folder + "/bad.toml"}, 2, "line 3: found the key \"no value\"");
  write_text(folder + "/bad.toml", "[train]\nmodel = \"transe\"\n");
  expect_refused({"--config=" + folder + "/bad.toml"}, 2, "line 1: found the key \"train\"");
  write_text(folder + "/layers.toml", "model = \"distmult\"\nencoder = \"rgcn\"\nlayers = 2\n");
  expect_refused(
      {"--config=" + folder + "/layers.toml", "--encoder=none"}, 2,
      "--layers says nothing without --encoder (--config=" + folder + "/layers.toml has --layers)");
  expect_refused({"--config=/dev/zero"}, 2, "more than 1048576 bytes, the limit of a file of");
}

TEST_F(KgTrainCommand, EveryConfigurationThatIsShippedTrains) {
  std::size_t count = 0;
  const std::string shipped = std::string(std::getenv("VECC_SOURCE_DIR")) + "/configs/kg";
  for (const auto& entry : std::filesystem::directory_iterator(shipped)) {
    const Finished done = train({"--config=" + entry.path().string(), "--epochs=2", "--json"});
    ASSERT_EQ(done.code, 0) << entry.path() << done.err;
    const std::string model = nlohmann::json::parse(done.out)["model"];
    EXPECT_THAT(entry.path().stem().string(), StartsWith(model));
    ++count;
  }
  EXPECT_EQ(count, 7u);
}

TEST_F(KgTrainCommand, WritesNoSafetensorsByANameOfNumpy) {
  for (const std::string end : {".npz", ".npy"}) {
    const std::string path = folder + "/w" + end;
    expect_refused({"--model=transe", "--save-weights=" + path}, 2, "writes safetensors only");
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST_F(KgTrainCommand, NeverWritesToWhatItReads) {
  const std::string triples = read_text(folder + "/train.txt");
  expect_refused({"--model=transe", "--save-weights=" + folder + "/train.txt"}, 2,
                 "the triples " + folder + "/train.txt and --save-weights=");
  expect_refused(
      {"--model=transe", "--log=csv:" + folder + "/../" +
                             std::filesystem::path(folder).filename().string() + "/valid.txt"},
      2, "name one file");
  expect_refused({"--model=transe", "--save-weights=" + folder + "/test.csv"}, 2, "name one file");
  write_text(folder + "/c.toml", "epochs = 1\n");
  expect_refused(
      {"--model=transe", "--config=" + folder + "/c.toml", "--log=jsonl:" + folder + "/c.toml"}, 2,
      "name one file");
  EXPECT_EQ(read_text(folder + "/train.txt"), triples);
  EXPECT_EQ(read_text(folder + "/c.toml"), "epochs = 1\n");
  const Finished answers =
      run_tool("vecc-kg", {"predict", folder + "/w", "--model=transe", "--query=a,b,?",
                           "--triples=" + folder, "-o", folder + "/train.txt"});
  EXPECT_EQ(answers.code, 2);
  EXPECT_THAT(answers.err, HasSubstr("name one file"));
  EXPECT_EQ(read_text(folder + "/train.txt"), triples);
}

TEST_F(KgTrainCommand, RefusesWhatItCannotDo) {
  expect_refused({"--model=transr", "--constraints=1"}, 2, "are of transh");
  expect_refused({"--model=transr", "--relation-dropout=0.1"}, 2, "--relation-dropout");
  expect_refused({"--model=hole"}, 2, "expected one of transe, ");
  expect_refused({"--model=transe", "--optimizer=rmsprop", "--negatives=all"}, 2,
                 "--optimizer=rmsprop is not of tables of embeddings; expected adagrad, lazy-adam");
  expect_refused({"--model=transe", "--clip-value=1"}, 2, "--clip-value is not of tables");
  expect_refused({"--model=transe", "--alpha=0.9"}, 2, "--alpha is not of tables of embeddings");
  const std::string help = run_tool("vecc-kg", {"train", "--help"}).out;
  EXPECT_THAT(help, HasSubstr("--optimizer adagrad|lazy-adam|adam|sgd"));
  EXPECT_THAT(help, testing::Not(HasSubstr("--momentum")));
  expect_refused({"--model=transe", "--loss=softmax", "--adversarial=1"}, 2, "--adversarial");
  expect_refused({"--model=transe", "--negatives=0"}, 2, "--negatives");
  expect_refused({"--model=transe", "--backend=cuda", "--device=cpu"}, 2,
                 "--backend=cuda does not run on the --device");
  expect_refused({"--model=transe", "--backend=torch"}, 2, "--backend");
  expect_refused({"--model=transe", "--resume"}, 2, "--resume needs --checkpoint=DIR");
  expect_refused({"--model=transe", "--save-weights=/nowhere/w"}, 3, "/nowhere");
  expect_refused({"--model=transe", "--checkpoint-every=2"}, 2, "needs --checkpoint=DIR");
  expect_refused({"--model=distmult", "--p=2"}, 2, "--p says nothing to --model=distmult");
  expect_refused({"--score=sum(h * r * t)", "--p=2"}, 2, "--p says nothing to --score:");
  expect_refused({"--model=transe", "--entity-dropout=1"}, 2, "--entity-dropout");
  expect_refused({"--model=transe", "--relation-dropout=0.000001"}, 2, "expected 0, or 2^-16");
  expect_refused({"--model=rotate", "--relation-dropout=0.1"}, 2,
                 "rotate divides relations by their moduli");
  expect_refused({"--model=transe", "--negatives=all", "--chunk=2"}, 2, "--chunk says nothing");
  expect_refused({"--model=transe", "--negatives=all", "--draw=degree"}, 2, "--draw says nothing");
  const auto expect_labels_refused = [&](const std::string& option, const std::string& message) {
    expect_refused({"--model=distmult", "--negatives=k-vs-all", option}, 2, message);
  };
  expect_labels_refused("--chunk=2", "--chunk says nothing to --negatives=k-vs-all");
  expect_labels_refused("--draw=uniform", "--draw says nothing to --negatives=k-vs-all");
  expect_labels_refused("--filtered", "all are labels");
  expect_labels_refused("--corrupt=bernoulli", "expected both, head or tail");
  expect_labels_refused("--loss=margin", "expected logistic or softmax");
  expect_labels_refused("--adversarial=1", "weighs all entities the same");
  expect_labels_refused("--label-smoothing=0.01", "at least 1 / 13");
  expect_refused({"--model=transe", "--lr=1e38", "--epochs=20"}, 6, "not finite");
  std::filesystem::remove(folder + "/valid.txt");
  expect_refused({"--model=transe", "--early-stop=2"}, 2, "valid.txt");
  const Finished done = train({"--model=transe", "--epochs=2"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "");
}

TEST_F(KgTrainCommand, PrintsTheFirstStepAsAProgram) {
  const auto expect_program = [&](const Words& more, const Words& parts) {
    const std::string path = folder + "/step.vecc";
    const Finished done = train(join(more, {"--emit=ir", "-o", path}));
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.out, "");
    const Finished read =
        run_tool("vecc-opt", {path, "-O2", "--verify-each", "--emit=ir", "--full"});
    ASSERT_EQ(read.code, 0) << read.err;
    for (const std::string& part : parts) EXPECT_THAT(read.out, HasSubstr(part));
    const Finished plan = run_tool("vecc-opt", {path, "--emit=plan"});
    EXPECT_EQ(plan.code, 0) << plan.err;
    EXPECT_THAT(plan.out, HasSubstr("\nlist "));
    const Finished refused = run_tool("vecc-opt", {path, "--emit=plan", "--target=l4"});
    EXPECT_EQ(refused.code, 5) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("which only the backends cpu and interpreter run [E061]"));
  };
  expect_program(
      {"--model=transe", "--seed=3"},
      {"parameter \"entities\" [13, 6x1]", " < 13 seed 3 stream 2 : f32[16, 1]",
       "parameter \"step.rate\" [1, 1] = {0.1", " = take ", " = sum_equal ", "state \"step\" = 0"});
  expect_program({"--model=complex", "--draw=degree", "--dtype=f64", "--optimizer=lazy-adam"},
                 {"parameter \"batch.negatives\" [16, 1] = {", "f64[16, 1]", "adam.m/entities"});
  expect_program({"--model=tucker", "--relation-dim=2", "--negatives=k-vs-all"},
                 {"parameter \"shared\" [1, 72x1]", "parameter \"batch.labels\" [65, 1]"});
  // On stdout: text that parses back.
  const Finished printed = train({"--model=rescal", "--emit=ir"});
  EXPECT_EQ(printed.code, 0) << printed.err;
  EXPECT_THAT(printed.out, StartsWith("vecc program 1 f32 samples 1\n"));
}

// Their settings of the loop are no matter to a step.
TEST_F(KgTrainCommand, PrintsTheFirstStepOfEveryFileOfOptions) {
  std::size_t printed = 0;
  const std::filesystem::path configs = std::string(std::getenv("VECC_SOURCE_DIR")) + "/configs/kg";
  for (const auto& entry : std::filesystem::directory_iterator(configs)) {
    SCOPED_TRACE(entry.path().string());
    const Finished done = run_tool("vecc-kg", {"train", folder, "--config=" + entry.path().string(),
                                               "--emit=ir", "--dim=6", "--batch-size=5"});
    if (entry.path().filename() == "distmult-rgcn.toml") {  // an encoder's are Programs anyway
      EXPECT_EQ(done.code, 2);
      EXPECT_THAT(done.err, HasSubstr("--encoder: error: is a program by itself"));
      continue;
    }
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.out, StartsWith("vecc program 1 f32 samples 1\n"));
    EXPECT_THAT(done.out, HasSubstr("parameter \"entities\" [13, "));
    ++printed;
  }
  EXPECT_GE(printed, 6u);
}

TEST_F(KgTrainCommand, bad_steps_to_print) {
  expect_refused({"--model=distmult", "--emit=ir", "--encoder=rgcn"}, 2,
                 "--encoder: error: is a program by itself");
  expect_refused({"--model=distmult", "--emit=plan"}, 2, "--emit");
  expect_refused({"--model=distmult", "-o", folder + "/x"}, 2, "-o needs --emit=ir");
  for (const std::string option : {"--checkpoint=", "--log=jsonl:", "--save-weights="}) {
    expect_refused({"--model=distmult", "--emit=ir", option + folder + "/x"}, 2,
                   option.substr(0, option.find('=')) + " says nothing beside --emit=ir");
  }
  expect_refused({"--model=distmult", "--emit=ir", "--json"}, 2, "--json says nothing beside");
  expect_refused({"--model=distmult", "--emit=ir", "-o", folder + "/train.txt"}, 2, "train.txt");
}

}  // namespace
}  // namespace vecc::test
