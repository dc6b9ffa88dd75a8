// Numbers, misspelt words, help and versions: what every command line does alike.
#include <gmock/gmock.h>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

void expect_usage(const Finished& result, const std::string& words) {
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(words));
}

TEST(Options, numbers_are_refused_by_name_and_range) {
  const std::string graph = write_small_graph(test_folder());
  const auto train = [&](const std::string& option) {
    return run_vecc({graph, "--train", option});
  };
  const std::string epochs = "not a whole number from 1 to 1000000000";
  expect_usage(train("--epochs=-1"), "--epochs: \"-1\" is " + epochs);
  expect_usage(train("--epochs=18446744073709551616"), epochs);
  expect_usage(train("--epochs=0"), epochs);
  expect_usage(train("--epochs=1.5"), epochs);
  expect_usage(train("--early-stop=-1"), "--early-stop: \"-1\" is " + epochs);
  expect_usage(train("--checkpoint-every=-1"), epochs);
  expect_usage(train("--log-every=0"), epochs);
  expect_usage(train("--seed=-1"), "--seed: \"-1\" is not a whole number from 0 to");
  expect_usage(train("--folds=1"), "--folds: \"1\" is not a whole number from 2 to");
  for (const char* rate : {"nan", "inf", "-1", "0", "1e999", "1x"}) {
    expect_usage(train("--lr=" + std::string(rate)), "is not a finite number above 0");
  }
  expect_usage(train("--momentum=1"), "is not a number from 0 to below 1");
  expect_usage(train("--weight-decay=nan"), "is not a finite number of at least 0");
  expect_usage(train("--clip-norm=-1"), "is not a finite number above 0");
  expect_usage(train("--margin=inf"), "--margin: \"inf\" is not a finite number of at least 0");
  expect_usage(train("--schedule=step:2:nan"), "--schedule");
  for (const char* fanout : {"-1", "0", "nan", "18446744073709551616", "1,,2", "1.5"}) {
    expect_usage(train("--fanout=" + std::string(fanout)), "--fanout: expected numbers of members");
  }
  expect_usage(run_vecc({graph, "--threads=-1"}), "--threads: \"-1\" is not a whole number");
  expect_usage(run_vecc({graph, "-O4"}), "-O: \"4\" is not a whole number from 0 to 3");
  expect_usage(run_vecc({graph, "--init=glorot", "--init-seed=9223372036854775808"}),
               "is not a whole number of 64 bits");
  expect_usage(run_vecc({graph, "--max-input-bytes=17179869184G"}), "is not a number of bytes");
  EXPECT_EQ(run_vecc({graph, "--max-input-bytes=64M", "--max-neurons=100"}).code, 0);
  EXPECT_EQ(run_vecc({graph, "--init=glorot", "--init-seed=-7"}).code, 0);
  const std::vector<std::string> synth{"synth",        "--nodes=10", "--edges=20",
                                       "--model=rgcn", "-o",         test_folder() + "/g.pb"};
  for (const char* option : {"--nodes=-1", "--types=0", "--dims=4,-4", "--seed=x", "--slope=nan"}) {
    auto arguments = synth;
    arguments.emplace_back(option);
    expect_usage(run_tool("vecc-import", arguments), std::string(option).substr(0, 6));
  }
  for (const char* option : {"--dim=0", "--negatives=-1", "--chunk=4294967296", "--batch-size=0",
                             "--n3=nan", "--label-smoothing=1", "--init-scale=inf", "--lr=0"}) {
    expect_usage(run_tool("vecc-kg", {"train", "x", "--model=transe", option}),
                 std::string(option).substr(0, std::string_view(option).find('=')) + ": \"");
  }
}

TEST(Options, what_says_nothing_beside_the_others_is_refused) {
  const std::string graph = write_small_graph(test_folder());
  for (const char* option : {"--resume", "--checkpoint-every=2"}) {
    expect_usage(run_vecc({graph, "--train", option}), "needs --checkpoint=DIR");
  }
  const std::string edges = test_folder() + "/edges";
  write_text(edges, "0 1\n1 2\n");
  const auto import = [&](const char* model, const char* option) {
    return run_tool("vecc-import", {"graph", edges, model, option, "-o", test_folder() + "/g.pb"});
  };
  expect_usage(import("--model=gcn", "--slope=0.5"), "--slope says nothing to --model=gcn");
  expect_usage(import("--model=gcn", "--pool=sum"), "--pool says nothing to samples that are");
  EXPECT_EQ(import("--model=gat", "--slope=0.5").code, 0);
  expect_usage(run_vecc({graph, "--emit=ir", "--repeat=2"}), "--repeat needs --run beside --emit");
  expect_usage(run_vecc({graph, "--emit=ir", "--json"}), "--json needs --run beside --emit");
  EXPECT_EQ(run_vecc({graph, "--emit=stats", "--json"}).code, 0);
  expect_usage(run_vecc({graph, "--backend=reference", "--dtype=f32"}), "computes in f64");
  expect_usage(run_vecc({"predict", graph, "--json", "--format=csv"}), "--json excludes --format");
}

// Beside initial values that are not drawn.
TEST(Options, a_seed_of_nothing_is_refused) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  write_text(folder + "/edges", "0 1\n1 2\n");
  write_text(folder + "/triples", "a r b\nb r c\n");
  write_text(folder + "/rules", "{1} q :- {1} a(X).\n");
  write_text(folder + "/facts", "1 q :- a(x).\n");
  const auto seeded = [&](const std::string& tool, std::vector<std::string> words,
                          const std::string& init) {
    words.insert(words.end(), {"--init=" + init, "--seed=3", "-q", "-o", folder + "/g.pb"});
    return run_tool(tool, words);
  };
  const std::vector<std::string> nodes{"graph", folder + "/edges", "--model=gcn"};
  const std::vector<std::string> scores{"kg", folder + "/triples", "--format=space",
                                        "--model=transe"};
  const std::vector<std::string> rules{folder + "/rules", "--facts=" + folder + "/facts"};
  for (const char* init : {"none", "constant"}) {
    const std::string words =
        "--seed says nothing with --init=" + std::string(init) + ", which draws no number";
    expect_usage(seeded("vecc-import", nodes, init), words);
    if (kHasSqlite) expect_usage(seeded("vecc-ground", rules, init), words);
    std::vector<std::string> positives = scores;
    positives.emplace_back("--negatives=0");
    expect_usage(seeded("vecc-import", positives, init), words);
    // Negatives and edges are drawn by it, too.
    EXPECT_EQ(seeded("vecc-import", scores, init).code, 0);
    EXPECT_EQ(seeded("vecc-import", {"synth", "--nodes=9", "--edges=9", "--model=rgcn"}, init).code,
              0);
  }
  EXPECT_EQ(seeded("vecc-import", nodes, "he").code, 0);
  if (kHasSqlite) {
    EXPECT_EQ(seeded("vecc-ground", rules, "he").code, 0);
  }
  expect_usage(run_vecc({graph, "--init=constant", "--init-seed=3"}),
               "--init-seed says nothing with --init=constant");
}

TEST(Options, a_number_that_is_taken_acts) {
  const std::string graph = write_small_graph(test_folder());
  const auto outputs = [&](const char* rate) {
    const Finished done = run_vecc({graph, "--train", "--epochs=1", rate, "--quiet"});
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out;
  };
  EXPECT_EQ(outputs("--lr=0.5"), outputs("--lr=5e-1"));
  EXPECT_NE(outputs("--lr=0.5"), outputs("--lr=0.25"));
}

TEST(Options, what_says_how_to_train_needs_train) {
  const std::string graph = write_small_graph(test_folder());
  for (const char* option :
       {"--epochs=3", "--lr=0.1", "--loss=squared_diff", "--optimizer=sgd", "--batch-size=2",
        "--no-shuffle", "--seed=1", "--schedule=constant", "--clip-norm=1", "--folds=2",
        "--validate=0.5", "--checkpoint=x", "--resume", "--log=csv:x", "--early-stop=2"}) {
    expect_usage(run_vecc({graph, option}),
                 "says how to train, and nothing is trained: add --train");
  }
  expect_usage(run_vecc({graph, "--train", "--momentum=0.5"}), "--optimizer=sgd");
  expect_usage(run_vecc({graph, "--train", "--loss=squared_diff", "--margin=2"}),
               "--margin needs --loss=margin_ranking");
}

TEST(Options, a_module_is_written_with_its_loss) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const auto emit = [&](const char* option) {
    return run_vecc({graph, "--quiet", "--emit=python", "-o", folder + "/module", option});
  };
  EXPECT_EQ(emit("--loss=crossentropy").code, 0);
  EXPECT_THAT(read_text(folder + "/module/model.py"), HasSubstr("crossentropy"));
  expect_usage(emit("--lr=0.1"), "--lr says how to train, and nothing is trained");
}

TEST(Options, fewer_epochs_than_a_checkpoint_has_are_refused) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  const auto train = [&](const char* epochs) {
    return run_vecc({graph, "--train", "--resume", "--checkpoint=" + folder + "/c", epochs});
  };
  ASSERT_EQ(train("--epochs=5").code, 0);
  const std::string before = read_text(folder + "/c/last.safetensors");
  expect_usage(train("--epochs=4"), "has 5 epochs behind it, and 4 are asked for");
  EXPECT_EQ(read_text(folder + "/c/last.safetensors"), before);
  EXPECT_EQ(train("--epochs=5").code, 0);
  EXPECT_EQ(train("--epochs=6").code, 0);
}

TEST(Options, misspelt_words_are_guessed) {
  const std::string graph = write_small_graph(test_folder());
  expect_usage(run_vecc({graph, "--epcohs=3"}),
               "vecc: error: there is no option \"--epcohs\"; did you mean --epochs?");
  expect_usage(run_vecc({graph, "--frobnicate"}), "there is no option \"--frobnicate\"\n");
  expect_usage(run_vecc({graph, "more"}), "unexpected argument \"more\"");
  expect_usage(run_vecc({"laern"}), "\"laern\"; did you mean vecc learn?");
  expect_usage(run_vecc({"learn", "x.db", "--taget=a.b"}), "vecc learn: error: ");
  expect_usage(run_tool("vecc-learn", {}), "a command is missing");
  expect_usage(run_tool("vecc-learn", {"predict", graph}), "a database is missing");
  expect_usage(run_vecc({"wieghts"}), "\"wieghts\"; did you mean vecc weights?");
  expect_usage(run_vecc({"weights", "shwo", graph}), "\"shwo\"; did you mean show?");
  expect_usage(run_vecc({"weights", "show", graph, "--jsn"}), "did you mean --json?");
  expect_usage(run_tool("vecc-import", {"tuu", "x"}), "\"tuu\"; did you mean tu?");
  expect_usage(run_tool("vecc-import", {"nothing-like-it"}), "commands: tu, graph, kg, rdf");
  expect_usage(run_tool("vecc-import", {"tu", "x", "--modle=gcn"}), "did you mean --model?");
  expect_usage(run_tool("vecc-bench", {"pears"}), "did you mean peers?");
  expect_usage(run_tool("vecc-opt", {"--pases=x"}), "did you mean --passes?");
  expect_usage(run_tool("vecc-kg", {"trian"}), "\"trian\"; did you mean train?");
  expect_usage(run_tool("vecc-kg", {"train", "x", "--modle=transe"}), "did you mean --model?");
  expect_usage(run_tool("vecc-ground", {"t", "--fatcs=x"}), "did you mean --facts?");
  // A file of a like name is a file.
  EXPECT_EQ(run_vecc({"no-such-file.pb"}).code, 3);
}

TEST(Options, help_and_version_work_everywhere) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands{
      {"vecc", {}},
      {"vecc", {"weights"}},
      {"vecc", {"weights", "show"}},
      {"vecc", {"devices"}},
      {"vecc-import", {}},
      {"vecc-import", {"tu"}},
      {"vecc-bench", {}},
      {"vecc-bench", {"peers"}},
      {"vecc-opt", {}},
      {"vecc-bench", {"large"}},
      {"vecc", {"learn"}},
      {"vecc", {"predict"}},
      {"vecc-learn", {}},
      {"vecc", {"run"}},
      {"vecc", {"evaluate"}},
      {"vecc-import", {"graph"}},
      {"vecc-kg", {}},
      {"vecc-kg", {"train"}},
      {"vecc-ground", {}}};
  for (const auto& [tool, words] : commands) {
    const auto with = [&, tool = tool, words = words](const std::string& word, bool first) {
      auto arguments = words;
      arguments.insert(first ? arguments.begin() : arguments.end(), word);
      return run_tool(tool, arguments);
    };
    const Finished help = with("--help", false);
    EXPECT_EQ(help.code, 0) << tool << help.err;
    EXPECT_THAT(help.out, HasSubstr("Usage: "));
    EXPECT_EQ(with("help", false).out, help.out) << tool;
    EXPECT_EQ(with("help", true).out, help.out) << tool;
    const Finished version = with("--version", false);
    EXPECT_EQ(version.code, 0) << tool << version.err;
    EXPECT_THAT(version.out, StartsWith(tool + " "));
  }
}

}  // namespace
}  // namespace vecc::test
