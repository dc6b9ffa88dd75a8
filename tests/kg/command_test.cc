// vecc-kg as a user sees it: the whole way from triples to answers, and what it refuses.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "backends/cuda/cuda_backend.h"
#include "tests/tools/process.h"

namespace vecc::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using Words = std::vector<std::string>;

class KgCommand : public testing::Test {
 protected:
  std::string folder = test_folder();
  std::string weights = folder + "/w.safetensors";

  void SetUp() override {
    write_text(folder + "/train.txt", "a\tlikes\tb\nb\tlikes\tc\nc\tlikes\td\na\tknows\tc\n");
    write_text(folder + "/valid.txt", "b\tknows\td\n");
    write_text(folder + "/test.txt", "d\tlikes\ta\n");
    const Finished imported = run_tool("vecc-import", {"kg", folder, "--model=distmult", "--dim=4",
                                                       "-o", folder + "/kg.pb", "--quiet"});
    ASSERT_EQ(imported.code, 0) << imported.err;
    const Finished trained =
        run_vecc({folder + "/kg.pb", "--train", "--epochs=3", "--backend=interpreter", "--quiet",
                  "--json", "--log=jsonl:" + folder + "/log", "--save-weights=" + weights});
    ASSERT_EQ(trained.code, 0) << trained.err;
  }
  [[nodiscard]] Finished kg(Words words) const {
    words.insert(words.begin() + 1, {weights, "--model=distmult"});
    return run_tool("vecc-kg", std::move(words));
  }
  void expect_refused(Words words, int code, const std::string& message) const {
    const Finished done = kg(std::move(words));
    EXPECT_EQ(done.code, code) << done.err;
    EXPECT_THAT(done.err, HasSubstr(message));
    EXPECT_EQ(done.out, "");
  }
};

TEST_F(KgCommand, TrainingLogsWhatRanksAmongSamplesAsSampled) {
  const std::string log = read_text(folder + "/log");
  EXPECT_THAT(log, HasSubstr("\"train_sampled_mrr\":"));
  EXPECT_THAT(log, HasSubstr("\"train_sampled_hits@10\":"));
  EXPECT_THAT(log, testing::Not(HasSubstr("\"train_mrr\"")));
}

TEST_F(KgCommand, EvaluatesTheTestTriplesAmongAllEntities) {
  const Finished done = kg({"evaluate", "--triples=" + folder});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out,
              StartsWith("ranks\trelations\tside\tcount\tmrr\thits@1\thits@3\thits@10\tmean_rank\n"
                         "filtered\tall\tboth\t2\t"));
  EXPECT_THAT(done.out, HasSubstr("\nraw\tN-N\ttail\t0\t-\t-\t-\t-\t-\n"));
  EXPECT_THAT(done.err, HasSubstr("1 triple x 2 x 4 candidates, split test"));
  const Finished all =
      kg({"evaluate", "--triples=" + folder, "--split=all", "--json", "--quiet", "--threads=2"});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.err, "");
  const auto json = nlohmann::json::parse(all.out);
  EXPECT_EQ(json["triples"], 6);
  EXPECT_EQ(json["metrics"]["filtered"]["all"]["both"]["ranks"], 12);
  EXPECT_EQ(json["metrics"]["raw"]["all"]["both"]["hits@10"], 1.0);
  EXPECT_FALSE(json["inverse"]);
}

TEST_F(KgCommand, OnAGpuEvaluatesAsOnTheCpu) {
  const Result<void> available = cuda_backend().available({Device::Kind::Cuda, 0});
  if (!available) GTEST_SKIP() << available.error().text();
  write_text(folder + "/test.txt", "d\tlikes\ta\na\tlikes\tb\nd\tlikes\ta\n");
  const Words common{"evaluate", "--triples=" + folder, "--split=all"};
  const auto evaluate = [&](const std::string& backend) {
    Words words = common;
    words.push_back("--backend=" + backend);
    const Finished done = kg(std::move(words));
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out;
  };
  EXPECT_EQ(evaluate("cuda"), evaluate("cpu"));
}

TEST_F(KgCommand, AnswersInBothDirections) {
  const Finished tails = kg({"predict", "--query=a,likes,?", "--triples=" + folder, "--top=2",
                             "--query=?,knows,d", "--known=mark"});
  ASSERT_EQ(tails.code, 0) << tails.err;
  EXPECT_THAT(tails.out, StartsWith("head\trelation\ttail\tscore\tknown\na\tlikes\t"));
  EXPECT_THAT(tails.out, HasSubstr("\tknows\td\t"));
  const Finished dropped = kg({"predict", "--query=a,likes,?", "--triples=" + folder,
                               "--known=drop", "--json", "-o", folder + "/answers.json"});
  ASSERT_EQ(dropped.code, 0) << dropped.err;
  const auto answers = nlohmann::json::parse(read_text(folder + "/answers.json"))["queries"][0];
  EXPECT_EQ(answers["query"], "a,likes,?");
  EXPECT_EQ(answers["answers"].size(), 3u);  // all but b
}

// Only without quotes a ? asks.
TEST_F(KgCommand, AnEntityMayBeCalledWhatAsks) {
  write_text(folder + "/names", "a\nb\n?\nd\n");
  const std::string names = "--entities=" + folder + "/names";
  const Finished heads = kg({"predict", "--query=?,likes,\"?\"", names, "--json"});
  ASSERT_EQ(heads.code, 0) << heads.err;
  const Finished tails = kg({"predict", "--query=\"?\",likes,?", names, "--top=4"});
  ASSERT_EQ(tails.code, 0) << tails.err;
  EXPECT_THAT(tails.out, HasSubstr("\n?\tlikes\tb\t"));
  expect_refused({"predict", "--query=a,likes,\"?\"", names}, 2, "expected one ? without quotes");
}

TEST_F(KgCommand, InverseRelationsAnswerForHeads) {
  write_text(folder + "/kg.csv", "h,r,t\na,likes,b\nb,likes,c\nc,knows,a\n");
  const Finished imported =
      run_tool("vecc-import", {"kg", folder + "/kg.csv", "--header", "--model=complex", "--dim=4",
                               "--inverse=on", "-o", folder + "/both.pb", "--quiet"});
  ASSERT_EQ(imported.code, 0) << imported.err;
  ASSERT_EQ(run_vecc({folder + "/both.pb", "--backend=interpreter", "--quiet",
                      "--save-weights=" + folder + "/both.safetensors"})
                .code,
            0);
  const auto evaluate = [&](const std::string& inverse) {
    const Finished done =
        run_tool("vecc-kg",
                 {"evaluate", folder + "/both.safetensors", "--model=complex", "--header",
                  "--triples=" + folder + "/kg.csv", "--inverse=" + inverse, "--json", "--quiet"});
    EXPECT_EQ(done.code, 0) << done.err;
    return nlohmann::json::parse(done.out);
  };
  EXPECT_EQ(evaluate("on")["relations"], 4);
  EXPECT_TRUE(evaluate("on")["inverse"]);
  EXPECT_FALSE(evaluate("off")["inverse"]);
  EXPECT_EQ(evaluate("on")["split"], "all");
  const auto predict = [&](const std::string& query, const std::string& inverse) {
    const Finished done =
        run_tool("vecc-kg", {"predict", folder + "/both.safetensors", "--model=complex", "--header",
                             "--triples=" + folder + "/kg.csv", "--query=" + query,
                             "--inverse=" + inverse, "--json"});
    EXPECT_EQ(done.code, 0) << done.err;
    return nlohmann::json::parse(done.out)["queries"][0]["answers"];
  };
  // (?, r, t) is (t, r^-1, ?), with the same known answers, and the other way round.
  const auto heads = predict("?,likes,b", "on");
  EXPECT_EQ(heads, predict("b,likes^-1,?", "on"));
  EXPECT_EQ(std::ranges::count_if(heads, [](const auto& answer) { return bool(answer["known"]); }),
            1);
  EXPECT_NE(heads, predict("?,likes,b", "off"));
  EXPECT_EQ(predict("?,likes^-1,b", "on"), predict("b,likes,?", "off"));
  const Finished of_transe = run_tool("vecc-kg", {"nearest", folder + "/both.safetensors",
                                                  "--model=complex", "--p=2", "--entity=a"});
  EXPECT_EQ(of_transe.code, 2);
  EXPECT_THAT(of_transe.err, HasSubstr("says nothing to --model=complex: it is of transe"));
}

TEST_F(KgCommand, RefusesWhatItCannotMean) {
  expect_refused({"predict", "--query=a,likes"}, 2, "expected head,relation,?");
  expect_refused({"predict", "--query=?,likes,?"}, 2, "expected one ?");
  expect_refused({"predict", "--query=a,?,b"}, 2, "expected one ?");
  expect_refused({"predict", "--query=a,like,?"}, 2,
                 "the weights know no relation \"like\"; did you mean \"likes\"?");
  expect_refused({"predict", "--query=a,\"likes,?"}, 3, "--query");
  expect_refused({"predict", "--query=a,likes,?\na,likes,?"}, 2, "expected one line");
  expect_refused({"predict", "--query=a,likes,?", "--known=drop"}, 2, "needs --triples");
  expect_refused({"predict", "--query=a,likes,?", "-o", weights}, 2, "name one file");
  expect_refused({"predict", "--query=a,likes,?", "--top=0"}, 2, "--top");
  expect_refused({"evaluate", "--triples=" + folder, "--device=cuda:1"}, 2,
                 "--backend=cpu does not run on the --device");
  expect_refused({"nearest", "--entity=nobody"}, 2, "no entity \"nobody\"");
  expect_refused({"export", "-o", folder + "/x.csv"}, 2, "ends in .npz or .tsv");
  expect_refused({"export", "-o", folder + "/x.npz", "--of=entities"}, 2, "an .npz has both");
  write_text(folder + "/more.txt", "a\tlikes\tsomebody else\n");
  expect_refused({"evaluate", "--triples=" + folder + "/more.txt"}, 3,
                 "entity \"somebody else\", of which the weights know nothing");
  std::filesystem::remove(folder + "/test.txt");
  expect_refused({"evaluate", "--triples=" + folder}, 3, "no triples of the split test");
  const Finished other =
      run_tool("vecc-kg", {"evaluate", weights, "--model=complex", "--triples=" + folder});
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("which --model are these weights of?"));
  EXPECT_EQ(run_tool("vecc-kg", {}).code, 2);
}

TEST_F(KgCommand, WeightsOfAGraphSayNoScore) {
  const Finished done = run_tool("vecc-kg", {"nearest", weights, "--entity=a"});
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.err, HasSubstr("does not say which score it is of; --model= says it: transe"));
}

TEST_F(KgCommand, NamesOfAFileHaveToFit) {
  const auto with_names = [&](const std::string& names) {
    write_text(folder + "/names", names);
    return kg({"nearest", "--entity=a", "--entities=" + folder + "/names"});
  };
  EXPECT_THAT(with_names("a\nb\nc\n").err, HasSubstr("has 3 names, but the weights 4 entities"));
  EXPECT_THAT(with_names("a\nb\na\nd\n").err, HasSubstr("names two entities \"a\""));
  EXPECT_THAT(with_names("a\nb\n\xFF\nd\n").err, HasSubstr("UTF-8"));
  EXPECT_EQ(with_names("d\nb\na\nc\n").code, 0);
}

TEST_F(KgCommand, HostileNamesStayText) {
  write_text(folder + "/names", "a\nb\n\x1b[31mred\nd\n");
  const Finished done = kg({"nearest", "--entity=a", "--entities=" + folder + "/names"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_FALSE(has_control_characters(done.out));
  EXPECT_THAT(done.out, HasSubstr("\\x1b[31mred"));
}

}  // namespace
}  // namespace vecc::test
