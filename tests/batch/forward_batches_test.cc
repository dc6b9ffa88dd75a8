// Outputs batch by batch are those of a run of all samples, on a CPU bit by bit, in the
// memory of a batch.
#include "vecc/forward_batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "tests/batch/tested_backend.h"
#include "tests/support/random_graph.h"
#include "vecc/graph_io.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using Outputs = std::vector<Executable::Output>;

Outputs whole_outputs(const Program& program) {
  const auto whole = value_of(tested_backend().compile(program, tested_options()));
  if (const auto ran = whole->run(); !ran) throw std::runtime_error(ran.error().text());
  return value_of(whole->outputs());
}

ForwardBatches batches_of(const Program& program, std::uint32_t size) {
  return value_of(
      ForwardBatches::compile(program, tested_backend(), tested_options(), {.batch_size = size}));
}

// On a GPU to rounding: how many threads share a sum is chosen by what share of all a batch has.
void expect_equal(double found, double expected) {
  if (is_cuda() && std::isfinite(expected)) {
    EXPECT_NEAR(found, expected, 1e-12 * std::max(1.0, std::abs(expected)));
  } else {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(expected));
  }
}

void expect_equal(const Outputs& found, const Outputs& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t s = 0; s < found.size(); ++s) {
    SCOPED_TRACE("sample " + std::to_string(s));
    ASSERT_EQ(found[s].shape, expected[s].shape);
    ASSERT_EQ(found[s].value.size(), expected[s].value.size());
    for (std::size_t i = 0; i < found[s].value.size(); ++i) {
      expect_equal(found[s].value[i], expected[s].value[i]);
    }
  }
}

// Twice: what a run leaves in memory does not matter to the next.
void expect_outputs_of_batches(const Program& program, std::initializer_list<std::uint32_t> sizes) {
  const Outputs expected = whole_outputs(program);
  for (const std::uint32_t size : sizes) {
    SCOPED_TRACE("batches of " + std::to_string(size));
    ForwardBatches batches = batches_of(program, size);
    EXPECT_EQ(batches.batch_count(), (program.sample_count() + size - 1) / size);
    for (int run = 0; run < 2; ++run) expect_equal(value_of(batches.outputs()), expected);
  }
}

TEST(ForwardBatches, have_the_outputs_of_shipped_graphs) {
  std::vector<const char*> names{"mutagenesis.pb", "attention.pb"};
  if (!is_emulated()) {
    names.insert(names.end(), {"functions-aggregations.pb", "functions-combinations.pb",
                               "functions-transformations.pb", "molecule.pb", "xor.pb"});
  }
  for (const char* name : names) {
    const NeuronGraph graph = value_of(read_graph(shipped(name)));
    for (const bool optimizes : {true, false}) {
      if (is_emulated() && !optimizes) continue;
      SCOPED_TRACE(std::string(name) + (optimizes ? "" : " -O0"));
      is_emulated() ? expect_outputs_of_batches(program_of(graph, optimizes), {40})
                    : expect_outputs_of_batches(program_of(graph, optimizes), {1, 7, 32, 1000});
    }
  }
}

// Of every neuron, those of recursive blocks too: samples share what they read.
TEST(ForwardBatches, have_the_outputs_of_random_graphs) {
  std::vector<std::uint64_t> seeds(is_emulated()                         ? 2
                                   : std::getenv("VECC_FULL") != nullptr ? 60
                                                                         : 5);
  std::iota(seeds.begin(), seeds.end(), 0u);
  for (const std::uint64_t seed : seeds) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomGraphOptions options = random_options(seed);
    const Program all = program_of(with_all_samples(random_graph(options)), seed % 2 == 0);
    is_emulated() ? expect_outputs_of_batches(all, {20})
                  : expect_outputs_of_batches(all, {1, 5, 10'000});
    expect_outputs_of_batches(program_of(random_graph(options).graph, seed % 2 == 1), {1, 4});
  }
}

TEST(ForwardBatches, have_samples_in_any_order_and_twice) {
  const Program program = program_of(value_of(read_graph(shipped("mutagenesis.pb"))));
  const Outputs all = whole_outputs(program);
  ExecutionOptions options = tested_options();
  BatchOptions batches;
  batches.computes_outputs = true;
  batches.mixes_samples = true;
  options.batch = std::make_shared<const BatchOptions>(batches);
  const auto executable = value_of(tested_backend().compile(program, options));
  std::unique_ptr<BoundBatch> bound;
  for (const std::vector<std::uint32_t>& samples :
       {std::vector<std::uint32_t>{5, 0, 5, 17, 16, 15}, {}, {program.sample_count() - 1}}) {
    Outputs expected;
    for (const std::uint32_t s : samples) expected.push_back(all[s]);
    ASSERT_TRUE(executable->bind_batch({{}, {}, samples}, bound));
    ASSERT_TRUE(executable->start_batch(*bound));
    expect_equal(value_of(executable->outputs()), expected);
    std::vector<double> elements;
    for (const Executable::Output& output : expected) {
      elements.insert(elements.end(), output.value.begin(), output.value.end());
    }
    std::vector<double> copied(elements.size());
    ASSERT_TRUE(executable->copy_outputs(std::span(copied)));
    EXPECT_EQ(copied, elements);
  }
}

// 0 is computed, to its sign, and so is what is no number.
TEST(ForwardBatches, have_the_sign_of_a_zero_and_no_numbers) {
  const Program program =
      value_of(parse_program("vecc program 1 f64 samples 3\n"
                             "parameter \"w\" [3, 1] = {-2, inf, 3}\n"
                             "%0 = weight \"w\" : f64[3, 1]\n"
                             "%1 = map elproduct(0, $0) %0 : f64[3, 1]\n"
                             "%2 = output %1 [0:3] : f64[3, 1]\n",
                             "p"));
  const Outputs expected = whole_outputs(program);
  ASSERT_TRUE(std::signbit(expected[0].value[0]));
  ASSERT_TRUE(std::isnan(expected[1].value[0]));
  expect_outputs_of_batches(program, {1, 2});
}

TEST(ForwardBatches, what_cannot_be_is_refused) {
  const Program program = program_of(value_of(read_graph(shipped("xor.pb"))));
  const auto refusal = [](const Program& of, const char* backend) {
    const auto made = ForwardBatches::compile(of, *find_backend(backend), {}, {.batch_size = 2});
    return made ? std::string() : made.error().text();
  };
  EXPECT_NE(refusal(program, "interpreter").find("interpreter runs all samples at once"),
            std::string::npos);
  const Program updates =
      value_of(parse_program("vecc program 1 f64 samples 1\n"
                             "parameter \"w\" [1, 1] = {2}\n"
                             "%0 = weight \"w\" : f64[1, 1]\n"
                             "%1 = map sum($0, 1) %0 : f64[1, 1]\n"
                             "%2 = update %0, %1 : f64[1, 1]\n"
                             "%3 = output %1 [0:1] : f64[1, 1]\n",
                             "p"));
  EXPECT_NE(refusal(updates, "cpu").find("updates parameters"), std::string::npos);
  ForwardBatches batches = batches_of(program, 2);
  EXPECT_FALSE(batches.executable().run());
  EXPECT_FALSE(batches.executable().outputs());  // of no batch yet
  std::unique_ptr<BoundBatch> bound;
  EXPECT_FALSE(batches.executable().bind_batch({{}, {}, {program.sample_count()}}, bound));
}

// Samples read one of half as many rows, and compute a few values of it.
std::string forward_of(std::uint32_t samples) {
  const std::uint32_t rows = samples / 2;
  const auto listed = [](std::uint32_t count, auto&& number) {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) {
      text += (i == 0 ? "" : ", ") + std::to_string(number(i));
    }
    return text;
  };
  const std::string n = std::to_string(samples);
  const std::string r = std::to_string(rows);
  const std::string of_samples = " : f64[" + n + ", 1]\n";
  return "vecc program 1 f64 samples " + n + "\nparameter \"w\" [1, 1] = {0.001}\n" +
         "%0 = weight \"w\" : f64[1, 1]\n%1 = fact {" +
         listed(rows, [](std::uint32_t i) { return i + 1; }) + "} : f64[" + r + ", 1]\n" +
         "%2 = linear %0 lift(repeat " + r + "), %1 : f64[" + r + ", 1]\n" +
         "%3 = transform %2 tanh : f64[" + r + ", 1]\n%4 = gather %3 [" +
         listed(samples, [&](std::uint32_t s) { return s * 7 % rows; }) + "]" + of_samples +
         "%5 = transform %4 exp" + of_samples + "%6 = output %5 [0:" + n + "]" + of_samples;
}

TEST(ForwardBatches, take_the_memory_of_a_batch) {
  const Program small = value_of(parse_program(forward_of(2'000), "p"));
  const Program large = value_of(parse_program(forward_of(200'000), "p"));
  ForwardBatches of_small = batches_of(small, 32);
  ForwardBatches of_large = batches_of(large, 32);
  const BatchBytes small_bytes = value_of(of_small.first_bytes());
  const BatchBytes large_bytes = value_of(of_large.first_bytes());
  EXPECT_GE(small_bytes.values, 32 * sizeof(double));
  EXPECT_EQ(large_bytes.values, small_bytes.values);
  EXPECT_LE(large_bytes.arrays, 3 * small_bytes.arrays);  // 32 bits, not 16
  EXPECT_GT(value_of(batches_of(small, 64).first_bytes()).values, small_bytes.values);
}

// What all batches write is a few megabytes, one of them some pages.
TEST(ForwardBatches, give_pages_back) {
  if (is_cuda()) GTEST_SKIP() << "the values of all samples have memory there";
  constexpr std::uint64_t kKept = 1 << 18;
  const Program program = value_of(parse_program(forward_of(400'000), "p"));
  ForwardBatches::Options options{.batch_size = 1'000};
  options.batch.kept_bytes = kKept;
  ForwardBatches batches =
      value_of(ForwardBatches::compile(program, tested_backend(), tested_options(), options));
  const std::uint64_t before = batches.bytes();
  Batch batch;
  std::unique_ptr<BoundBatch> bound;
  std::uint64_t most = 0;
  for (std::uint32_t first = 0; first < 400'000; first += 10'000) {
    batch.samples = {first, first + 1, first + 2};
    ASSERT_TRUE(batches.executable().bind_batch(batch, bound));
    ASSERT_TRUE(batches.executable().start_batch(*bound));
    most = std::max(most, batches.bytes() - before);
  }
  EXPECT_LE(most, kKept);
  EXPECT_GT(most, 0u);
  expect_equal(value_of(batches.outputs()), whole_outputs(program));
}

}  // namespace
}  // namespace vecc::test
