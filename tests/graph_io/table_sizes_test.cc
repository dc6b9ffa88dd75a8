// How large weight tables are, known before they are read: room is made once.
#include "src/graph_io/table_sizes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/graph_io/small_graphs.h"
#include "tests/graph_io/temporary_folder.h"
#include "tests/support/graph_builder.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

constexpr std::uint32_t kRows = 1'000'003;

graph_io::TableSizes sizes_of(const std::string& path) {
  return graph_io::find_table_sizes(path, ImportLimits().max_input_bytes);
}

// With two tables of several chunks, of floats and of doubles.
NeuronGraph graph_of_tables() {
  NeuronGraph graph = graph_of_everything();
  for (const double value : {0.5, 0.1}) {
    WeightTable table;
    table.name = value == 0.5 ? "singles" : std::string(300, 'd');
    table.shape = Shape(5, 1);
    table.first = static_cast<WeightId>(graph.weight_count());
    table.count = kRows;
    table.has_values = true;
    table.values = SharedNumbers::repeated(5 * std::size_t{kRows}, value);
    graph.table_of_weight.resize(graph.table_of_weight.size() + kRows,
                                 static_cast<std::uint32_t>(graph.weight_tables.size()));
    graph.weight_tables.push_back(std::move(table));
  }
  return graph;
}

TEST(TableSizes, AreThoseOfTheGraph) {
  const TemporaryFolder folder;
  const std::string path = folder.path("g.pb");
  const NeuronGraph graph = graph_of_tables();
  ASSERT_TRUE(write_graph(graph, path, Compression::None));
  const graph_io::TableSizes sizes = sizes_of(path);
  const Result<NeuronGraph> read = read_graph(path);
  ASSERT_TRUE(read) << read.error().text();
  for (std::size_t t = 0; t < graph.weight_tables.size(); ++t) {
    const WeightTable& table = graph.weight_tables[t];
    const auto found = sizes.tables.find(table.name);
    EXPECT_EQ(found == sizes.tables.end() ? 0 : found->second, table.values.size()) << table.name;
    EXPECT_EQ(read->weight_tables[t].values, table.values) << table.name;
  }
  EXPECT_GT(sizes.facts, 0u);
  EXPECT_EQ(sizes.facts, read->values.size());
}

TEST(TableSizes, OfFactsAreThoseOfAllChunks) {
  const TemporaryFolder folder;
  const std::string path = folder.path("g.pb");
  GraphBuilder b;
  const GroupIndex wide = b.group("features", NeuronClass::Fact);
  const GroupIndex others = b.group("others", NeuronClass::Fact);
  NeuronId last = 0;
  for (int i = 0; i < 3000; ++i) {
    last = b.fact(wide, Shape::column(1000), std::vector<double>(1000, i % 2 == 0 ? 0.1 : 0.5));
    b.fact(others, 0.25);
  }
  b.sample(last);
  ASSERT_TRUE(write_graph(b.build(), path, Compression::None));
  EXPECT_EQ(sizes_of(path).facts, 3'003'000u);
  EXPECT_EQ(read_graph(path)->values.size(), 3'003'000u);
}

// A look ahead that finds nothing, or too little, changes nothing.
TEST(TableSizes, AreUnknownOfWhatIsNoPlainFile) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_graph(graph_of_everything(), folder.path("g.gz"), Compression::Gzip));
  EXPECT_EQ(sizes_of(folder.path("g.gz")), graph_io::TableSizes());
  EXPECT_EQ(sizes_of(folder.path()), graph_io::TableSizes());
  EXPECT_EQ(sizes_of(folder.path("none")), graph_io::TableSizes());
}

TEST(TableSizes, OfACutFileAreNoMoreThanItHas) {
  const TemporaryFolder folder;
  const std::string path = folder.path("g.pb");
  ASSERT_TRUE(write_graph(graph_of_everything(), path, Compression::None));
  for (std::uint64_t size = std::filesystem::file_size(path); size > 0; --size) {
    std::filesystem::resize_file(path, size - 1);
    const graph_io::TableSizes sizes = sizes_of(path);
    std::uint64_t numbers = sizes.facts;
    for (const auto& [name, count] : sizes.tables) numbers += count;
    ASSERT_LE(numbers, size / 4) << size;
    ASSERT_FALSE(read_graph(path)) << size;
  }
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

// A chunk that claims 12 GB of numbers in a file of holes: no room is made for it.
TEST(TableSizes, AreNotWhatARefusedFieldClaims) {
  const TemporaryFolder folder;
  const std::string path = folder.path("g.pb");
  ASSERT_TRUE(write_graph(graph_of_everything(), path, Compression::None));
  const graph_io::TableSizes expected = sizes_of(path);
  const std::uint64_t whole = std::filesystem::file_size(path);
  constexpr std::uint64_t kClaimed = std::uint64_t{12} << 30;
  const std::string table = "\x0a\x01t" + std::string("\x3a") + varint(kClaimed);
  std::ofstream(path, std::ios::binary | std::ios::app)
      << '\x1a' << varint(table.size() + kClaimed) << table;
  std::filesystem::resize_file(path, whole + kClaimed + 64);
  EXPECT_EQ(sizes_of(path), expected);
  EXPECT_EQ(graph_io::find_table_sizes(path, kClaimed), graph_io::TableSizes());
  const Result<NeuronGraph> read = read_graph(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().list().front().code, ErrorCode::MalformedField);
}

}  // namespace
}  // namespace vecc::test
