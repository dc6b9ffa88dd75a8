// vecc-import tu, and what it makes run by vecc.
#include <fstream>

#include "tests/import_commands/import_check.h"

namespace vecc::test {
namespace {

TEST(ImportTu, every_model_runs_everywhere) {
  const std::string folder = test_folder();
  for (const std::string model : {"gcn", "sage", "gin", "gcn-norm", "gat", "gine"}) {
    SCOPED_TRACE(model);
    const std::string graph = folder + "/" + model + ".pb.zst";
    const Finished done = run_import({"tu", molecules_folder(), "--model=" + model, "-o", graph});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_NE(done.err.find("molecules: 188 graphs, 3,366 nodes, 7,432 directed edges"),
              std::string::npos)
        << done.err;
    EXPECT_EQ(check_backends(graph).size(), 188u);
  }
}

TEST(ImportTu, features_side_by_side_keep_their_vocabulary) {
  const std::string folder = test_folder();
  const std::string graph = folder + "/both.pb";
  const std::vector<std::string> import{"tu", molecules_folder(), "--model=gcn",
                                        "--features=onehot,degree", "--quiet"};
  std::vector<std::string> words = import;
  words.insert(words.end(), {"-o", graph});
  ASSERT_EQ(run_import(words).code, 0);
  EXPECT_EQ(check_backends(graph).size(), 188u);
  words = import;
  words.insert(words.end(), {"--like=" + graph, "-o", folder + "/later.pb"});
  const Finished later = run_import(words);
  EXPECT_EQ(later.code, 0) << later.err;
}

TEST(ImportSynthSet, models_run_and_learn) {
  const std::string folder = test_folder();
  for (const std::string model : {"gcn", "gin", "gine"}) {
    SCOPED_TRACE(model);
    const std::string graph = folder + "/" + model + ".pb";
    const Finished done = run_import(
        {"synth-set", "--graphs=30", "--nodes=8", "--model=" + model, "--dim=4", "-o", graph});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.err.find("synth: 30 graphs"), std::string::npos) << done.err;
    EXPECT_EQ(check_backends(graph).size(), 30u);
  }
  const Finished trained =
      run_vecc({folder + "/gin.pb", "--train", "--epochs=2", "--backend=interpreter"});
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(run_import({"synth-set", "--model=gcn", "-o", folder + "/x.pb"}).code, 2);
  EXPECT_EQ(run_import({"synth-set", "--graphs=90000000", "--nodes=4096", "--model=gcn", "-o",
                        folder + "/x.pb"})
                .code,
            4);
}

TEST(ImportGraph, classifies_nodes_of_a_list_of_edges) {
  const std::string folder = test_folder();
  std::ofstream(folder + "/g.txt") << "0 1\n1 2\n2 3\n3 0\n1 3\n";
  std::ofstream(folder + "/y.txt") << "0 1 train\n1 0 train\n2 1 test\n";
  for (const std::string model : {"gcn", "gat", "sage"}) {
    SCOPED_TRACE(model);
    const std::string graph = folder + "/" + model + ".pb";
    const Finished done =
        run_import({"graph", folder + "/g.txt", "--labels=" + folder + "/y.txt", "--undirected",
                    "--model=" + model, "--features=degree,one", "-o", graph});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.err.find("g: 1 graph, 4 nodes, 10 directed edges, 3 labelled nodes"),
              std::string::npos)
        << done.err;
    EXPECT_EQ(check_backends(graph).size(), 4u);
  }
  const Finished trained =
      run_vecc({folder + "/gcn.pb", "--train", "--epochs=2", "--backend=interpreter"});
  EXPECT_EQ(trained.code, 0) << trained.err;
  const Finished wrong =
      run_import({"graph", folder + "/g.txt", "--model=gine", "-o", folder + "/w.pb"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("neither edge labels nor edge attributes"), std::string::npos)
      << wrong.err;
}

TEST(ImportTu, the_seed_decides) {
  const std::string folder = test_folder();
  const auto import = [&](const std::string& name, const std::string& seed) {
    EXPECT_EQ(run_import({"tu", molecules_folder(), "--model=gcn", "--quiet", "--seed=" + seed,
                          "-o", folder + "/" + name})
                  .code,
              0);
    return read_text(folder + "/" + name);
  };
  const std::string first = import("a.pb", "5");
  EXPECT_EQ(import("b.pb", "5"), first);
  EXPECT_NE(import("c.pb", "6"), first);
}

TEST(ImportTu, without_initial_values_vecc_asks_for_them) {
  const std::string graph = test_folder() + "/none.pb";
  ASSERT_EQ(run_import({"tu", molecules_folder(), "--model=gcn", "--init=none", "-o", graph}).code,
            0);
  const Finished refused = run_vecc({graph, "--quiet", "--backend=reference"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("--init"), std::string::npos) << refused.err;
  const Finished done = run_vecc({graph, "--quiet", "--backend=reference", "--init=glorot"});
  EXPECT_EQ(done.code, 0) << done.err;
  const std::string drawn = test_folder() + "/drawn.pb";
  ASSERT_EQ(run_import({"tu", molecules_folder(), "--model=gcn", "--seed=0", "-o", drawn}).code, 0);
  EXPECT_EQ(run_vecc({drawn, "--quiet", "--backend=reference"}).out, done.out);
}

TEST(ImportTu, bad_options_and_data) {
  const std::string out = test_folder() + "/out.pb";
  struct Case {
    std::vector<std::string> arguments;
    int code;
    std::string message;
  };
  const std::vector<Case> cases{
      {{"tu", molecules_folder(), "--model=gnn"}, 2, "--model: gnn not in {"},
      {{"tu", molecules_folder(), "--model=gcn", "--dim=0"}, 2, "--dim"},
      {{"tu", molecules_folder(), "--model=gcn", "--features=attributes"},
       2,
       "vecc-import tu: error: --features=attributes: the data has no node attributes; try "
       "--features=one [E050]\n"},
      {{"tu", molecules_folder(), "--model=gcn", "--features=onehot,attributes"},
       2,
       "vecc-import tu: error: --features=attributes: the data has no node attributes"},
      {{"tu", molecules_folder(), "--model=gcn", "--features=one,one"}, 2, "one is there twice"},
      {{"tu", molecules_folder(), "--model=gcn", "--targets=attributes"},
       2,
       "vecc-import tu: error: --targets=attributes: the data has no graph attributes"},
      {{"tu", molecules_folder(), "--model=gcn", "--output-function=softmax"},
       2,
       "vecc-import tu: error: --output-function=softmax: two classes have one output; it needs "
       "three classes [E050]\n"},
      {{"tu", "/no/such/folder", "--model=gcn"}, 3, "[E001]\n"},
      {{"tu", molecules_folder(), "--model=gcn", "--max-neurons=100"},
       4,
       out + ": error: the grounded template has more than 100 neurons; raise --max-neurons or "
             "ground less [E041]\n"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> arguments = c.arguments;
    arguments.insert(arguments.end(), {"-o", out});
    const Finished done = run_import(arguments);
    EXPECT_EQ(done.code, c.code) << done.err;
    EXPECT_NE(done.err.find(c.message), std::string::npos) << done.err;
    EXPECT_EQ(done.out, "");
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

}  // namespace
}  // namespace vecc::test
