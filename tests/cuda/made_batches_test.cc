// Batches that are made on a GPU (or the host's emulation of one): byte by byte what the host
// makes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>

#include "backends/cuda/batch_maker.h"
#include "backends/cuda/cuda_backend.h"
#include "tests/cuda/compiled_batches.h"
#include "tests/support/graph_builder.h"
#include "tests/support/random_graph.h"

namespace vecc::test {
namespace {

class MadeBatches : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto gpu = cuda_backend().available(kTestedGpu); !gpu) {
      GTEST_SKIP() << gpu.error().list().front().message;
    }
  }
};

// What batches had that were compared.
struct Compared {
  std::uint64_t images = 0;
  std::uint64_t zeros = 0;
  std::uint64_t types = 0;  // tiles
  std::uint64_t whole = 0;
  std::uint64_t unstored = 0;
  std::uint32_t most_rows = 0;  // of a launch
};

void note(const BatchRows& rows, Compared& to) {
  ++to.images;
  to.zeros += rows.zeros.size();
  to.unstored += rows.unstored.size();
  for (const BatchRows::Tile& tile : rows.tiles) to.types += tile.type > 0 ? 1 : 0;
  for (const BatchRows::Run& run : rows.runs) {
    to.whole += run.is_whole ? 1 : 0;
    to.most_rows = std::max(to.most_rows, run.rows);
  }
}

// Where they differ first; kNone: nowhere.
std::size_t find_difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  const auto [x, y] = std::ranges::mismatch(a, b);
  return x == a.end() && y == b.end() ? kNone : static_cast<std::size_t>(x - a.begin());
}

// Both memories have an image: that of the host, then that of the device, of the same batch.
void compare_images(const CompiledBatches& compiled, const Batch& batch, Compared& compared) {
  cuda::BatchRunner& runner = compiled.runner();
  std::unique_ptr<BoundBatch> on_host;
  std::unique_ptr<BoundBatch> on_device;
  ASSERT_TRUE(runner.bind_batch(batch, on_host, /*on_host=*/true));
  ASSERT_TRUE(runner.bind_batch(batch, on_device));
  ASSERT_TRUE(runner.find(*on_host)->has_rows());
  if (runner.find(*on_device)->has_rows()) return;  // has no jobs
  note(runner.find(*on_host)->rows(), compared);
  std::vector<std::byte> images[2];
  std::uint64_t bytes = 0;
  for (std::vector<std::byte>& image : images) {
    ASSERT_TRUE(compiled.executable->start_batch(*on_host));
    bytes = runner.last_image().writes;
    image = runner.read_image(bytes);
  }
  for (const std::vector<std::byte>& expected : images) {
    ASSERT_TRUE(compiled.executable->start_batch(*on_device));
    EXPECT_EQ(find_difference(runner.read_image(bytes), expected), kNone);
  }
}

CompiledBatches compile_searched(const NeuronGraph& graph, bool optimizes, DType dtype,
                                 std::uint64_t image_bytes = BatchOptions().image_bytes) {
  return compile_batches(graph, optimizes, dtype, image_bytes, 0, 0, /*searches=*/true);
}

void compare_batches(const NeuronGraph& graph, bool optimizes, std::uint32_t seed, bool searches,
                     Compared& compared) {
  std::mt19937 random(seed);
  const DType dtype = seed % 2 == 0 ? DType::F32 : DType::F64;
  const CompiledBatches compiled = searches ? compile_searched(graph, optimizes, dtype)
                                            : compile_batches(graph, optimizes, dtype);
  if (!compiled.executable) return;
  const std::uint64_t samples = compiled.made.rows.size();
  for (const std::uint64_t size : {samples / 5 + 1, std::uint64_t{1}, samples / 2 + 1, samples}) {
    SCOPED_TRACE(size);
    compare_images(compiled, random_batch(compiled.made, size, random), compared);
    if (testing::Test::HasFailure()) return;
  }
  compare_images(compiled, random_batch(compiled.made, 0, random), compared);
}

TEST_F(MadeBatches, have_the_bytes_of_those_of_the_host) {
  Compared compared;
  std::uint32_t seed = 0;
  for (const char* name : {"mutagenesis.pb", "attention.pb", "xor.pb"}) {
    for (const bool optimizes : {true, false}) {
      for (const bool searches : {false, true}) {
        SCOPED_TRACE(std::string(name) + (optimizes ? "" : " -O0") + (searches ? " search" : ""));
        compare_batches(graph_of_file(name), optimizes, seed / 2, searches, compared);
        ++seed;
      }
    }
  }
  EXPECT_EQ(compared.images, 60u);
  EXPECT_GT(compared.whole, 0u);
}

// Messages of five relations, a matrix each, of which every sample has two; nodes are learned.
NeuronGraph relations() {
  constexpr std::uint32_t kSide = 24;
  constexpr std::uint32_t kRelations = 5;
  constexpr std::uint32_t kSamples = 40;
  std::mt19937 random(5);
  const auto numbers = [&](std::size_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = static_cast<double>(random() % 64) / 256 - 0.125;
    return values;
  };
  GraphBuilder b;
  const WeightId matrices = b.weight_table("relation", kRelations, Shape(kSide, kSide),
                                           numbers(kRelations * kSide * kSide));
  const WeightId nodes = b.weight_table("node", kSamples, Shape::column(kSide),
                                        numbers(std::size_t{kSamples} * kSide));
  const WeightId last = b.weight("last", Shape::row(kSide), numbers(kSide));
  const GroupIndex facts = b.group("node", NeuronClass::Fact);
  const GroupIndex messages = b.group("message");
  const GroupIndex sums = b.group("sum");
  const GroupIndex outputs = b.group("output");
  std::vector<NeuronId> of_nodes;
  for (std::uint32_t n = 0; n < kSamples; ++n) {
    of_nodes.push_back(b.learnable_fact(facts, nodes + n));
  }
  const NeuronFunction sum = function(Combination::Sum, Transformation::Tanh);
  for (std::uint32_t s = 0; s < kSamples; ++s) {
    std::vector<NeuronId> found;
    for (std::uint32_t m = 0; m < 12; ++m) {
      const NeuronId node = of_nodes[(s + m * m) % kSamples];
      found.push_back(b.neuron(messages, sum, {node}, {matrices + (s + m % 2) % kRelations}));
    }
    const NeuronId all = b.neuron(sums, sum, found);
    b.sample(b.neuron(outputs, sum, {all}, {last}), Shape(), {s % 2 == 0 ? 1.0 : 0.0});
  }
  return b.build();
}

TEST_F(MadeBatches, with_rows_by_types_have_the_bytes_of_those_of_the_host) {
  Compared compared;
  for (const bool optimizes : {true, false}) {
    for (const bool searches : {false, true}) {
      SCOPED_TRACE(std::string(optimizes ? "" : "-O0") + (searches ? " search" : ""));
      compare_batches(relations(), optimizes, 3, searches, compared);
    }
  }
  EXPECT_EQ(compared.images, 20u);
  EXPECT_GT(compared.types, 0u);
}

TEST_F(MadeBatches, of_random_graphs_have_the_bytes_of_those_of_the_host) {
  Compared compared;
  std::vector<std::uint64_t> seeds{1, 2, 4, 9};  // 4, 9: with updates that go nowhere
  if (std::getenv("VECC_FULL") != nullptr) {
    seeds.resize(60);
    std::iota(seeds.begin(), seeds.end(), std::uint64_t{0});
  }
  for (const std::uint64_t seed : seeds) {
    SCOPED_TRACE(seed);
    RandomGraphOptions options;
    options.seed = seed;
    for (const bool searches : {false, true}) {
      compare_batches(with_all_samples(random_graph(options)), seed % 3 != 1,
                      static_cast<std::uint32_t>(seed), searches, compared);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(compared.images, 10u);
  EXPECT_GT(compared.zeros, 0u);
  EXPECT_GT(compared.unstored, 0u);
}

// More rows and members than one block of threads lists.
NeuronGraph many_messages() {
  constexpr std::uint32_t kNodes = 997;
  constexpr std::uint32_t kSamples = 220;
  constexpr std::uint32_t kMessages = 90;
  GraphBuilder b;
  const WeightId weights = b.weight_table("message", 3, Shape(), {0.5, -0.25, 0.125});
  const WeightId nodes = b.weight_table("node", kNodes, Shape(), std::vector<double>(kNodes, 0.5));
  const GroupIndex facts = b.group("node", NeuronClass::Fact);
  const GroupIndex messages = b.group("message");
  const GroupIndex sums = b.group("sum");
  std::vector<NeuronId> of_nodes;
  for (std::uint32_t n = 0; n < kNodes; ++n) {
    of_nodes.push_back(b.learnable_fact(facts, nodes + n));
  }
  const NeuronFunction sum = function(Combination::Sum, Transformation::Tanh);
  for (std::uint32_t s = 0; s < kSamples; ++s) {
    std::vector<NeuronId> found;
    for (std::uint32_t m = 0; m < kMessages; ++m) {
      const NeuronId one = of_nodes[(s * 31 + m * m) % kNodes];
      const NeuronId other = of_nodes[(s * 7 + m * 13) % kNodes];
      found.push_back(b.neuron(messages, sum, {one, other}, {weights, weights + 1 + m % 2}));
    }
    b.sample(b.neuron(sums, sum, found), Shape(), {s % 2 == 0 ? 1.0 : 0.0});
  }
  return b.build();
}

TEST_F(MadeBatches, of_many_chunks_have_the_bytes_of_those_of_the_host) {
  Compared compared;
  for (const bool searches : {false, true}) {
    const CompiledBatches compiled = searches ? compile_searched(many_messages(), true, DType::F32)
                                              : compile_batches(many_messages(), true, DType::F32);
    std::mt19937 random(9);
    for (const std::uint64_t size : {16, 100}) {
      SCOPED_TRACE(std::to_string(size) + (searches ? " search" : ""));
      compare_images(compiled, random_batch(compiled.made, size, random), compared);
    }
  }
  EXPECT_EQ(compared.images, 4u);
  EXPECT_GT(compared.most_rows, vecc_kernel::kChunkWords * 64 / 4);
}

// Which is known from what its samples take alone, before it is made.
TEST_F(MadeBatches, that_may_not_fit_are_bound_on_the_host) {
  const CompiledBatches compiled =
      compile_batches(graph_of_file("mutagenesis.pb"), true, DType::F32, /*image_bytes=*/0);
  cuda::BatchRunner& runner = compiled.runner();
  std::mt19937 random(1);
  std::unique_ptr<BoundBatch> bound;
  const auto runs = [&](std::uint64_t size) {
    return runner.bind_batch(random_batch(compiled.made, size, random), bound) &&
           compiled.executable->start_batch(*bound);
  };
  ASSERT_TRUE(runs(1));
  std::vector<bool> on_host;
  for (const std::uint64_t size : {1, 2, 150, 2, 150, 1}) {
    ASSERT_TRUE(runs(size));
    on_host.push_back(runner.find(*bound)->has_rows());
  }
  EXPECT_EQ(on_host, (std::vector<bool>{false, false, true, false, true, false}));
  Compared compared;
  for (const std::uint64_t size : {1, 2, 1}) {
    compare_images(compiled, random_batch(compiled.made, size, random), compared);
  }
  EXPECT_EQ(compared.images, 3u);
}

// How much one that is searched takes is known when it was made: what does not fit is bound then.
TEST_F(MadeBatches, that_did_not_fit_are_bound_on_the_host) {
  const CompiledBatches compiled =
      compile_searched(graph_of_file("mutagenesis.pb"), true, DType::F32, /*image_bytes=*/0);
  cuda::BatchRunner& runner = compiled.runner();
  std::mt19937 random(1);
  std::unique_ptr<BoundBatch> bound;
  for (const std::uint64_t size : {1, 2, 150, 2, 150, 1}) {
    ASSERT_TRUE(runner.bind_batch(random_batch(compiled.made, size, random), bound));
    ASSERT_TRUE(compiled.executable->start_batch(*bound));
  }
  EXPECT_FALSE(runner.find(*bound)->has_rows());
  Compared compared;
  for (const std::uint64_t size : {1, 2, 150, 1}) {
    compare_images(compiled, random_batch(compiled.made, size, random), compared);
  }
  EXPECT_EQ(compared.images, 4u);
}

// Tables that batches are made from are no reason to run out of memory.
TEST(ChosenSide, of_batches_is_the_device_where_the_host_would_take_longer) {
  const Target& target = *find_target("h200");
  // Batches of 32: what their index arrays take.
  constexpr std::uint64_t kNci1 = 187 << 10;  // GIN
  constexpr std::uint64_t kMutagenesis = 23'600;
  constexpr std::uint64_t kProteins = 1'700;  // GCN
  constexpr std::uint64_t kMutag = 1'100;     // GCN
  BatchOptions options;
  const auto chooses_device = [&](std::uint64_t bytes, std::uint32_t threads) {
    options.binding_threads = threads;
    return cuda::makes_on_device(options, bytes, target);
  };
  for (const std::uint32_t threads : {1, 2, 4}) {
    EXPECT_TRUE(chooses_device(kNci1, threads)) << threads;
    EXPECT_FALSE(chooses_device(kMutagenesis, threads)) << threads;
    EXPECT_FALSE(chooses_device(kProteins, threads)) << threads;
    EXPECT_FALSE(chooses_device(kMutag, threads)) << threads;
  }
  EXPECT_FALSE(chooses_device(kNci1, 9));  // so many threads take less time than the device
  options.side = BatchSide::Device;
  EXPECT_TRUE(chooses_device(kMutag, 9));
  options.side = BatchSide::Host;
  EXPECT_FALSE(chooses_device(kNci1, 1));
}

TEST_F(MadeBatches, are_bound_on_the_host_where_memory_is_short) {
  if (std::getenv("VECC_CUDA_DRIVER") == nullptr) GTEST_SKIP() << "of the emulator";
  std::mt19937 random(1);
  for (const bool is_short : {false, true}) {
    const CompiledBatches compiled = compile_batches(graph_of_file("xor.pb"), true, DType::F32);
    std::unique_ptr<BoundBatch> bound;
    if (is_short) ::setenv("VECC_EMULATED_BYTES", "1000", 1);
    const auto first = compiled.runner().bind_batch(random_batch(compiled.made, 1, random), bound);
    ::unsetenv("VECC_EMULATED_BYTES");
    ASSERT_TRUE(first);
    for (const std::uint64_t size : {1, 2}) {
      ASSERT_TRUE(compiled.runner().bind_batch(random_batch(compiled.made, size, random), bound));
      EXPECT_EQ(compiled.runner().find(*bound)->has_rows(), is_short);
      EXPECT_TRUE(compiled.executable->start_batch(*bound));
    }
  }
}

}  // namespace
}  // namespace vecc::test
