// vecc-import repeat, and what belongs to no subcommand.
#include <gtest/gtest.h>

#include "tests/graph_io/small_graphs.h"
#include "tests/import_commands/import_check.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

TEST(VeccImport, repeat_writes_copies) {
  const std::string folder = test_folder();
  const NeuronGraph graph = graph_of_everything();
  ASSERT_TRUE(write_graph(graph, folder + "/one.pb", Compression::None));
  const Finished done =
      run_import({"repeat", "--times=3", folder + "/one.pb", "-o", folder + "/three.pb.gz"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.out, "");
  EXPECT_EQ(done.err, "wrote 3 copies: 36 neurons, 42 edges, 6 samples\n");
  EXPECT_EQ(list_folder(folder), (std::vector<std::string>{"one.pb", "three.pb.gz"}));
  EXPECT_TRUE(read_text(folder + "/three.pb.gz").starts_with("\x1f\x8b"));
  const Result<NeuronGraph> copies = read_graph(folder + "/three.pb.gz");
  ASSERT_TRUE(copies) << copies.error().text();
  EXPECT_EQ(copies->neuron_count(), 36u);
}

TEST(VeccImport, help_has_examples) {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"--help"}, {"repeat", "--help"}}) {
    const Finished done = run_import(arguments);
    EXPECT_EQ(done.code, 0);
    EXPECT_EQ(done.err, "");
    EXPECT_NE(done.out.find("vecc-import repeat --times=10 graph.pb -o graph10.pb"),
              std::string::npos)
        << done.out;
  }
}

TEST(VeccImport, bad_input) {
  const Finished done = run_import({"repeat", "--times=2", "/no/such.pb", "-o", "/no/out.pb"});
  EXPECT_EQ(done.code, 3);
  EXPECT_EQ(done.err, "/no/such.pb: error: cannot be opened: No such file or directory [E001]\n");
}

TEST(VeccImport, bad_output) {
  const std::string folder = test_folder();
  ASSERT_TRUE(write_graph(graph_of_everything(), folder + "/one.pb", Compression::None));
  const Finished done =
      run_import({"repeat", "--times=2", folder + "/one.pb", "-o", folder + "/no/out.pb"});
  EXPECT_EQ(done.code, 3);
  EXPECT_EQ(done.err, folder +
                          "/no/out.pb: error: cannot be created: No such file or directory "
                          "[E051]\n");
}

TEST(VeccImport, compression_levels) {
  const std::string folder = test_folder();
  const auto size_of = [&](const std::string& level, const std::string& threads) {
    const Finished done = run_import({"synth-set", "--graphs=400", "--model=gcn", "-q", level,
                                      threads, "-o", folder + "/set.pb.zst"});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_TRUE(read_graph(folder + "/set.pb.zst"));
    return read_text(folder + "/set.pb.zst");
  };
  const std::string fast = size_of("--compression-level=1", "--threads=1");
  EXPECT_EQ(size_of("--compression-level=1", "--threads=2"), fast);
  EXPECT_LT(size_of("--compression-level=19", "--threads=2").size(), fast.size());
}

// Before anything is read: the input is not there.
TEST(VeccImport, bad_compression_level) {
  const auto error_of = [](const std::string& level, const std::string& output) {
    const Finished done = run_import(
        {"repeat", "--times=2", "/no/such.pb", "--compression-level=" + level, "-o", output});
    EXPECT_EQ(done.code, 2) << output;
    return done.err;
  };
  EXPECT_EQ(error_of("10", "g.pb.gz"),
            "vecc-import: error: --compression-level=10: gzip has levels 1 to 9 [E050]\n");
  EXPECT_EQ(error_of("23", "g.pb.zst"),
            "vecc-import: error: --compression-level=23: zstd has levels 1 to 22 [E050]\n");
  for (const char* const output : {"g.pb", "-"}) {
    EXPECT_EQ(error_of("3", output),
              "vecc-import: error: --compression-level=3: the output is not compressed; gzip has "
              "levels 1 to 9, zstd 1 to 22 [E050]\n");
  }
  EXPECT_NE(error_of("0", "g.pb.zst").find("--compression-level"), std::string::npos);
}

TEST(VeccImport, bad_usage) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {}, {"repeat"}, {"repeat", "--times=0", "a.pb", "-o", "b.pb"}, {"unknown"}}) {
    const Finished done = run_import(arguments);
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(done.out, "");
    EXPECT_NE(done.err, "");
  }
}

}  // namespace
}  // namespace vecc::test
