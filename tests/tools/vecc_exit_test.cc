// Exit codes of vecc, and that failures are words on stderr with nothing on stdout.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;

void expect_failure(const Finished& result, int code, const std::string& words) {
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr(words));
  EXPECT_FALSE(has_control_characters(result.err)) << result.err;
}

TEST(VeccExit, bad_input_is_3) {
  const std::string folder = test_folder();
  expect_failure(run_vecc({folder + "/missing.pb"}), 3, folder + "/missing.pb: error: ");
  expect_failure(run_vecc({folder}), 3, "is a directory");
  write_text(folder + "/text.pb", "this is not a graph at all, but quite some text");
  expect_failure(run_vecc({folder + "/text.pb"}), 3, "[E0");
  write_text(folder + "/empty.pb", "");
  expect_failure(run_vecc({folder + "/empty.pb", "--quiet"}), 3, "[E002]");
}

TEST(VeccExit, bad_usage_is_2) {
  const std::string graph = write_small_graph(test_folder());
  expect_failure(run_vecc({}), 2, "graph");
  expect_failure(run_vecc({graph, "--no-such-option"}), 2, "--no-such-option");
  expect_failure(run_vecc({graph, "--backend=abacus"}), 2, "abacus");
  expect_failure(run_vecc({graph, "--device=tpu"}), 2, "tpu");
  expect_failure(run_vecc({graph, "--dtype=f16"}), 2, "f16");
  expect_failure(run_vecc({graph, "--repeat=0"}), 2, "--repeat");
  expect_failure(run_vecc({graph, "--repeat=many"}), 2, "--repeat");
  expect_failure(run_vecc({graph, "--emit=poetry"}), 2, "poetry");
  expect_failure(run_vecc({graph, "--full"}), 2, "--full needs --emit=ir");
  expect_failure(run_vecc({graph, "--run"}), 2, "--run needs --emit");
  expect_failure(run_vecc({graph, "--max-neurons=-1"}), 2, "--max-neurons");
  expect_failure(run_vecc({graph, "--max-input-bytes=lots"}), 2, "--max-input-bytes");
  expect_failure(run_vecc({graph, "--max-input-bytes=99999999999999999999G"}), 2, "max-input");
  expect_failure(run_vecc({graph, "--backend=reference", "--device=cuda"}), 2, "CPU only");
  expect_failure(run_vecc({graph, "--torch-reduce=spmm"}), 2,
                 "--torch-reduce needs --backend=torch");
  expect_failure(run_vecc({graph, "--backend=torch", "--torch-reduce=sort"}), 2, "sort");
  for (const char* backend : {"reference", "interpreter", "torch", "cuda"}) {
    expect_failure(run_vecc({graph, "--eval-batch-size=2", std::string("--backend=") + backend}), 2,
                   "--eval-batch-size needs --backend=cpu");
    expect_failure(run_vecc({graph, "--host-memory=8G", std::string("--backend=") + backend}), 2,
                   "--host-memory needs --backend=cpu: others have no tables in files");
  }
  expect_failure(run_vecc({graph, "--host-memory=0"}), 2, "--host-memory");
  expect_failure(run_vecc({graph, "--host-memory=8G", "--emit=ir"}), 2, "needs --run");
  expect_failure(run_vecc({graph, "--eval-batch-size=0"}), 2, "--eval-batch-size");
  expect_failure(run_vecc({graph, "--train", "--loss=margin_ranking", "--eval-batch-size=2"}), 2,
                 "of pairs of samples");
  expect_failure(run_vecc({graph, "--eval-batch-size=2", "--gradients=g.tsv"}), 2, "--gradients");
  expect_failure(run_vecc({graph, "--eval-batch-size=2", "--emit=ir"}), 2, "needs --run");
  expect_failure(run_vecc({graph, "--eval-batch-size=2", "--emit=html", "--run", "-o", "p.html"}),
                 2, "--emit=html with --run");
  expect_failure(run_vecc({"run", graph, graph, "--eval-batch-size=2"}), 2, "--eval-batch-size");
  expect_failure(run_vecc({graph, "--backend=cpu", "--matmul-precision=tf32"}), 2,
                 "--matmul-precision needs --backend=cuda");
  expect_failure(run_vecc({graph, "--backend=cuda", "--matmul-precision=fp8"}), 2, "fp8");
  expect_failure(run_vecc({graph, "--emit=cuda", "--dtype=f64", "--matmul-precision=bf16"}), 2,
                 "--matmul-precision=bf16 needs --dtype=f32");
}

// A plan for a GPU that need not be here, and what of it is refused before any work.
TEST(VeccExit, targets_are_named_or_files) {
  const std::string graph = write_small_graph(test_folder());
  const Finished plan = run_vecc({graph, "--emit=plan", "--target=l4", "-q"});
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.out.find("\ntarget l4: compute capability 8.9, 58 multiprocessors\n"),
            std::string::npos);
  expect_failure(run_vecc({graph, "--target=l4"}), 2, "--target needs --emit=plan or --emit=cuda");
  expect_failure(run_vecc({graph, "--emit=plan", "--target=h300"}), 3,
                 "h300: error: is none of h200, h100, a100, l4, and no file");
  const std::string file = test_folder() + "/gpu.json";
  std::ofstream(file) << R"({"like": "h200", "name": "old", "capability": "7.5"})";
  EXPECT_EQ(run_vecc({graph, "--emit=plan", "--target=" + file, "-q"}).code, 0);
  expect_failure(
      run_vecc({graph, "--emit=plan", "--target=" + file, "--matmul-precision=tf32"}), 5,
      "old: error: --matmul-precision=tf32 needs compute capability 8.0, found 7.5 [E061]");
  expect_failure(run_vecc({graph, "--emit=plan", "--target=" + file, "-o", file}), 2, "--target=");
  std::ofstream(file) << R"({"like": "h200", "capability": "6.1"})";
  expect_failure(run_vecc({graph, "--emit=plan", "--target=" + file}), 5, "[E062]");
}

TEST(VeccExit, every_level_runs_and_another_is_2) {
  const std::string graph = write_small_graph(test_folder());
  EXPECT_EQ(run_vecc({graph, "-O0", "--backend=reference"}).code, 0);
  for (const char* level : {"-O0", "-O1", "-O2", "-O3"}) {
    EXPECT_EQ(run_vecc({graph, level, "--check"}).code, 0) << level;
  }
  EXPECT_EQ(run_vecc({graph, "-O4"}).code, 2);
}

TEST(VeccExit, limits_are_4) {
  const std::string graph = write_small_graph(test_folder());
  expect_failure(run_vecc({graph, "--max-neurons=5"}), 4, "[E041]");
  expect_failure(run_vecc({graph, "--max-edges=4"}), 4, "[E042]");
  expect_failure(run_vecc({graph, "--max-weights=1"}), 4, "[E043]");
  expect_failure(run_vecc({graph, "--max-value-size=1"}), 4, "[E044]");
  expect_failure(run_vecc({graph, "--max-input-bytes=16"}), 4, "[E040]");
}

// A device that never ends, in the place of a file. (vecc-opt: WholeFile.bad_endless.)
TEST(VeccExit, endless_inputs_are_4) {
  const std::string folder = test_folder();
  const std::string graph = write_small_graph(folder);
  constexpr const char* kLimit = "more than 1073741824 bytes, the limit of what is held in memory";
  expect_failure(run_vecc({graph, "--load-weights=/dev/zero"}), 4, kLimit);
  expect_failure(
      run_vecc({graph, "--bind-facts=fact", "--load-facts=/dev/zero", "--max-input-bytes=1M"}), 4,
      "has more bytes, the limit is 1048576");
  const std::string edges = folder + "/edges";
  write_text(edges, "0 1\n");
  write_text(folder + "/rules", "{1} q :- {1} a(X).\n");
  std::filesystem::create_directory(folder + "/tables");
  std::filesystem::create_symlink("/dev/zero", folder + "/tables/rows.csv");
  const std::vector<std::pair<std::string, std::vector<std::string>>> readers{
      {"vecc", {"run", "/dev/zero", graph}},
      {"vecc-import", {"graph", edges, "--labels=/dev/zero", "--model=gcn"}},
      {"vecc-import", {"kg", edges, "--types=/dev/zero", "--model=hgt"}},
      {"vecc-import", {"sql", folder + "/tables", "--target=rows.y"}},
      {"vecc-ground", {folder + "/rules", "--facts=/dev/zero"}},
      {"vecc-kg", {"train", "/dev/zero", "--model=transe"}},
      {"vecc-kg", {"predict", "/dev/zero", "--model=transe", "--query=a,b,?"}}};
  for (const auto& [tool, words] : readers) {
    if ((tool == "vecc-ground" || words[0] == "sql") && !kHasSqlite) continue;
    auto all = words;
    all.insert(all.end(), {"-o", folder + "/never"});
    if (words[0] == "train") all.resize(words.size());  // it has no -o
    expect_failure(run_tool(tool, all), 4, kLimit);
    EXPECT_FALSE(std::filesystem::exists(folder + "/never"));
  }
  // The first bytes tell that this is no graph.
  expect_failure(run_vecc({"/dev/zero"}), 3, "/dev/zero");
  // A graph of empty fields without end.
  const std::string pipe = folder + "/endless.pb";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::signal(SIGPIPE, SIG_IGN);
  std::thread writer([&] {
    std::ofstream out(pipe, std::ios::binary);
    std::string fields;
    for (int i = 0; i < 4096; ++i) fields += std::string("\x2a\0", 2);  // Samples
    out << std::string("\x0dVECC\x12\x02\x08\x01", 9);
    while (out << fields << std::flush) continue;
  });
  expect_failure(run_vecc({pipe, "--max-input-bytes=4M"}), 4, "[E040]");
  writer.join();
}

TEST(VeccExit, byte_sizes_have_units) {
  const std::string graph = write_small_graph(test_folder());
  for (const char* size : {"64M", "4G", "1k", "65536"}) {
    const Finished result =
        run_vecc({graph, "--backend=reference", std::string("--max-input-bytes=") + size});
    EXPECT_EQ(result.code, 0) << size << ": " << result.err;
  }
}

TEST(VeccExit, absent_device_is_5) {
  const std::string graph = write_small_graph(test_folder());
  expect_failure(run_vecc({graph, "--backend=interpreter", "--device=cuda:77"}), 5, "error: ");
  expect_failure(run_vecc({graph, "--backend=auto", "--device=cuda:77"}), 5, "interpreter");
}

TEST(VeccExit, interrupt_is_130) {
  const std::string pipe = test_folder() + "/pipe.pb";  // without a writer: import waits
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Command command;
  command.tool = "vecc";
  command.arguments = {pipe, "--log-level=debug"};
  command.interrupt_on = "[debug] import: begins";
  const Finished result = run(command);
  EXPECT_EQ(result.code, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("interrupted"));
}

}  // namespace
}  // namespace vecc::test
