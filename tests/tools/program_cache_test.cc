// The program cache as a user meets it: the second run loads, and has the same bits.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>

#include "process.h"
#include "sample_graphs.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const auto kLoaded = AllOf(HasSubstr("\ncache "), Not(HasSubstr("\nvectorize ")));
const auto kMade = AllOf(Not(HasSubstr("\ncache ")), HasSubstr("\nvectorize "));

class CachedPrograms : public ::testing::Test {
 protected:
  CachedPrograms()
      : folder_(test_folder()),
        graph_(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis.pb") {}

  [[nodiscard]] Command command(std::vector<std::string> words) const {
    Command command;
    command.tool = "vecc";
    command.arguments = std::move(words);
    const bool caches =
        std::ranges::find(command.arguments, "--no-cache") == command.arguments.end();
    if (caches) command.arguments.emplace_back("--cache-after=0");
    command.environment = {"VECC_CACHE_DIR=" + folder_ + "/cache"};
    return command;
  }
  [[nodiscard]] Finished vecc(std::vector<std::string> words) const {
    return run(command(std::move(words)));
  }
  [[nodiscard]] std::vector<std::string> entries() const {
    const std::string programs = folder_ + "/cache/programs";
    return fs::exists(programs) ? list_folder(programs) : std::vector<std::string>();
  }
  [[nodiscard]] std::string entry() const { return folder_ + "/cache/programs/" + entries().at(0); }

  std::string folder_;
  std::string graph_;
};

TEST_F(CachedPrograms, give_the_same_outputs_and_gradients) {
  for (const std::string backend : {"interpreter", "cpu"}) {
    const auto words = [&](const std::string& name) {
      return std::vector<std::string>{graph_, "--backend=" + backend,
                                      "--gradients=" + folder_ + "/" + backend + name};
    };
    auto uncached = words("none");
    uncached.emplace_back("--no-cache");
    const Finished expected = vecc(uncached);
    ASSERT_EQ(expected.code, 0) << expected.err;
    const Finished first = vecc(words("first"));
    EXPECT_THAT(first.err, AllOf(kMade, HasSubstr("\nkeep ")));
    const Finished second = vecc(words("second"));
    EXPECT_THAT(second.err, AllOf(kLoaded, HasSubstr("106,629 neurons")));
    EXPECT_EQ(first.out, expected.out);
    EXPECT_EQ(second.out, expected.out);
    const std::string gradients = read_text(folder_ + "/" + backend + "none");
    EXPECT_EQ(read_text(folder_ + "/" + backend + "first"), gradients);
    EXPECT_EQ(read_text(folder_ + "/" + backend + "second"), gradients);
  }
}

TEST_F(CachedPrograms, say_the_same_sizes) {
  const std::vector<std::string> words{graph_, "--backend=interpreter", "--json"};
  const json first = json::parse(vecc(words).out);
  const json second = json::parse(vecc(words).out);
  EXPECT_EQ(second["stages"][0]["name"], "cache");
  for (const char* part : {"outputs", "graph", "program", "backend", "device", "dtype"}) {
    EXPECT_EQ(second[part], first[part]) << part;
  }
}

TEST_F(CachedPrograms, train_with_the_same_bits) {
  const std::vector<std::vector<std::string>> ways{
      {"--backend=interpreter"},
      {"--backend=cpu"},
      {"--backend=cpu", "--validate=0.25", "--clip-norm=0.5", "--optimizer=rmsprop"},
      {"--backend=cpu", "--batch-size=17", "--batch=bind"},
      {"--backend=cpu", "--batch-size=50", "--batch=mask", "--optimizer=sgd", "--lr=0.1"},
      {"--backend=interpreter", "--batch-size=60", "--loss=squared_diff"},
  };
  int number = 0;
  for (const std::vector<std::string>& way : ways) {
    const auto train = [&](const std::string& name, bool caches) {
      std::vector<std::string> words{graph_, "--train", "--epochs=3",
                                     "--save-weights=" + folder_ + "/" + name};
      words.insert(words.end(), way.begin(), way.end());
      if (!caches) words.emplace_back("--no-cache");
      return vecc(words);
    };
    const std::size_t before = entries().size();
    const std::string suffix = std::to_string(number++);
    const Finished expected = train("none" + suffix, false);
    ASSERT_EQ(expected.code, 0) << expected.err;
    EXPECT_EQ(entries().size(), before);
    const Finished first = train("first" + suffix, true);
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_THAT(first.err, HasSubstr("\nprepare "));
    const Finished second = train("second" + suffix, true);
    EXPECT_THAT(second.err, kLoaded);
    if (suffix != "5") {
      EXPECT_THAT(second.err, HasSubstr("; the step of the program cache")) << suffix;
    }
    EXPECT_EQ(first.out, expected.out);
    EXPECT_EQ(second.out, expected.out);
    const std::string weights = read_text(folder_ + "/none" + suffix);
    ASSERT_THAT(weights, Not(IsEmpty()));
    EXPECT_EQ(read_text(folder_ + "/first" + suffix), weights);
    EXPECT_EQ(read_text(folder_ + "/second" + suffix), weights);
  }
}

TEST_F(CachedPrograms, take_other_weights) {
  const std::string weights = folder_ + "/w.safetensors";
  ASSERT_EQ(vecc({graph_, "--train", "--epochs=2", "--backend=interpreter", "-q",
                  "--save-weights=" + weights})
                .code,
            0);
  const std::vector<std::string> words{graph_, "--backend=interpreter",
                                       "--load-weights=" + weights};
  const Finished loaded = vecc(words);
  EXPECT_THAT(loaded.err, kLoaded);
  auto uncached = words;
  uncached.emplace_back("--no-cache");
  EXPECT_EQ(loaded.out, vecc(uncached).out);
  // The file's own weights were kept, not those of the training.
  const Finished own = vecc({graph_, "--backend=interpreter"});
  EXPECT_THAT(own.err, kLoaded);
  EXPECT_EQ(own.out, vecc({graph_, "--backend=interpreter", "--no-cache"}).out);
  EXPECT_NE(own.out, loaded.out);
}

TEST_F(CachedPrograms, serve_evaluate_and_folds) {
  const std::vector<std::string> evaluate{"evaluate", graph_, "--backend=interpreter"};
  const Finished first = vecc(evaluate);
  ASSERT_EQ(first.code, 0) << first.err;
  const Finished second = vecc(evaluate);
  EXPECT_THAT(second.err, kLoaded);
  EXPECT_EQ(second.out, first.out);
  const std::vector<std::string> folds{graph_, "--train", "--folds=3", "--epochs=2",
                                       "--backend=interpreter"};
  const Finished trained = vecc(folds);
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(vecc(folds).out, trained.out);
}

TEST_F(CachedPrograms, weights_without_values_are_an_error_all_the_same) {
  const std::string open = write_open_graph(folder_);
  std::vector<std::string> words{open, "--backend=interpreter", "--init=glorot"};
  ASSERT_EQ(vecc(words).code, 0);
  const Finished initialized = vecc(words);
  EXPECT_THAT(initialized.err, kLoaded);
  words.emplace_back("--no-cache");
  EXPECT_EQ(initialized.out, vecc(words).out);
  const Finished first = vecc({open, "--backend=interpreter", "--no-cache"});
  const Finished second = vecc({open, "--backend=interpreter"});
  EXPECT_EQ(first.code, 3);
  EXPECT_EQ(second.code, 3);
  EXPECT_EQ(second.err, first.err);
}

TEST_F(CachedPrograms, other_options_and_other_files_find_nothing) {
  ASSERT_EQ(vecc({graph_, "--backend=interpreter"}).code, 0);
  std::size_t count = 1;
  const std::string copy = folder_ + "/copy.pb";
  fs::copy_file(graph_, copy);
  EXPECT_THAT(vecc({copy, "--backend=interpreter"}).err, kLoaded) << "what counts is the content";
  const std::vector<std::vector<std::string>> others{
      {graph_, "--backend=interpreter", "--dtype=f64"},
      {graph_, "--backend=interpreter", "-O1"},
      {graph_, "--backend=interpreter", "--disable-pass=drop-dead"},
      {graph_, "--backend=interpreter", "--group=auto"},
      {graph_, "--backend=interpreter", "--max-neurons=1000000"},
      {graph_, "--backend=cpu"},
      {write_small_graph(folder_), "--backend=interpreter"},
  };
  for (const std::vector<std::string>& words : others) {
    const Finished found = vecc(words);
    ASSERT_EQ(found.code, 0) << found.err;
    EXPECT_THAT(found.err, kMade) << words.back();
    EXPECT_THAT(entries(), SizeIs(++count)) << words.back();
  }
  EXPECT_EQ(vecc({graph_, "--backend=interpreter", "--max-neurons=1000"}).code, 4);
}

TEST_F(CachedPrograms, are_not_used_where_neurons_are_needed) {
  ASSERT_EQ(vecc({graph_, "--backend=interpreter"}).code, 0);
  const std::vector<std::vector<std::string>> others{
      {graph_, "--backend=reference"},
      {graph_, "--backend=interpreter", "--emit=stats"},
      {graph_, "--backend=interpreter", "--time-passes"},
      {graph_, "--backend=interpreter", "--bind-facts=atom"},
      {graph_, "--backend=interpreter", "--save-program=" + folder_ + "/model.vecc"},
      {graph_, "--backend=interpreter", "--train", "--epochs=1", "--optimizer=lazy-adam"},
      {graph_, "--backend=interpreter", "--no-cache"},
  };
  for (const std::vector<std::string>& words : others) {
    const Finished found = vecc(words);
    EXPECT_THAT(found.err, Not(HasSubstr("\ncache "))) << words.back();
    EXPECT_THAT(entries(), SizeIs(1)) << words.back();
  }
}

TEST_F(CachedPrograms, bad_a_time_for_what_is_not_kept) {
  const Finished found = vecc({graph_, "--no-cache", "--cache-after=2"});
  EXPECT_EQ(found.code, 2);
  EXPECT_THAT(found.err, HasSubstr("--no-cache excludes --cache-after"));
}

TEST_F(CachedPrograms, small_graphs_are_not_kept) {
  Command small = command({write_small_graph(folder_), "--backend=interpreter"});
  small.arguments.pop_back();  // --cache-after=0
  ASSERT_EQ(run(small).code, 0);
  EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(CachedPrograms, damaged_ones_are_made_again) {
  const std::vector<std::string> words{graph_, "--backend=interpreter"};
  const Finished expected = vecc(words);
  const std::string whole = read_text(entry());
  for (const std::size_t at : {std::size_t{0}, whole.size() / 3, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    std::ofstream(entry(), std::ios::binary | std::ios::trunc) << damaged;
    const Finished found = vecc(words);
    EXPECT_EQ(found.code, 0);
    EXPECT_EQ(found.out, expected.out);
    EXPECT_THAT(found.err, AllOf(HasSubstr("is made again"), HasSubstr("\nvectorize ")));
    EXPECT_EQ(read_text(entry()), whole);
  }
}

TEST_F(CachedPrograms, a_full_disk_is_a_warning) {
  Command full = command({graph_, "--backend=interpreter"});
  full.max_file_bytes = 20'000;
  const Finished found = run(full);
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_THAT(found.err, HasSubstr("the program is not kept for the next run: "));
  EXPECT_THAT(entries(), IsEmpty()) << "nor a part of it";
  EXPECT_EQ(found.out, vecc({graph_, "--backend=interpreter"}).out);
}

// A training has several executables, each of which finds that its code cannot be kept.
TEST_F(CachedPrograms, code_that_is_not_kept_is_told_once) {
  const std::string folder = folder_ + "/open";
  fs::create_directories(folder + "/code");
  fs::permissions(folder + "/code", fs::perms::all);
  Command open = command({graph_, "--backend=cpu", "--train", "--epochs=2", "--validate=0.5"});
  open.environment = {"VECC_CACHE_DIR=" + folder};
  const Finished found = run(open);
  EXPECT_EQ(found.code, 0) << found.err;
  const std::string words = "compiled code is not kept: ";
  const std::size_t first = found.err.find(words);
  ASSERT_NE(first, std::string::npos) << found.err;
  EXPECT_EQ(found.err.find(words, first + 1), std::string::npos) << found.err;
}

TEST_F(CachedPrograms, two_processes_share_the_folder) {
  const std::vector<std::string> words{graph_, "--backend=interpreter", "--train", "--epochs=1"};
  auto uncached = words;
  uncached.emplace_back("--no-cache");
  const Finished expected = vecc(uncached);
  for (int round = 0; round < 3; ++round) {
    fs::remove_all(folder_ + "/cache/programs");
    auto other = std::async(std::launch::async, [&] { return vecc(words); });
    const Finished one = vecc(words);
    const Finished two = other.get();
    EXPECT_EQ(one.out, expected.out) << one.err;
    EXPECT_EQ(two.out, expected.out) << two.err;
    EXPECT_THAT(vecc(words).err, kLoaded);
  }
}

}  // namespace
}  // namespace vecc::test
