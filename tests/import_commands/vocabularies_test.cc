// Two data sets of one kind, one after the other: what was learned of the first is never misread in
// the second.
#include <map>

#include "tests/import_commands/import_check.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

using Names = std::vector<std::string>;

/// A graph of a set: a ring of nodes with these labels, and the graph's class.
struct Ring {
  std::vector<int> labels;
  int of_class;
};

std::string write_set(const std::string& name, const std::vector<Ring>& rings) {
  const std::string folder = test_folder() + "/" + name;
  std::filesystem::create_directories(folder);
  std::map<std::string, std::string> texts;
  std::size_t first = 1;
  for (std::size_t g = 0; g < rings.size(); ++g) {
    const std::size_t size = rings[g].labels.size();
    for (std::size_t i = 0; i < size; ++i) {
      const std::string a = std::to_string(first + i);
      const std::string b = std::to_string(first + (i + 1) % size);
      texts["A"] += a + ", " + b + "\n" + b + ", " + a + "\n";
      texts["graph_indicator"] += std::to_string(g + 1) + "\n";
      texts["node_labels"] += std::to_string(rings[g].labels[i]) + "\n";
    }
    texts["graph_labels"] += std::to_string(rings[g].of_class) + "\n";
    first += size;
  }
  for (const auto& [file, text] : texts) {
    write_text(folder + "/" + name + "_" + file + ".txt", text);
  }
  return folder;
}

std::string import_set(const std::string& model, const std::string& name,
                       const std::vector<Ring>& rings, const Names& more = {}) {
  const std::string graph = test_folder() + "/" + name + "-" + model + ".pb";
  Names arguments{"tu", write_set(name, rings), "--model=" + model, "--seed=3", "-o", graph};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Finished done = run_import(arguments);
  EXPECT_EQ(done.code, 0) << done.err;
  return graph;
}

Finished run_with(const std::string& graph, const std::string& weights, const Names& more = {}) {
  Names arguments{graph, "--backend=reference", "--load-weights=" + weights};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_vecc(arguments);
}

void expect_near(const std::vector<std::vector<double>>& found,
                 const std::vector<std::vector<double>>& expected, std::size_t first) {
  ASSERT_EQ(found.size() + first, expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[first + i].size());
    for (std::size_t k = 0; k < found[i].size(); ++k) {
      EXPECT_NEAR(found[i][k], expected[first + i][k], 1e-6) << "graph " << i;
    }
  }
}

const std::vector<Ring> kTrained{{{0, 1, 3}, 0}, {{3, 3, 0, 1}, 1}, {{1, 0, 1}, 0}, {{3, 0, 0}, 1}};
const std::vector<Ring> kFewer{{{0, 3, 3}, 0}, {{3, 0, 0, 0, 3}, 1}};
const std::vector<Ring> kOther{{{0, 1, 2}, 0}, {{2, 0, 1, 1}, 1}};

std::vector<Ring> together(std::vector<Ring> rings, const std::vector<Ring>& more) {
  rings.insert(rings.end(), more.begin(), more.end());
  return rings;
}

StringColumn names_in(const std::string& path, std::string_view vocabulary) {
  const Result<NeuronGraph> graph = read_graph(path);
  EXPECT_TRUE(graph) << graph.error().text();
  const Vocabulary* const found = graph ? graph->find_vocabulary(vocabulary) : nullptr;
  EXPECT_NE(found, nullptr) << vocabulary;
  return found == nullptr ? StringColumn() : found->names;
}

TEST(TwoSets, labels_are_read_by_name) {
  for (const std::string model : {"gcn", "sage", "gin", "gcn-norm", "gat"}) {
    SCOPED_TRACE(model);
    const std::string weights = test_folder() + "/w.safetensors";
    const std::string trained = import_set(model, "A", kTrained);
    const Finished training = run_vecc({trained, "--train", "--epochs=2", "--backend=torch",
                                        "--quiet", "--save-weights=" + weights});
    ASSERT_TRUE(training.code == 0 || training.code == 5) << training.err;
    if (training.code == 5) {  // no torch here
      ASSERT_EQ(run_vecc({trained, "--backend=reference", "--save-weights=" + weights}).code, 0);
    }
    const Finished both = run_with(import_set(model, "AB", together(kTrained, kFewer)), weights);
    ASSERT_EQ(both.code, 0) << both.err;
    const std::string fewer = import_set(model, "B", kFewer);
    const Finished mapped = run_with(fewer, weights);
    ASSERT_EQ(mapped.code, 0) << mapped.err;
    EXPECT_NE(mapped.err.find("by name, as the numbers differ: \"node label\""), std::string::npos)
        << mapped.err;
    expect_near(outputs_of(mapped.out), outputs_of(both.out), kTrained.size());
    const std::string like = import_set(model, "B", kFewer, {"--like=" + trained});
    EXPECT_EQ(names_in(like, "node label")[2], "3");
    const Finished numbered = run_with(like, weights);
    ASSERT_EQ(numbered.code, 0) << numbered.err;
    expect_near(outputs_of(numbered.out), outputs_of(both.out), kTrained.size());
  }
}

TEST(TwoSets, unknown_labels_are_refused_with_both_lists) {
  const std::string weights = test_folder() + "/w.safetensors";
  const std::string trained = import_set("gcn", "A", kTrained);
  ASSERT_EQ(run_vecc({trained, "--backend=reference", "--save-weights=" + weights}).code, 0);
  const std::string lists = "names: \"0\", \"1\", \"2\"; the ";
  const Finished loaded = run_with(import_set("gcn", "C", kOther), weights);
  EXPECT_EQ(loaded.code, 3);
  EXPECT_NE(
      loaded.err.find("w.safetensors: vocabulary \"node label\": error: the graph has 3 " + lists +
                      "weights have 3 names: \"0\", \"1\", \"3\": the weights know nothing of "
                      "\"2\", the graph lacks \"3\"; import the graph with --like="),
      std::string::npos)
      << loaded.err;
  const std::string out = test_folder() + "/like.pb";
  const Names arguments{"tu", write_set("C", kOther), "--model=gcn", "--like=" + trained, "-o",
                        out};
  const Finished refused = run_import(arguments);
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("vocabulary \"node label\": error: the data has 3 " + lists +
                             "graph has 3 names: \"0\", \"1\", \"3\": it knows nothing of \"2\" "
                             "[E012]"),
            std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(out));
  Names zero = arguments;
  zero.emplace_back("--unknown-labels=zero");
  ASSERT_EQ(run_import(zero).code, 0);
  EXPECT_EQ(run_with(out, weights).code, 0);
  const Result<NeuronGraph> graph = read_graph(out);
  ASSERT_TRUE(graph);
  constexpr double kFirst[] = {1, 0, 0, 0, 1, 0, 0, 0, 0};
  for (std::size_t i = 0; i < std::size(kFirst); ++i) EXPECT_EQ(graph->values[i], kFirst[i]) << i;
}

TEST(TwoSets, classes_keep_their_numbers) {
  const std::string trained = import_set("gcn", "A", {{{0, 1}, -1}, {{1, 1}, 1}});
  const std::string weights = test_folder() + "/w.safetensors";
  ASSERT_EQ(run_vecc({trained, "--backend=reference", "--save-weights=" + weights}).code, 0);
  const std::vector<Ring> one_class{{{0, 1}, 1}};
  const Finished refused = run_with(import_set("gcn", "B", one_class), weights);
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("vocabulary \"class\""), std::string::npos) << refused.err;
  const std::string like = import_set("gcn", "B", one_class, {"--like=" + trained});
  EXPECT_EQ(run_with(like, weights).code, 0);
  const Result<NeuronGraph> graph = read_graph(like);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->target_values, std::vector<double>{1});
  EXPECT_EQ((*graph->classes())[0], "-1");
}

TEST(TwoSets, validation_by_another_graph_needs_the_same_names) {
  const std::string trained = import_set("gcn", "A", kTrained);
  const std::string other = import_set("gcn", "C", kOther);
  const Finished refused =
      run_vecc({trained, "--train", "--epochs=1", "--quiet", "--validate=" + other});
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("--validate: vocabulary \"node label\""), std::string::npos)
      << refused.err;
}

TEST(TwoSets, checkpoints_have_the_vocabularies) {
  const std::string trained = import_set("gcn", "A", kTrained);
  const std::string folder = test_folder() + "/checkpoint";
  const Finished done =
      run_vecc({trained, "--train", "--epochs=1", "--quiet", "--checkpoint=" + folder});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(read_text(folder + "/last.safetensors").find("node label"), std::string::npos);
  const Finished resumed =
      run_vecc({trained, "--train", "--epochs=2", "--quiet", "--checkpoint=" + folder, "--resume"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
}

TEST(TwoSets, relations_and_entities_are_read_by_name) {
  const std::string folder = test_folder();
  const std::string first =
      "ann\tknows\tbob\nbob\tlikes\tcem\ncem\tknows\tann\ndee\tworks\teve\neve\tworks\tann\n";
  write_text(folder + "/first.txt", first);
  write_text(folder + "/second.txt", "cem\tlikes\tbob\nbob\tknows\tcem\n");
  write_text(folder + "/third.txt", "cem\tloves\tbob\n");
  const auto import = [&](const std::string& name, const std::string& model, const Names& more) {
    Names arguments{"kg", folder + "/" + name + ".txt", "--model=" + model, "--dim=4",
                    "-o", folder + "/" + name + ".pb"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_import(arguments);
  };
  const std::string weights = folder + "/w.safetensors";
  const Names like{"--like=" + folder + "/first.pb"};
  for (const std::string model : {"rgcn", "rgat", "hgt"}) {
    SCOPED_TRACE(model);
    const Names heads = model == "rgcn" ? Names{} : Names{"--heads=2"};
    ASSERT_EQ(import("first", model, heads).code, 0);
    ASSERT_EQ(
        run_vecc({folder + "/first.pb", "--backend=reference", "--save-weights=" + weights}).code,
        0);
    ASSERT_EQ(import("second", model, heads).code, 0);
    const Finished alone = run_with(folder + "/second.pb", weights);
    ASSERT_EQ(alone.code, 0) << alone.err;
    EXPECT_NE(alone.err.find("\"entity\""), std::string::npos) << alone.err;
    EXPECT_NE(alone.err.find("\"relation\""), std::string::npos) << alone.err;
    Names more = like;
    more.insert(more.end(), heads.begin(), heads.end());
    ASSERT_EQ(import("second", model, more).code, 0);
    EXPECT_EQ(names_in(folder + "/second.pb", "relation").size(), 3u);
    const Finished numbered = run_with(folder + "/second.pb", weights);
    ASSERT_EQ(numbered.code, 0) << numbered.err;
    expect_near(outputs_of(numbered.out), outputs_of(alone.out), 0);
    const Finished unknown = import("third", model, more);
    EXPECT_EQ(unknown.code, 3);
    EXPECT_NE(
        unknown.err.find("vocabulary \"relation\": error: the data has 1 name: \"loves\"; the "
                         "graph has 3 names: \"knows\", \"likes\", \"works\": it knows "
                         "nothing of \"loves\" [E012]"),
        std::string::npos)
        << unknown.err;
  }
}

TEST(TwoSets, bad_like) {
  const std::string set = write_set("A", kTrained);
  const std::string out = test_folder() + "/out.pb";
  const Finished missing = run_import({"tu", set, "--model=gcn", "--like=none.pb", "-o", out});
  EXPECT_EQ(missing.code, 3);
  EXPECT_NE(missing.err.find("none.pb"), std::string::npos) << missing.err;
  const Finished alone = run_import({"tu", set, "--model=gcn", "--unknown-labels=zero", "-o", out});
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("--unknown-labels says nothing without --like"), std::string::npos)
      << alone.err;
  const std::string plain =
      std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis.pb";
  const Finished none = run_import({"tu", set, "--model=gcn", "--like=" + plain, "-o", out});
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("the graph has no vocabularies that number anything"), std::string::npos)
      << none.err;
}

TEST(TwoSets, statistics_have_the_vocabularies) {
  const std::string graph = import_set("gcn", "A", kTrained);
  const Finished table = run_vecc({graph, "--emit=stats", "--quiet"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("vocabularies.node label"), std::string::npos) << table.out;
  const Finished json = run_vecc({graph, "--json", "--quiet", "--backend=reference"});
  EXPECT_NE(json.out.find("\"node label\":3"), std::string::npos) << json.out;
}

}  // namespace
}  // namespace vecc::test
