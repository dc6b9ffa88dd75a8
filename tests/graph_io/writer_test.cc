// GraphWriter: chunks, column widths, and a file that appears whole or not at all.
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/graph_io/same_graph.h"
#include "tests/graph_io/small_graphs.h"
#include "tests/graph_io/temporary_folder.h"
#include "tests/graph_io/wire_file.h"

namespace vecc::test {
namespace {

std::vector<std::string> files_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

// The whole file as one message, as any protobuf library parses it.
wire::Graph parse_whole(const std::string& path) {
  wire::Graph graph;
  EXPECT_TRUE(graph.ParseFromString(read_bytes(path)));
  return graph;
}

GraphWriter open_writer(const std::string& path) {
  Result<GraphWriter> writer = GraphWriter::create(path, Compression::None, "test");
  EXPECT_TRUE(writer);
  return std::move(*writer);
}

TEST(GraphWriter, small_files_are_one_protobuf_message) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_graph(graph_of_everything(), folder.path("g.pb"), Compression::None));
  const wire::Graph graph = parse_whole(folder.path("g.pb"));
  EXPECT_EQ(graph.magic(), 0x43434556u);
  EXPECT_EQ(graph.header().schema_version(), 2u);  // it has vocabularies
  EXPECT_EQ(graph.end().neurons(), graph_of_everything().neuron_count());
  EXPECT_EQ(graph.SerializeAsString(), read_bytes(folder.path("g.pb")));
}

TEST(GraphWriter, files_without_vocabularies_are_of_version_1) {
  const TemporaryFolder folder;
  NeuronGraph graph = graph_of_everything();
  graph.vocabularies.clear();
  ASSERT_TRUE(write_graph(graph, folder.path("g.pb"), Compression::None));
  EXPECT_EQ(parse_whole(folder.path("g.pb")).header().schema_version(), 1u);
}

TEST(GraphWriter, long_vocabularies_are_chunks) {
  const TemporaryFolder folder;
  NeuronGraph graph = graph_of_everything();
  Vocabulary& longest = graph.vocabularies.emplace_back();
  longest.name = "long";
  for (int i = 0; i < 5; ++i) {
    longest.names.push_back(std::string(std::size_t{5} << 20, static_cast<char>('a' + i)));
  }
  ASSERT_TRUE(write_graph(graph, folder.path("g.pb"), Compression::Zstd));
  const Result<NeuronGraph> read = read_graph(folder.path("g.pb"));
  ASSERT_TRUE(read) << read.error().text();
  expect_same_vocabularies(*read, graph);
  EXPECT_EQ(read->find_vocabulary("long")->names[4][0], 'e');
  EXPECT_EQ(read->find_vocabulary("none"), nullptr);
  ASSERT_NE(read->classes(), nullptr);
  EXPECT_EQ((*read->classes())[5], "f");
}

TEST(GraphWriter, values_are_float_where_exact) {
  const TemporaryFolder folder;
  GraphWriter writer = open_writer(folder.path("g.pb"));
  const double exact[] = {0.5, -3};
  const double inexact[] = {0.5, 0.1};
  const double large[] = {1e300, 1};
  writer.weight_table("exact", 0, 2, Shape(), true, exact);
  writer.weight_table("inexact", 2, 2, Shape(), true, inexact);
  writer.weight_table("large", 4, 2, Shape(), true, large);
  ASSERT_TRUE(writer.finish());
  const wire::Graph graph = parse_whole(folder.path("g.pb"));
  EXPECT_EQ(graph.weight_table(0).values_f32_size(), 2);
  EXPECT_EQ(graph.weight_table(0).values_f64_size(), 0);
  EXPECT_EQ(graph.weight_table(1).values_f64_size(), 2);
  EXPECT_EQ(graph.weight_table(1).values_f32_size(), 0);
  EXPECT_EQ(graph.weight_table(2).values_f64_size(), 2);
}

TEST(GraphWriter, ids_are_wide_where_needed) {
  const TemporaryFolder folder;
  GraphWriter writer = open_writer(folder.path("g.pb"));
  GroupChunk chunk;
  chunk.function = function(Combination::Sum);
  chunk.count = 1;
  const std::uint32_t fan_in = 1;
  chunk.fan_in = {&fan_in, 1};
  for (const std::uint64_t input : {std::uint64_t{0xFFFFFFFF}, std::uint64_t{1} << 32}) {
    chunk.inputs = {&input, 1};
    writer.group(chunk);
    ++chunk.first_id;
  }
  ASSERT_TRUE(writer.finish());
  const wire::Graph graph = parse_whole(folder.path("g.pb"));
  EXPECT_EQ(graph.group(0).inputs_size(), 1);
  EXPECT_EQ(graph.group(1).inputs64_size(), 1);
  EXPECT_TRUE(graph.group(1).continued());
}

TEST(GraphWriter, large_groups_tables_and_samples_are_chunked) {
  const TemporaryFolder folder;
  GraphWriter writer = open_writer(folder.path("g.pb"));
  constexpr std::uint32_t kMillions = 3000000;
  const std::vector<double> values(kMillions, 0.1);
  writer.weight_table("w", 0, kMillions, Shape(), true, values);
  GroupChunk facts;
  facts.fact = FactKind::Constant;
  facts.has_shape = true;
  facts.count = kMillions;
  facts.values = values;
  writer.group(facts);
  const std::vector<SampleRecord> samples(1500000);
  writer.samples(samples);
  ASSERT_TRUE(writer.finish());

  const wire::Graph graph = parse_whole(folder.path("g.pb"));
  EXPECT_GT(graph.weight_table_size(), 1);
  EXPECT_GT(graph.group_size(), 1);
  EXPECT_GT(graph.samples_size(), 1);
  for (const wire::Group& group : graph.group()) {
    EXPECT_LE(group.ByteSizeLong(), std::size_t{16} << 20);
    EXPECT_LE(group.count(), 1u << 20);
  }
  std::vector<std::uint64_t> progress;
  ImportOptions options;
  options.progress = [&](std::uint64_t bytes) { progress.push_back(bytes); };
  const Result<NeuronGraph> read = read_graph(folder.path("g.pb"), options);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_GE(progress.size(), 5u);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_LE(progress.back(), std::filesystem::file_size(folder.path("g.pb")));
  EXPECT_EQ(read->ranges.size(), 1u);
  EXPECT_EQ(read->neuron_count(), kMillions);
  EXPECT_EQ(read->weight_tables.size(), 1u);
  EXPECT_EQ(read->weight_tables[0].values.doubles(), values);
  EXPECT_EQ(read->samples.size(), samples.size());
}

TEST(GraphWriter, without_finish_nothing_is_left) {
  const TemporaryFolder folder;
  std::ofstream(folder.path("g.pb")) << "old";
  {
    GraphWriter writer = open_writer(folder.path("g.pb"));
    EXPECT_EQ(files_in(folder).size(), 2u);
  }
  EXPECT_EQ(files_in(folder), std::vector<std::string>{"g.pb"});
  EXPECT_EQ(read_bytes(folder.path("g.pb")), "old");
}

TEST(GraphWriter, finish_replaces_the_old_file) {
  const TemporaryFolder folder;
  std::ofstream(folder.path("g.pb")) << "old";
  ASSERT_TRUE(write_graph(graph_of_everything(), folder.path("g.pb"), Compression::Gzip));
  EXPECT_EQ(files_in(folder), std::vector<std::string>{"g.pb"});
  EXPECT_TRUE(read_graph(folder.path("g.pb")));
}

TEST(GraphWriter, bad_folder) {
  const Result<void> written =
      write_graph(graph_of_everything(), "/no/such/folder/g.pb", Compression::None);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().text(),
            "/no/such/folder/g.pb: error: cannot be created: No such file or directory [E051]");
}

TEST(GraphWriter, bad_output_is_directory) {
  const TemporaryFolder folder;
  const Result<void> written = write_graph(graph_of_everything(), folder.path(), Compression::None);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().text(), folder.path() + ": error: is a directory [E051]");
}

TEST(GraphWriter, bad_name_leaves_the_old_file) {
  const TemporaryFolder folder;
  std::ofstream(folder.path("g.pb")) << "old";
  {
    GraphWriter writer = open_writer(folder.path("g.pb"));
    writer.weight_table("w\xff", 0, 1, Shape(), true, {});
    const Result<void> finished = writer.finish();
    ASSERT_FALSE(finished);
    EXPECT_EQ(finished.error().text(),
              folder.path("g.pb") + ": error: a name is not UTF-8: \"w\\xff\" [E051]");
  }
  EXPECT_EQ(files_in(folder), std::vector<std::string>{"g.pb"});
  EXPECT_EQ(read_bytes(folder.path("g.pb")), "old");
}

// A limit on the size of files fails as a full disk does. Exits with 0 if all is as it should be.
[[noreturn]] void write_beyond_limit(const TemporaryFolder& folder) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{100, 100};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(9);
  const Result<void> written =
      write_graph(graph_of_everything(), folder.path("g.pb"), Compression::None);
  const std::string expected =
      folder.path("g.pb") + ": error: cannot be written: File too large [E051]";
  std::_Exit(!written && written.error().text() == expected && files_in(folder).empty() ? 0 : 1);
}

TEST(GraphWriter, bad_full_disk) {
  const TemporaryFolder folder;
  EXPECT_EXIT(write_beyond_limit(folder), ::testing::ExitedWithCode(0), "");
}

TEST(GraphWriter, output_is_the_same_every_time) {
  const TemporaryFolder folder;
  for (const Compression c : {Compression::None, Compression::Gzip, Compression::Zstd}) {
    ASSERT_TRUE(write_graph(graph_of_everything(), folder.path("a"), c));
    ASSERT_TRUE(write_graph(graph_of_everything(), folder.path("b"), c));
    EXPECT_EQ(read_bytes(folder.path("a")), read_bytes(folder.path("b")));
  }
}

// `kilobytes` of them, four each.
NeuronGraph graph_of_facts(std::uint32_t kilobytes) {
  GraphBuilder builder;
  const GroupIndex group = builder.group("f", NeuronClass::Fact);
  std::uint32_t state = 1;
  for (std::uint32_t i = 0; i < kilobytes; i += 4) {
    std::vector<double> values(1024);
    for (double& value : values) value = ((state = state * 1664525u + 1013904223u) >> 18) % 500;
    builder.fact(group, Shape::column(1024), std::move(values));
  }
  return builder.build();
}

std::string bytes_of(const NeuronGraph& graph, const Encoding& encoding) {
  const TemporaryFolder folder;
  const Result<void> written = write_graph(graph, folder.path("g"), encoding);
  EXPECT_TRUE(written) << written.error().text();
  const Result<NeuronGraph> read = read_graph(folder.path("g"));
  EXPECT_TRUE(read) << read.error().text();
  if (read) expect_same_graph(*read, graph);
  return read_bytes(folder.path("g"));
}

TEST(GraphWriter, levels_of_compression) {
  const NeuronGraph graph = graph_of_facts(500);
  for (const auto& [format, most] : {std::pair{Compression::Gzip, 9u}, {Compression::Zstd, 19u}}) {
    Encoding encoding(format);
    const std::string standard = bytes_of(graph, encoding);
    encoding.level = format == Compression::Gzip ? 6 : 9;
    EXPECT_EQ(bytes_of(graph, encoding), standard);
    encoding.level = 1;
    const std::string fast = bytes_of(graph, encoding);
    encoding.level = most;
    const std::string small = bytes_of(graph, encoding);
    EXPECT_LT(small.size(), fast.size());
    EXPECT_NE(fast, standard);
  }
}

TEST(GraphWriter, the_highest_level_can_be_read) {
  Encoding encoding(Compression::Zstd);
  encoding.level = 22;
  bytes_of(graph_of_everything(), encoding);
}

TEST(GraphWriter, bytes_do_not_depend_on_threads) {
  const NeuronGraph small = graph_of_facts(100);   // one job of zstd
  const NeuronGraph large = graph_of_facts(5000);  // of level 1 three
  for (const NeuronGraph* const graph : {&small, &large}) {
    Encoding encoding(Compression::Zstd);
    encoding.level = 1;
    const std::string expected = bytes_of(*graph, encoding);
    for (const std::uint32_t threads : {2u, 3u, 8u, 0u, 4096u}) {
      encoding.threads = threads;
      EXPECT_EQ(bytes_of(*graph, encoding), expected) << threads << " threads";
    }
  }
}

TEST(GraphWriter, bad_level) {
  const TemporaryFolder folder;
  const auto text_of = [&](Compression compression, std::uint32_t level) {
    Encoding encoding(compression);
    encoding.level = level;
    const Result<void> written = write_graph(graph_of_everything(), folder.path("g"), encoding);
    EXPECT_TRUE(files_in(folder).empty());
    return written ? "" : written.error().text().substr(folder.path("g").size());
  };
  EXPECT_EQ(text_of(Compression::Gzip, 10),
            ": error: compression level 10: gzip has levels 1 to 9 [E050]");
  EXPECT_EQ(text_of(Compression::Zstd, 23),
            ": error: compression level 23: zstd has levels 1 to 22 [E050]");
  EXPECT_EQ(text_of(Compression::None, 1),
            ": error: compression level 1: the output is not compressed; gzip has levels 1 to 9, "
            "zstd 1 to 22 [E050]");
}

}  // namespace
}  // namespace vecc::test
