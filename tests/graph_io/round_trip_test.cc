// What is written is what is read.
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "tests/graph_io/same_graph.h"
#include "tests/graph_io/small_graphs.h"
#include "tests/graph_io/temporary_folder.h"
#include "vecc/graph_io.h"

#ifdef VECC_RAPIDCHECK
#include <rapidcheck/gtest.h>
#endif

namespace vecc::test {
namespace {

NeuronGraph through_file(const NeuronGraph& graph, Compression compression,
                         std::uint32_t times = 1) {
  const TemporaryFolder folder;
  const Result<void> written = write_graph(graph, folder.path("g.pb"), compression, times);
  if (!written) ADD_FAILURE() << written.error().text();
  Result<NeuronGraph> read = read_graph(folder.path("g.pb"));
  if (!read) {
    ADD_FAILURE() << read.error().text();
    return {};
  }
  return std::move(*read);
}

TEST(RoundTrip, everything) {
  const NeuronGraph graph = graph_of_everything();
  for (const Compression c : {Compression::None, Compression::Gzip, Compression::Zstd}) {
    expect_same_graph(graph, through_file(graph, c));
  }
}

TEST(RoundTrip, empty_graph) {
  expect_same_graph(GraphBuilder().build(),
                    through_file(GraphBuilder().build(), Compression::None));
}

TEST(RoundTrip, compressed_files_have_their_magic) {
  const TemporaryFolder folder;
  const NeuronGraph graph = graph_of_everything();
  ASSERT_TRUE(write_graph(graph, folder.path("plain"), Compression::None));
  ASSERT_TRUE(write_graph(graph, folder.path("gz"), Compression::Gzip));
  ASSERT_TRUE(write_graph(graph, folder.path("zst"), Compression::Zstd));
  EXPECT_TRUE(read_bytes(folder.path("plain")).starts_with("\x0dVECC"));
  EXPECT_TRUE(read_bytes(folder.path("gz")).starts_with("\x1f\x8b"));
  EXPECT_TRUE(read_bytes(folder.path("zst")).starts_with("\x28\xb5\x2f\xfd"));
}

TEST(RoundTrip, concatenated_members_are_one_file) {
  const TemporaryFolder folder;
  const NeuronGraph graph = graph_of_everything();
  ASSERT_TRUE(write_graph(graph, folder.path("plain"), Compression::None));
  const std::string bytes = read_bytes(folder.path("plain"));
  // Each half compressed for itself by the system's tools would do; gzopen appends a member.
  for (const auto& [begin, count] :
       {std::pair<std::size_t, std::size_t>{0, 50}, {50, std::string::npos}}) {
    const gzFile file = gzopen(folder.path("two.gz").c_str(), "ab");
    const std::string part = bytes.substr(begin, count);
    ASSERT_EQ(gzwrite(file, part.data(), static_cast<unsigned>(part.size())),
              static_cast<int>(part.size()));
    ASSERT_EQ(gzclose(file), Z_OK);
  }
  const Result<NeuronGraph> read = read_graph(folder.path("two.gz"));
  ASSERT_TRUE(read) << read.error().text();
  expect_same_graph(graph, *read);
}

TEST(RoundTrip, memory_and_file_agree) {
  const TemporaryFolder folder;
  const NeuronGraph graph = graph_of_everything();
  ASSERT_TRUE(write_graph(graph, folder.path("g.pb"), Compression::Zstd));
  const Result<NeuronGraph> read = read_graph_bytes(read_bytes(folder.path("g.pb")), "memory");
  ASSERT_TRUE(read) << read.error().text();
  expect_same_graph(graph, *read);
}

TEST(RoundTrip, wide_ids_and_forward_references) {
  const TemporaryFolder folder;
  const std::uint64_t far = std::uint64_t{1} << 40;
  Result<GraphWriter> writer = GraphWriter::create(folder.path("g.pb"), Compression::None, "test");
  ASSERT_TRUE(writer);
  GroupChunk sum;
  sum.group_id = 7;
  sum.function = function(Combination::Sum);
  sum.first_id = far + 5;
  sum.count = 2;
  const std::uint32_t fan_in[] = {1, 2};
  const std::uint64_t inputs[] = {far, far + 5, far + 1};
  sum.fan_in = fan_in;
  sum.inputs = inputs;
  writer->group(sum);
  GroupChunk facts;
  facts.group_id = std::uint64_t{1} << 63;
  facts.fact = FactKind::Unit;
  facts.first_id = far;
  facts.count = 2;
  writer->group(facts);
  const SampleRecord sample{.id = {}, .output = far + 6, .target_shape = {}, .target = {}};
  writer->samples({&sample, 1});
  const Result<void> finished = writer->finish();
  ASSERT_TRUE(finished) << finished.error().text();

  const Result<NeuronGraph> read = read_graph(folder.path("g.pb"));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->inputs, (std::vector<NeuronId>{2, 0, 3}));
  EXPECT_EQ(read->samples.at(0).output, 1u);
  EXPECT_EQ(read->file_id(1), far + 6);
  EXPECT_EQ(read->groups.at(1).file_id, std::uint64_t{1} << 63);
  expect_same_graph(*read, through_file(*read, Compression::None));
}

TEST(RoundTrip, copies_share_weights_only) {
  const NeuronGraph graph = graph_of_everything();
  const NeuronGraph copies = through_file(graph, Compression::Zstd, 3);
  EXPECT_EQ(copies.neuron_count(), 3 * graph.neuron_count());
  EXPECT_EQ(copies.edge_count(), 3 * graph.edge_count());
  EXPECT_EQ(copies.ranges.size(), graph.ranges.size());
  expect_same_weights(copies, graph);
  ASSERT_EQ(copies.samples.size(), 6u);
  EXPECT_EQ(copies.sample_ids[1], "t\"");
  EXPECT_EQ(copies.sample_ids[3], "t\"#1");
  EXPECT_EQ(copies.sample_ids[4], "without target#2");
  EXPECT_EQ(copies.samples[5].group, 2 * 5 + 4u);

  for (std::uint32_t r = 0; r < graph.ranges.size(); ++r) {
    const NeuronRange& range = graph.ranges[r];
    for (std::uint32_t copy = 0; copy < 3; ++copy) {
      for (std::uint32_t i = 0; i < range.count; ++i) {
        const NeuronId from = range.first + i;
        const NeuronId to = 3 * range.first + copy * range.count + i;
        ASSERT_EQ(copies.range_of(to), r);
        const std::uint64_t begin = graph.input_begin[from];
        const std::uint64_t fan_in = graph.input_begin[from + 1] - begin;
        ASSERT_EQ(copies.input_begin[to + 1] - copies.input_begin[to], fan_in);
        for (std::uint64_t e = 0; e < fan_in; ++e) {
          const NeuronRange& source = graph.ranges[graph.range_of(graph.inputs[begin + e])];
          EXPECT_EQ(
              copies.inputs[copies.input_begin[to] + e],
              3 * source.first + copy * source.count + graph.inputs[begin + e] - source.first);
        }
      }
    }
  }
}

#ifdef VECC_RAPIDCHECK
// A random graph, legal for the importer: shapes need not fit.
NeuronGraph random_columns() {
  const auto below = [](std::uint32_t bound) { return *rc::gen::inRange<std::uint32_t>(0, bound); };
  const auto text = [] { return *rc::gen::container<std::string>(rc::gen::inRange('\0', '\x7f')); };
  GraphBuilder b;
  const std::uint32_t tables = 1 + below(3);
  std::uint32_t weights = 0;
  for (std::uint32_t t = 0; t < tables; ++t) {
    const std::uint32_t count = 1 + below(3);
    const bool values = below(3) > 0;
    std::vector<double> numbers;
    for (std::uint32_t i = 0; values && i < count; ++i) numbers.push_back(below(9) * 0.1);
    b.weight_table(std::to_string(t) + text(), count, Shape(), numbers, !values || below(2) == 0);
    weights += count;
  }
  const std::uint32_t groups = 1 + below(4);
  for (std::uint32_t g = 0; g < groups; ++g) {
    b.group(text(), static_cast<NeuronClass>(below(8)), text());
    b.unit_fact(g);  // so that groups are numbered in order of arrival
  }
  const std::uint32_t neurons = below(30);
  for (std::uint32_t n = 0; n < neurons; ++n) {
    const std::uint32_t group = below(groups);
    const std::uint32_t kind = below(6);
    if (kind == 0) {
      b.fact(group, Shape::row(2), {below(5) * 0.25, below(5) * 0.1});
    } else if (kind == 1) {
      b.learnable_fact(group, below(weights));
    } else {
      GraphBuilder::Inputs inputs(below(4));
      for (NeuronId& input : inputs) input = below(b.neuron_count());
      GraphBuilder::Weights chosen(kind == 2 ? inputs.size() : 0);
      for (WeightId& weight : chosen) weight = below(3) == 0 ? kNoWeight : below(weights);
      const auto transformation = below(2) == 0 ? Transformation::AtIndex : Transformation::Relu;
      std::vector<std::uint32_t> words;
      if (transformation == Transformation::AtIndex) words.push_back(below(10));
      b.neuron(group, function(Combination::Sum, transformation), inputs, chosen,
               below(2) == 0 ? kNoWeight : below(weights), words, Shape(1, 1 + below(2)));
    }
    if (below(5) == 0) b.name(b.neuron_count() - 1, "n" + text());
    if (below(3) == 0) b.sample(b.neuron_count() - 1);
  }
  return b.build();
}

RC_GTEST_PROP(RoundTrip, random_graphs, ()) {
  const NeuronGraph graph = random_columns();
  expect_same_graph(graph,
                    through_file(graph, *rc::gen::element(Compression::None, Compression::Gzip,
                                                          Compression::Zstd)));
  RC_ASSERT(!::testing::Test::HasFailure());
}
#endif

}  // namespace
}  // namespace vecc::test
