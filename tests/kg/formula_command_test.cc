// vecc-kg train --score as a user sees it: the other commands read its weights, a checkpoint goes
// on, and what is wrong is said.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backends/cuda/cuda_backend.h"
#include "tests/tools/process.h"

namespace vecc::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class KgScoreCommand : public testing::Test {
 protected:
  std::string folder = test_folder();
  std::string weights = folder + "/w.safetensors";

  void SetUp() override {
    std::string triples;
    for (int i = 0; i < 12; ++i) {
      triples += "e" + std::to_string(i) + "\tnext\te" + std::to_string((i + 1) % 12) + "\n";
    }
    write_text(folder + "/train.txt", triples + "e0\tonce\te5\n");
    write_text(folder + "/valid.txt", "e3\tnext\te9\n");
  }
  [[nodiscard]] Finished train(std::vector<std::string> more) const {
    more.insert(more.begin(), {"train", folder, "--quiet", "--dim=6", "--negatives=4", "--chunk=3",
                               "--batch-size=5"});
    return run_tool("vecc-kg", more);
  }
  void expect_refused(const std::vector<std::string>& more, int code,
                      const std::string& message) const {
    const Finished done = train(more);
    EXPECT_EQ(done.code, code) << done.err;
    EXPECT_THAT(done.err, HasSubstr(message));
    EXPECT_EQ(done.out, "");
  }
};

TEST_F(KgScoreCommand, OtherCommandsReadTheWeightsOfAFormula) {
  write_text(folder + "/score.txt",
             "W: dim x relation_dim  # shared\nr: relation_dim\n"
             "-norm1(tanh(h - t) + W @ r)\n");
  const std::vector<std::vector<std::string>> scores{
      {"--score=r.M: dim x dim; r.b: 1; dot(h, r.M @ t) + r.b"},
      {"--score=@" + folder + "/score.txt", "--relation-dim=2"},
      {"--model=tucker", "--relation-dim=3"}};
  for (const auto& score : scores) {
    std::vector<std::string> words = score;
    words.insert(words.end(), {"--epochs=3", "--save-weights=" + weights});
    const Finished done = train(words);
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("filtered\tall\tboth\t2\t"));
    const std::string model = score[0] == "--model=tucker" ? score[0] : "--model=formula";
    const Finished ranked = run_tool(
        "vecc-kg", {"evaluate", weights, model, "--triples=" + folder, "--split=validation"});
    ASSERT_EQ(ranked.code, 0) << ranked.err;
    EXPECT_EQ(ranked.out, done.out);
    const Finished asked =
        run_tool("vecc-kg", {"predict", weights, model, "--query=e3,next,?", "--top=100"});
    ASSERT_EQ(asked.code, 0) << asked.err;
    EXPECT_EQ(std::ranges::count(asked.out, '\n'), 13);  // a head line, 12 entities
    const Finished out =
        run_tool("vecc-kg", {"export", weights, model, "--of=relations", "-o", folder + "/r.tsv"});
    ASSERT_EQ(out.code, 0) << out.err;
    EXPECT_THAT(read_text(folder + "/r.tsv"), StartsWith("next\t"));
    // Parameters by their names, in a file that is for NumPy.
    const std::string arrays = folder + "/w.npz";
    ASSERT_EQ(run_tool("vecc-kg", {"export", weights, model, "-o", arrays}).code, 0);
    EXPECT_THAT(read_text(arrays), HasSubstr("e.npy"));
    EXPECT_THAT(read_text(arrays), testing::Not(HasSubstr("entities.npy")));
    const Finished again = run_tool("vecc-kg", {"nearest", arrays, model, "--entity=e1"});
    EXPECT_EQ(again.code, 3);
    EXPECT_THAT(again.err, HasSubstr("w.npz: error: found what vecc-kg export writes for NumPy"));
  }
}

TEST_F(KgScoreCommand, TuckersWeightsNameNoScoreWhereAGraphWroteThem) {
  const std::string graph = folder + "/g.pb";
  ASSERT_EQ(run_tool("vecc-import",
                     {"kg", folder, "--model=tucker", "--dim=4", "--relation-dim=3", "-o", graph})
                .code,
            0);
  ASSERT_EQ(run_tool("vecc", {graph, "--train", "--epochs=2", "--save-weights=" + weights}).code,
            0);
  const std::vector<std::string> words{"evaluate", weights, "--model=tucker", "--triples=" + folder,
                                       "--split=validation"};
  const Finished ranked = run_tool("vecc-kg", words);
  ASSERT_EQ(ranked.code, 0) << ranked.err;
  EXPECT_THAT(ranked.out, HasSubstr("filtered\tall\tboth\t2\t"));

  ASSERT_EQ(train({"--model=distmult", "--epochs=1", "--save-weights=" + weights}).code, 0);
  const Finished refused = run_tool("vecc-kg", words);
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, HasSubstr("says that it is of distmult, found --model=tucker"));
}

TEST_F(KgScoreCommand, AFormulaStandsInAFileOfOptions) {
  write_text(folder + "/c.toml", "score = \"r.M: dim x dim; dot(h, r.M @ t)\"\nepochs = 1\n");
  const Finished done = train({"--config=" + folder + "/c.toml", "--save-weights=" + weights});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(read_text(weights), HasSubstr("r.M: dim x dim; dot(h, r.M @ t)"));
}

TEST_F(KgScoreCommand, GoesOnFromACheckpointToTheSameWeights) {
  const auto weights_of = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--model=tucker", "--relation-dim=2", "--save-weights=" + weights});
    const Finished done = train(more);
    EXPECT_EQ(done.code, 0) << done.err;
    return read_text(weights);
  };
  const std::string checkpoint = "--checkpoint=" + folder + "/c";
  const std::string whole = weights_of({"--epochs=6"});
  EXPECT_NE(weights_of({"--epochs=3", checkpoint}), whole);
  EXPECT_EQ(weights_of({"--epochs=6", checkpoint, "--resume"}), whole);
  expect_refused({"--score=sum(h*r*t)", "--epochs=9", checkpoint, "--resume"}, 3,
                 "is of a training with other settings");
}

TEST_F(KgScoreCommand, OnAGpuTrainsAndIsRanked) {
  const Result<void> available = cuda_backend().available({Device::Kind::Cuda, 0});
  if (!available) GTEST_SKIP() << available.error().text();
  for (const char* const score : {"--score=sum(h*r*t)", "--model=tucker"}) {
    const Finished trained =
        train({score, "--backend=cuda", "--epochs=2", "--save-weights=" + weights});
    ASSERT_EQ(trained.code, 0) << trained.err;
    const Finished ranked = run_tool("vecc-kg", {"evaluate", weights, "--model=formula",
                                                 "--triples=" + folder, "--split=validation"});
    EXPECT_EQ(ranked.code, 0) << ranked.err;
    EXPECT_THAT(ranked.out, HasSubstr("filtered\tall\tboth\t2\t"));
  }
}

TEST_F(KgScoreCommand, SaysWhatIsWrong) {
  expect_refused({}, 2, "--model: found none, expected one of transe, ");
  expect_refused({"--model=formula"}, 2, "--score has the formula");
  expect_refused({"--model=transe", "--score=sum(h*r*t)"}, 2, "--score says nothing to");
  expect_refused({"--model=tucker", "--score=sum(h*r*t)"}, 2, "--score says nothing to");
  expect_refused({"--model=transe", "--relation-dim=3"}, 2, "--relation-dim says nothing to");
  expect_refused({"--score=@" + folder + "/none"}, 2, "cannot be read");
  expect_refused({"--score=sum(h * r * q)"}, 3,
                 "--score, line 1, column 13: error: unknown name \"q\"");
  expect_refused({"--score=sum(h*r*t)", "--p=2"}, 2, "--p says nothing to --score");
  expect_refused({"--score=sum(h*r*t)", "--constraints=1"}, 2, "are of transh");
  const Finished trained = train({"--model=distmult", "--epochs=1", "--save-weights=" + weights});
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Finished ranked =
      run_tool("vecc-kg", {"evaluate", weights, "--model=formula", "--triples=" + folder});
  EXPECT_EQ(ranked.code, 3);
  EXPECT_THAT(ranked.err, HasSubstr("says that it is of distmult, found --model=formula"));
}

}  // namespace
}  // namespace vecc::test
