// Entries of the program cache: the same Program and outline, or none.
#include "src/program_cache/program_cache.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "src/program/program_columns.h"
#include "tests/graph_io/same_graph.h"
#include "tests/graph_io/temporary_folder.h"
#include "tests/support/graph_builder.h"
#include "vecc/optimize.h"
#include "vecc/program_text.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// All that an outline has.
NeuronGraph make_graph() {
  GraphBuilder b;
  const WeightId w = b.weight("w", Shape(2, 2), {1, 2, 3, 0.1});
  const WeightId rows = b.weight_table("rows", 2, Shape(), {1, 2}, true, {"one", "t\nwo"});
  b.weight("fixed", Shape(), {3}, false);
  b.weight("open", Shape::column(2), {});
  const GroupIndex facts = b.group("fact", NeuronClass::Fact);
  const GroupIndex layer = b.group("layer", NeuronClass::WeightedRule);
  std::vector<NeuronId> inputs;
  for (int i = 0; i < 40; ++i) inputs.push_back(b.fact(facts, Shape::column(2), {i / 3.0, 1}));
  for (std::uint32_t s = 0; s < 40; ++s) {
    const NeuronId x =
        b.neuron(layer, function(Combination::Sum, Transformation::Tanh),
                 {inputs[s * 7 % 40], inputs[s * 11 % 40]}, {w, s % 2 == 0 ? rows : kNoWeight});
    if (s % 3 == 0) {
      b.sample(x, "sample " + std::to_string(s));
    } else {
      b.sample(x, Shape::column(2), {0.5, static_cast<double>(s)}, "s" + std::to_string(s));
    }
  }
  NeuronGraph graph = b.build();
  graph.producer = "a test";
  graph.samples[3].split = Split::Validation;
  graph.samples[4].role = Role::Negative;
  graph.samples[4].group = 7;
  graph.samples[5].weight = 0.25f;
  Vocabulary& classes = graph.vocabularies.emplace_back();
  classes.name = "class";
  classes.names.push_back("yes");
  classes.names.push_back("");
  classes.uses.push_back({VocabularyUse::Place::Outputs, {}, "", 0, 1});
  classes.uses.push_back(
      {VocabularyUse::Place::Facts, VocabularyUse::Axis::ValueRow, "", 1ull << 40, 3});
  return graph;
}

Program optimized_program(const NeuronGraph& graph) {
  Vectorized vectorized = vectorize(graph).value();
  return optimize(std::move(vectorized.program)).value();
}

std::string text_of(const Program& program) {
  PrintOptions options;
  options.long_arrays = LongArrays::Full;
  return print(program, options);
}

void expect_same_outline(const GraphOutline& outline, const NeuronGraph& graph) {
  const NeuronGraph& found = outline.graph;
  EXPECT_EQ(outline.sizes, sizes_of(graph));
  EXPECT_EQ(found.neuron_count(), 0u);
  EXPECT_EQ(found.producer, graph.producer);
  expect_same_weights(found, graph);
  expect_same_samples(found, graph);
  expect_same_vocabularies(found, graph);
}

class ProgramCaches : public ::testing::Test {
 protected:
  ProgramCaches() : graph_(make_graph()), program_(optimized_program(graph_)) {
    options_.folder = root_.path("programs");
    options_.min_seconds = 0;
    options_.warn = [this](const std::string& text) { warnings_.push_back(text); };
  }

  std::optional<std::uint64_t> store(const std::string& key = "key") {
    ProgramCache cache(options_);
    return cache.store_forward(key, graph_, sizes_of(graph_), graph_.weight_tables, program_,
                               report_);
  }
  std::optional<CachedForward> find(const std::string& key = "key") {
    ProgramCache cache(options_);
    return cache.find_forward(key);
  }
  [[nodiscard]] std::vector<std::string> entries() const {
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(options_.folder)) {
      paths.push_back(entry.path());
    }
    return paths;
  }
  static void put(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    ::chmod(path.c_str(), 0600);
  }

  NeuronGraph graph_;
  Program program_;
  VectorizeReport report_{1, 2, 3, 4};
  TemporaryFolder root_;
  ProgramCacheOptions options_;
  std::vector<std::string> warnings_;
};

TEST_F(ProgramCaches, give_back_the_program_and_the_outline) {
  EXPECT_FALSE(find());
  const auto bytes = store();
  ASSERT_TRUE(bytes);
  const auto found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bytes, *bytes);
  EXPECT_EQ(text_of(found->program), text_of(program_));
  EXPECT_EQ(fingerprint(found->program), fingerprint(program_));
  EXPECT_EQ(found->report.levels, 3u);
  EXPECT_EQ(found->report.merged_groups, 4u);
  expect_same_outline(found->outline, graph_);
  EXPECT_FALSE(find("other"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ProgramCaches, no_damaged_entry_is_used_or_left) {
  ASSERT_TRUE(store());
  ASSERT_THAT(entries(), SizeIs(1));
  const std::string path = entries().front();
  const std::string whole = read_bytes(path);
  std::vector<std::string> damaged;
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    damaged.push_back(whole);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 0x10);
    damaged.push_back(whole.substr(0, at));
  }
  for (const std::string& bytes : damaged) {
    put(path, bytes);
    warnings_.clear();
    ASSERT_FALSE(find());
    ASSERT_THAT(warnings_, ElementsAre(HasSubstr("is made again")));
    ASSERT_FALSE(fs::exists(path));
  }
  ASSERT_TRUE(store());
  EXPECT_TRUE(find()) << "made again";
}

// What has good digests, but is none of vecc's entries.
TEST_F(ProgramCaches, entries_that_make_no_sense_are_refused) {
  ASSERT_TRUE(store());
  const std::string path = entries().front();
  const auto expect_refused = [&](const std::function<void(ColumnWriter&)>& write) {
    auto writer = ColumnWriter::create(path, 1u << 30);
    ASSERT_TRUE(writer);
    write(*writer);
    ASSERT_TRUE(writer->commit("key"));
    warnings_.clear();
    EXPECT_FALSE(find());
    EXPECT_THAT(warnings_, SizeIs(1));
  };
  const std::vector<std::uint32_t> report{1, 2, 3, 4};
  const auto words = [](std::initializer_list<std::uint32_t> list) { return std::vector(list); };
  expect_refused([](ColumnWriter&) {});
  expect_refused([](ColumnWriter& w) { w.add(std::string_view("text")); });
  expect_refused([&](ColumnWriter& w) {
    w.add(std::span<const std::uint32_t>(report));
    w.add(std::span<const std::uint32_t>(words({0xFFFFFFFF, 0xFFFFFFFF})));
    w.add(std::string_view());
    w.add(SharedNumbers::of(std::vector<double>()));
    w.add(std::string_view("vecc program 1 f32 samples 0\n"));
  });
  for (const char* text :
       {"", "no program", "vecc program 1 f32 samples 40\n%0 = fact @1:9 : f32[9, 1]\n",
        "vecc program 1 f32 samples 40\n%0 = fact @99:9 : f32[9, 1]\n",
        "vecc program 1 f32 samples 40\n%0 = fact unit : f32[2, 1]\n"
        "%1 = gather %0 @0:4 : f32[4, 1]\n",
        "vecc program 1 f32 samples 0\n"}) {
    expect_refused([&](ColumnWriter& w) {
      w.add(std::span<const std::uint32_t>(report));
      write_outline(graph_, sizes_of(graph_), graph_.weight_tables, w);
      w.add(std::string_view(text));
    });
  }
}

TEST_F(ProgramCaches, shared_arrays_are_written_once_and_stay_shared) {
  std::vector<std::uint32_t> rows(1000);
  std::iota(rows.begin(), rows.end(), 0u);
  std::swap(rows[0], rows[999]);
  Program program;
  const ValueId fact = program.fact(std::vector<double>(1000, 0.5), 1000, Shape());
  const Index index = Index::list(rows);
  const ValueId once = program.gather(fact, index);
  const ValueId twice = program.gather(once, index);
  program.set_sample_count(1000);
  program.output(twice, Index::slice(0, 1000));
  ASSERT_TRUE(ProgramCache(options_).store_step("key", {program, {}, {}}));
  EXPECT_LT(fs::file_size(entries().front()), 2 * 4000 + 1000u);
  const auto found = ProgramCache(options_).find_step("key");
  ASSERT_TRUE(found);
  const auto array = [&](ValueId id) {
    return std::get<GatherOp>(found->program.op(id).attributes).index.shared_array();
  };
  EXPECT_EQ(array(once), array(twice));
  EXPECT_EQ(text_of(found->program), text_of(program));
}

TEST_F(ProgramCaches, keep_no_more_than_the_limit) {
  const auto bytes = store("first");
  ASSERT_TRUE(bytes);
  options_.max_bytes = *bytes * 5 / 2;
  const auto age = [&](const std::string& path, int hours) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  age(entries().front(), 3);
  ASSERT_TRUE(store("second"));
  EXPECT_TRUE(find("first")) << "and counts as used now";
  for (const std::string& path : entries()) age(path, 1);
  EXPECT_TRUE(find("first"));
  ASSERT_TRUE(store("third"));
  EXPECT_TRUE(find("first"));
  EXPECT_FALSE(find("second"));
  EXPECT_TRUE(find("third"));
  options_.max_bytes = *bytes / 2;
  EXPECT_FALSE(store("fourth"));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("File too large")));
}

TEST_F(ProgramCaches, steps_that_were_made_in_no_time_are_not_kept) {
  options_.min_seconds = 1;
  ProgramCache cache(options_);
  CachedSteps steps(cache, "key");
  const SavedStep step{program_, {1, 2}, {0, 0}};
  steps.keep("a", step, 0.5);
  EXPECT_FALSE(steps.find("a"));
  steps.keep("a", step, 1.5);
  const auto found = steps.find("a");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->updates, step.updates);
  EXPECT_EQ(found->updated, step.updated);
  EXPECT_FALSE(steps.find("b"));
  EXPECT_FALSE(CachedSteps(cache, "other key").find("a"));
  EXPECT_EQ(steps.found(), 1u);
}

TEST_F(ProgramCaches, a_folder_that_cannot_be_used_is_told_once_when_something_is_kept) {
  put(root_.path("file"), "");
  options_.folder = root_.path("file");
  ProgramCache cache(options_);
  EXPECT_FALSE(cache.find_forward("key"));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_FALSE(cache.store_step("key", {program_, {}, {}}));
  EXPECT_FALSE(cache.store_step("key", {program_, {}, {}}));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("is no folder")));
}

TEST_F(ProgramCaches, many_processes_store_and_find_at_once) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    bool good = true;
    for (int round = 0; round < 25; ++round) {
      good = good && store("shared").has_value();
      const auto found = find("shared");
      good = good && found && text_of(found->program) == text_of(program_);
    }
    ::_exit(good && warnings_.empty() ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_THAT(entries(), SizeIs(1));
}

TEST_F(ProgramCaches, a_process_that_is_killed_while_it_writes_leaves_no_entry) {
  const ProgramCache cache(options_);  // makes its folder
  const std::string path = options_.folder + "/0123.columns";
  const pid_t child = ::fork();
  if (child == 0) {
    auto writer = ColumnWriter::create(path, 1u << 30);
    writer->add(std::string_view("half of an entry"));
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_THAT(entries(), SizeIs(1)) << "what it was writing";
  EXPECT_FALSE(fs::exists(path));
  fs::last_write_time(entries().front(), fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(store());
  EXPECT_THAT(entries(), SizeIs(1)) << "the next one that keeps something removes it";
}

}  // namespace
}  // namespace vecc::test
