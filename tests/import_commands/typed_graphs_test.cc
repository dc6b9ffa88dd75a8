// vecc-import kg, rdf, hgb and synth, and what they make run by vecc.
#include "tests/import_commands/import_check.h"

namespace vecc::test {
namespace {

/// Eight entities, three relations.
std::string write_triples() {
  const std::string folder = test_folder();
  write_text(folder + "/train.txt",
             "ann\tknows\tbob\nbob\tknows\tcem\ncem\tlikes\tann\ndee\tlikes\tann\nann\tlikes\tdee\n"
             "eve\tworks\tfay\nfay\tworks\tgus\n");
  write_text(folder + "/valid.txt", "gus\tknows\thal\n");
  write_text(folder + "/test.txt", "hal\tlikes\tann\n");
  return folder;
}

TEST(ImportTyped, every_model_runs_everywhere) {
  const std::string data = write_triples();
  const std::string graph = test_folder() + "/graph.pb";
  for (const std::string model : {"rgcn", "rgat", "hgt"}) {
    SCOPED_TRACE(model);
    const Finished done = run_import({"kg", data, "--model=" + model, "--dims=6,4,2", "-o", graph});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.err.find("8 nodes, 9 edges, 3 relations"), std::string::npos) << done.err;
    const auto outputs = check_backends(graph);
    ASSERT_EQ(outputs.size(), 8u);
    EXPECT_EQ(outputs.front().size(), 2u);
  }
  for (const std::string model : {"transe", "transh", "transr", "transf", "rescal", "distmult",
                                  "complex", "rotate", "tucker"}) {
    SCOPED_TRACE(model);
    const Finished done = run_import(
        {"kg", data, "--model=" + model, "--dim=5", "--negatives=2", "--triples=all", "-o", graph});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(check_backends(graph).size(), 27u);
  }
}

TEST(ImportTyped, a_table_with_types_of_entities) {
  const std::string folder = test_folder();
  write_text(folder + "/facts.csv",
             "id,who,does,whom\n1,ann,knows,bob\n2,bob,likes,\"paper, a\"\n3,ann,likes,bob\n");
  write_text(folder + "/types.csv", "entity,type\n\"paper, a\",thing\nann,person\nbob,person\n");
  const std::string graph = folder + "/graph.pb";
  const std::vector<std::string> table{
      "kg", folder + "/facts.csv", "--header", "--columns=2,3,4", "-o", graph};
  auto words = table;
  words.insert(words.end(), {"--types=" + folder + "/types.csv", "--model=hgt", "--dims=4,4"});
  const Finished done = run_import(words);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.err.find("2 node types"), std::string::npos) << done.err;
  EXPECT_EQ(check_backends(graph).size(), 3u);
  words = table;
  words.insert(words.end(), {"--model=distmult", "--inverse=on", "--negatives=0"});
  ASSERT_EQ(run_import(words).code, 0);
  EXPECT_EQ(check_backends(graph).size(), 6u);
  words.push_back("--types=" + folder + "/types.csv");
  const Finished idle = run_import(words);
  EXPECT_EQ(idle.code, 2);
  EXPECT_NE(idle.err.find("--types: error: says nothing to --model=distmult"), std::string::npos)
      << idle.err;
  words = table;
  words[3] = "--columns=2,2,4";
  words.emplace_back("--model=distmult");
  const Finished wrong = run_import(words);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("three different numbers"), std::string::npos) << wrong.err;
}

TEST(ImportTyped, reach_prints_its_size_first) {
  const std::string data = write_triples();
  const std::string graph = test_folder() + "/graph.pb";
  const Finished done = run_import(
      {"kg", data, "--model=reach", "--source=ann", "--depth=3", "--inverse=off", "-o", graph});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(done.err.starts_with("reach: ")) << done.err;
  EXPECT_EQ(check_backends(graph).size(), 4u);  // ann, bob, cem, dee
  const Finished unknown =
      run_import({"kg", data, "--model=reach", "--source=anne", "--depth=3", "-o", graph});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("ann"), std::string::npos) << unknown.err;
}

TEST(ImportTyped, interrupted_leaves_nothing) {
  const std::string data = write_triples();
  const std::string folder = test_folder();
  Command command;
  command.tool = "vecc-import";
  command.arguments = {
      "kg", data, "--model=reach", "--source=ann", "--depth=100000", "-o", folder + "/graph.pb"};
  command.interrupt_on = "reach: ";
  const auto before = list_folder(folder);
  const Finished done = run(command);
  EXPECT_EQ(done.code, 130);
  EXPECT_NE(done.err.find("interrupted\n"), std::string::npos) << done.err;
  EXPECT_EQ(list_folder(folder), before);
}

TEST(ImportTyped, synth_runs) {
  const std::string graph = test_folder() + "/graph.pb";
  for (const std::string degree : {"uniform", "zipf"}) {
    const Finished done =
        run_import({"synth", "--nodes=50", "--edges=200", "--types=5", "--degree=" + degree,
                    "--model=rgcn", "--dim=4", "--seed=3", "-o", graph});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(check_backends(graph).size(), 50u);
  }
}

TEST(ImportTyped, synth_with_classes_trains) {
  const std::string graph = test_folder() + "/graph.pb";
  const Finished done = run_import({"synth", "--nodes=50", "--edges=200", "--types=5",
                                    "--classes=3", "--model=rgcn", "--dim=4", "-o", graph});
  ASSERT_EQ(done.code, 0) << done.err;
  const Finished trained = run_vecc({graph, "--backend=cpu", "--train", "--epochs=2"});
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_NE(trained.err.find("epoch 2/2"), std::string::npos) << trained.err;
  EXPECT_NE(trained.out.find("[0, 0, 1]"), std::string::npos) << trained.out;
}

TEST(ImportTyped, messages_may_keep_to_the_training_edges) {
  const std::string data = write_triples();
  const std::string graph = test_folder() + "/graph.pb";
  const Finished done =
      run_import({"kg", data, "--model=rgcn", "--message-edges=train", "-o", graph});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.err.find("8 nodes, 7 edges, 3 relations"), std::string::npos) << done.err;
}

TEST(ImportTyped, bad_options) {
  const std::string data = write_triples();
  const std::string out = test_folder() + "/out.pb";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"kg", data, "--model=rgcn", "--p=2"}, "--p says nothing to --model=rgcn"},
      {{"kg", data, "--model=transe", "--heads=2"}, "--heads says nothing to --model=transe"},
      {{"kg", data, "--model=rgcn", "--dims=8"}, "--dims: at least two, such as 64,64"},
      {{"kg", data, "--model=rgat", "--dims=8,6", "--heads=4"},
       "--heads=4: layer 1 has dimension 6, which is no multiple of it"},
      {{"kg", data, "--model=rgcn", "--features=given"},
       "--features=given: the data has no features; leave the option away"},
      {{"kg", data, "--model=reach"}, "--model=reach needs --source=NAME"},
      {{"synth", "--nodes=2", "--edges=9", "--model=rgcn"}, "edges"},
  };
  for (const auto& [arguments, message] : cases) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"-o", out});
    const Finished done = run_import(all);
    EXPECT_EQ(done.code, 2) << done.err;
    EXPECT_NE(done.err.find(message), std::string::npos) << done.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

TEST(ImportList, has_a_formula_for_every_model) {
  const Finished done = run_import({"--list"});
  EXPECT_EQ(done.code, 0);
  for (const std::string model :
       {"gcn", "sage", "gin", "gcn-norm", "gat", "gine", "rgcn", "rgat", "hgt", "transe", "transh",
        "transr", "transf", "rescal", "distmult", "complex", "rotate", "tucker", "reach"}) {
    EXPECT_NE(done.out.find("\n  " + model + " "), std::string::npos) << model;
  }
}

}  // namespace
}  // namespace vecc::test
