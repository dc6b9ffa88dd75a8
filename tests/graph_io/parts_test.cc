// Graphs in parts: one after another they are the file that one writer makes.
#include <atomic>
#include <filesystem>
#include <numeric>

#include "src/graph_io/graph_parts.h"
#include "tests/graph_io/temporary_folder.h"
#include "tests/graph_io/wire_file.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kFacts = 40;

// Every kind of field; facts of 200 KB each, a chunk of its own each.
Result<void> write_all(GraphWriter writer) {
  std::uint32_t state = 1;
  writer.stream_weight_table(
      "w", 0, 30'000, Shape(2, 3), true,
      [&](std::span<double> values) {
        for (double& value : values) value = (state = state * 1664525u + 1013904223u) >> 20;
      },
      nullptr);
  std::vector<double> values(50'000);
  std::iota(values.begin(), values.end(), 0.0);
  GroupChunk facts;
  facts.head_predicate = "f";
  facts.fact = FactKind::Constant;
  facts.has_shape = true;
  facts.shape = Shape::column(50'000);
  facts.count = 1;
  facts.values = values;
  for (std::uint32_t i = 0; i < kFacts; ++i) {
    facts.first_id = i;
    writer.group(facts);
  }
  const std::vector<std::uint32_t> fan_in{2};
  const std::vector<std::uint64_t> inputs{0, 1};
  GroupChunk rule;
  rule.group_id = 1;
  rule.neuron_class = NeuronClass::Rule;
  rule.first_id = kFacts;
  rule.count = 1;
  rule.fan_in = fan_in;
  rule.inputs = inputs;
  writer.group(rule);
  SampleRecord sample;
  sample.id = "q";
  sample.output = kFacts;
  writer.samples(std::span(&sample, 1));
  Vocabulary names{"names", {}, {}};
  for (std::uint32_t i = 0; i < 50'000; ++i) names.names.push_back("n" + std::to_string(i));
  names.uses.push_back({VocabularyUse::Place::Facts, VocabularyUse::Axis::ValueRow, {}, 0, 1});
  writer.vocabulary(names);
  return writer.finish();
}

std::vector<std::string> paths_in(const TemporaryFolder& folder, std::size_t count) {
  std::vector<std::string> paths;
  for (std::size_t k = 0; k < count; ++k) paths.push_back(folder.path(std::to_string(k)));
  return paths;
}

graph_io::PartsOptions options_of(std::vector<std::string> paths, std::uint32_t threads,
                                  Compression compression = Compression::None) {
  graph_io::PartsOptions options;
  options.paths = std::move(paths);
  options.encoding = compression;
  options.encoding.threads = threads;
  options.producer = "test";
  options.vocabularies = true;
  return options;
}

std::vector<std::string> parts_of(std::size_t count, std::uint32_t threads,
                                  Compression compression = Compression::None) {
  const TemporaryFolder folder;
  const auto options = options_of(paths_in(folder, count), threads, compression);
  const Result<void> written = graph_io::write_graph_parts(options, write_all);
  EXPECT_TRUE(written) << written.error().text();
  std::vector<std::string> parts;
  for (const std::string& path : options.paths) parts.push_back(read_bytes(path));
  return parts;
}

std::string joined(const std::vector<std::string>& parts) {
  return std::accumulate(parts.begin(), parts.end(), std::string());
}

std::string whole(Compression compression = Compression::None) {
  const TemporaryFolder folder;
  Result<GraphWriter> writer =
      GraphWriter::create(folder.path("g"), compression, "test", /*vocabularies=*/true);
  EXPECT_TRUE(writer);
  EXPECT_TRUE(write_all(std::move(*writer)));
  return read_bytes(folder.path("g"));
}

std::size_t count_files(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()),
                                                std::filesystem::directory_iterator()));
}

TEST(GraphParts, one_after_another_they_are_the_file) {
  const std::string expected = whole();
  ASSERT_TRUE(read_graph_bytes(expected, "g"));
  for (const std::size_t count : {1, 2, 3, 7, 30}) {
    for (const std::uint32_t threads : {1u, 2u, 5u, 0u}) {
      const auto parts = parts_of(count, threads);
      EXPECT_TRUE(joined(parts) == expected) << count << " parts, " << threads << " threads";
      for (const std::string& part : parts) EXPECT_FALSE(part.empty());
    }
  }
}

TEST(GraphParts, are_of_about_the_same_size) {
  const std::size_t all = whole().size();
  for (const std::string& part : parts_of(4, 2)) {
    EXPECT_NEAR(static_cast<double>(part.size()), all / 4.0, all / 8.0);
  }
}

TEST(GraphParts, compressed_ones_unpack_to_the_file) {
  const Result<NeuronGraph> expected = read_graph_bytes(whole(), "g");
  ASSERT_TRUE(expected);
  for (const Compression compression : {Compression::Gzip, Compression::Zstd}) {
    const auto parts = parts_of(3, 1, compression);
    EXPECT_TRUE(parts_of(3, 4, compression) == parts);
    // The reader compares the checksum of all bytes.
    const Result<NeuronGraph> read = read_graph_bytes(joined(parts), "g");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->weight_tables.front().values, expected->weight_tables.front().values);
    EXPECT_EQ(read->neuron_count(), expected->neuron_count());
    EXPECT_EQ(read->vocabularies.front().names.size(), 50'000u);
  }
}

TEST(GraphParts, bad_order_of_parts) {
  auto parts = parts_of(3, 1);
  std::swap(parts[1], parts[2]);
  EXPECT_FALSE(read_graph_bytes(joined(parts), "g"));
  EXPECT_FALSE(read_graph_bytes(parts[0], "g"));
}

TEST(GraphParts, bad_more_parts_than_fields) {
  const TemporaryFolder folder;
  const auto paths = paths_in(folder, 200);
  const Result<void> written = graph_io::write_graph_parts(options_of(paths, 2), write_all);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().exit_code(), ExitCode::Usage);
  EXPECT_NE(written.error().text().find("200 parts: the graph has "), std::string::npos)
      << written.error().text();
  EXPECT_EQ(count_files(folder), 0u);
}

TEST(GraphParts, bad_output) {
  const TemporaryFolder folder;
  auto paths = paths_in(folder, 3);
  paths[1] = folder.path("none/1");
  int calls = 0;
  const auto count_calls = [&](GraphWriter writer) {
    ++calls;
    return write_all(std::move(writer));
  };
  const Result<void> written = graph_io::write_graph_parts(options_of(paths, 2), count_calls);
  ASSERT_FALSE(written);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(written.error().text(),
            paths[1] + ": error: cannot be created: No such file or directory [E051]");
  EXPECT_EQ(count_files(folder), 0u);
}

TEST(GraphParts, bad_writer) {
  const TemporaryFolder folder;
  std::atomic<int> calls = 0;
  const auto fail_later = [&](GraphWriter writer) -> Result<void> {
    const bool fails = calls.fetch_add(1) > 0;
    VECC_TRY_VOID(write_all(std::move(writer)));
    if (fails) return Errors(ErrorCode::LimitNeurons, "test", "failed");
    return {};
  };
  const Result<void> written =
      graph_io::write_graph_parts(options_of(paths_in(folder, 3), 2), fail_later);
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().text().find("failed"), std::string::npos);
  EXPECT_EQ(count_files(folder), 0u);
}

}  // namespace
}  // namespace vecc::test
