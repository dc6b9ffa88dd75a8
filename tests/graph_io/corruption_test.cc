// Damage to a valid file: always an error, never a crash. Under sanitizers also: no access out of
// bounds.
#include <filesystem>
#include <fstream>

#include "tests/graph_io/same_graph.h"
#include "tests/graph_io/small_graphs.h"
#include "tests/graph_io/temporary_folder.h"
#include "tests/graph_io/wire_file.h"

namespace vecc::test {
namespace {

std::string valid_bytes(Compression compression) {
  const TemporaryFolder folder;
  EXPECT_TRUE(write_graph(graph_of_everything(), folder.path("g.pb"), compression));
  std::ifstream file(folder.path("g.pb"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Corruption : public ::testing::TestWithParam<Compression> {};

TEST_P(Corruption, every_truncation_is_an_error) {
  const std::string bytes = valid_bytes(GetParam());
  ASSERT_TRUE(read_graph_bytes(bytes, "whole"));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Result<NeuronGraph> graph = read_graph_bytes(bytes.substr(0, size), "cut");
    ASSERT_FALSE(graph) << size;
    EXPECT_EQ(graph.error().exit_code(), ExitCode::BadInput) << size;
    // Cut inside the magic of gzip or zstd, a file is of no known kind.
    const ErrorCode code = graph.error().list().front().code;
    EXPECT_TRUE(code == ErrorCode::FileTruncated || code == ErrorCode::FileEmpty ||
                (code == ErrorCode::WrongMagic && size < 4))
        << size << ": " << graph.error().text();
  }
}

// A compressed file has some bits that say nothing about the content (gzip's time stamp): then the
// graph is as it was.
TEST_P(Corruption, every_flipped_bit_is_an_error_or_means_nothing) {
  const std::string bytes = valid_bytes(GetParam());
  const NeuronGraph original = graph_of_everything();
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const Result<NeuronGraph> graph = read_graph_bytes(damaged, "damaged");
      if (!graph) continue;
      ++accepted;
      expect_same_graph(*graph, original);
    }
  }
  EXPECT_LE(accepted, GetParam() == Compression::None ? 0 : bytes.size() / 2);
}

INSTANTIATE_TEST_SUITE_P(, Corruption,
                         ::testing::Values(Compression::None, Compression::Gzip,
                                           Compression::Zstd));

// Flips under a right CRC-32 reach the checks of the content.
TEST(CorruptContent, flipped_bits_do_no_harm) {
  const WireFile file;
  const std::string body = file.body();
  for (std::size_t at = 0; at < body.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = body;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      const Result<NeuronGraph> graph = read_graph_bytes(file.finish(damaged), "damaged");
      if (!graph) {
        EXPECT_FALSE(graph.error().list().empty());
        continue;
      }
      // Accepted: then the graph is one.
      for (const NeuronId input : graph->inputs) ASSERT_LT(input, graph->neuron_count());
      for (const WeightId weight : graph->weights) {
        ASSERT_TRUE(weight == kNoWeight || weight < graph->weight_count());
      }
      ASSERT_EQ(graph->input_begin.back(), graph->edge_count());
    }
  }
}

}  // namespace
}  // namespace vecc::test
