// Sampled members of Programs that were made directly from arrays: a step is that of the Program
// which has only the drawn members.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "src/train/draw_members.h"
#include "src/train/step_reads.h"
#include "tests/train/direct_network.h"
#include "tests/train/fanout_check.h"

namespace vecc::test {
namespace {

using By = DirectNetwork::By;

constexpr By kAll[] = {By::Mean,  By::Sum,       By::Max,       By::ElMax,
                       By::ElMin, By::Deviation, By::Attention, By::UnsortedAttention};

// What draws as the segments of `layer`, counted from the inputs: each list once.
DirectNetwork drawn_of(const DirectNetwork& network, const Fanout& fanout, std::uint64_t seed,
                       std::uint64_t run) {
  DirectNetwork drawn = network;
  std::uint32_t owner = 0;
  std::vector<std::uint32_t> places;
  for (std::uint32_t layer = 0; layer < network.layers(); ++layer) {
    const std::size_t level = network.layers() - layer;
    const std::uint32_t k = fanout.members[std::min(level, fanout.members.size()) - 1];
    for (DirectNetwork::Members& of : drawn.lists(layer)) {
      if (network.leaves_out_empty() && of.sources.empty()) continue;
      const auto n = static_cast<std::uint32_t>(of.sources.size());
      training::draw_members(seed, run, owner++, n, k, places);
      EXPECT_EQ(places.size(), std::min(n, k));
      std::vector<std::uint32_t> chosen;
      for (const std::uint32_t place : places) chosen.push_back(of.sources[place]);
      of.sources = std::move(chosen);
      if (fanout.scales_sums && n > k) of.factor = static_cast<double>(n) / k;
    }
  }
  return drawn;
}

// The deviation of one member is 0 but for rounding, which Adam would make steps of.
TrainOptions options_of(By by, std::uint32_t size) {
  return batches_of(size, by == By::Deviation ? Optimizer::Sgd : Optimizer::Adam);
}

Trained start(const DirectNetwork& network, Program program, const Backend& backend,
              const TrainOptions& options, std::uint32_t threads = 0) {
  return {network.graph(), value_of(optimize(std::move(program))), backend, options, threads};
}

void expect_steps_of_drawn_programs(const DirectNetwork& network, const Fanout& fanout,
                                    const TrainOptions& options, const Backend& backend,
                                    std::uint64_t steps = 5) {
  SampledProgram sampled = value_of(sample_members(network.program(), fanout));
  ASSERT_TRUE(sampled.members.segments);
  EXPECT_GT(sampled.members.aggregations, 0u);
  const Trained found = start(network, std::move(sampled.program), backend,
                              with_members(options, std::move(sampled.members)));
  TrainOptions restricted = options;
  restricted.restricts_batches = true;
  restricted.batch_way = BatchWay::Choose;
  for (std::uint64_t run = 1; run <= steps; ++run) {
    SCOPED_TRACE("run " + std::to_string(run));
    const DirectNetwork drawn = drawn_of(network, fanout, options.seed, run);
    const Trained expected(network.graph(), drawn.program(), *find_backend("interpreter"),
                           restricted);
    expect_ok(expected.trainer->restore(value_of(found.trainer->save())));
    expect_ok(found.trainer->step());
    expect_ok(expected.trainer->step());
    expect_near(found.numbers(), expected.numbers(), 1e-11);
    expect_near({value_of(found.trainer->epoch_loss())}, {value_of(expected.trainer->epoch_loss())},
                1e-11);
  }
}

TEST(Fanout, a_step_of_a_direct_program_has_the_drawn_members) {
  on_each_backend([](const Backend& backend) {
    for (const By by : kAll) {
      for (const bool weighs_after : {false, true}) {
        for (const std::uint32_t size : {0u, 7u}) {
          SCOPED_TRACE(std::to_string(static_cast<int>(by)) + ", batches of " +
                       std::to_string(size) + (weighs_after ? ", weights behind" : ""));
          DirectNetwork network(by, 2);
          network.set_weighs_after(weighs_after);
          expect_steps_of_drawn_programs(network, {{3, 2}, false}, options_of(by, size), backend);
        }
      }
    }
  });
}

bool has_gpu() {
  const char* const device = std::getenv("VECC_TEST_DEVICE");
  return device != nullptr && std::string_view(device).starts_with("cuda");
}

// Trainings on a GPU, by where batches are made.
struct BothSides {
  Trained on_host;
  Trained on_device;
};
BothSides start_on_both_sides(const DirectNetwork& network, SampledProgram sampled,
                              const TrainOptions& options) {
  const Backend& cuda = *find_backend("cuda");
  TrainOptions by_host = with_members(options, sampled.members);
  by_host.batch_side = BatchSide::Host;
  TrainOptions by_device = by_host;
  by_device.batch_side = BatchSide::Device;
  return {start(network, sampled.program, cuda, by_host),
          start(network, std::move(sampled.program), cuda, by_device)};
}

void expect_same_steps(const Trained& on_host, const Trained& on_device, int steps) {
  for (int step = 0; step < steps; ++step) {
    expect_ok(on_host.trainer->step());
    expect_ok(on_device.trainer->step());
    ASSERT_EQ(on_device.numbers(), on_host.numbers()) << step;
  }
}

// Members that are drawn on a GPU are those that the host draws: the same steps bit by bit.
TEST(Fanout, members_of_a_direct_program_may_be_drawn_on_the_device) {
  if (!has_gpu()) GTEST_SKIP() << "VECC_TEST_DEVICE names no GPU";
  for (const By by : kAll) {
    for (const bool scales : {false, true}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(by)) + (scales ? ", scaled" : ""));
      const DirectNetwork network(by, 2);
      SampledProgram sampled = value_of(sample_members(network.program(), {{3, 2}, scales}));
      const auto [on_host, on_device] =
          start_on_both_sides(network, std::move(sampled), options_of(by, 2));
      expect_same_steps(on_host, on_device, 8);
      if (HasFatalFailure()) return;
      EXPECT_EQ(on_host.trainer->batch_counts().on_device, 0u);
      // (Attention over these nodes is run with a mask.)
      const bool is_masked = by == By::Attention || by == By::UnsortedAttention;
      EXPECT_EQ(on_host.trainer->batch_counts().on_host, is_masked ? 0u : 8u);
      EXPECT_EQ(on_device.trainer->batch_counts().on_device, is_masked ? 0u : 7u);
      if (is_masked) continue;
      const BatchReport expected = value_of(on_host.trainer->batch_report());
      EXPECT_EQ(value_of(on_device.trainer->batch_report()).bytes.arrays, expected.bytes.arrays);
    }
  }
}

// The same of more members than a warp has threads, which draw at once.
TEST(Fanout, many_members_of_a_direct_program_may_be_drawn_on_the_device) {
  if (!has_gpu()) GTEST_SKIP() << "VECC_TEST_DEVICE names no GPU";
  DirectNetwork network(By::Mean, 2);
  for (const std::uint32_t layer : {0u, 1u}) {
    for (std::uint32_t node = 5; node < 30; node += 3) {
      std::vector<std::uint32_t>& sources = network.lists(layer)[node].sources;
      for (std::uint32_t s = 0; s < 40 + 9 * node; ++s) sources.push_back((7 * s + node) % 30);
    }
  }
  for (const std::uint32_t limit : {8u, 9u, 16u, 17u, 31u, 33u, 70u, 128u}) {
    SCOPED_TRACE(limit);
    SampledProgram sampled = value_of(sample_members(network.program(), {{limit, 64}, false}));
    const auto [on_host, on_device] =
        start_on_both_sides(network, std::move(sampled), options_of(By::Mean, 3));
    expect_same_steps(on_host, on_device, 6);
    if (HasFatalFailure()) return;
    EXPECT_EQ(on_device.trainer->batch_counts().on_device, 5u);
  }
}

// Then nothing goes back through the layer at the inputs.
TEST(Fanout, features_of_a_direct_program_may_be_facts) {
  for (const By by : kAll) {
    for (const std::uint32_t layers : {1u, 2u}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(by)) + ", layers: " + std::to_string(layers));
      DirectNetwork network(by, layers);
      network.set_weighs_after(true);
      network.fix_features();
      expect_steps_of_drawn_programs(network, {{3, 2}, false}, options_of(by, 7),
                                     *find_backend("cpu"));
    }
  }
}

TEST(Fanout, sums_of_a_direct_program_stay_unbiased_where_asked) {
  for (const By by : {By::Sum, By::Mean, By::Attention}) {  // of which only sums are scaled
    DirectNetwork network(by, 2);
    network.set_scales(by == By::Sum);
    expect_steps_of_drawn_programs(network, {{3, 2}, true}, batches_of(7), *find_backend("cpu"));
  }
}

// Next to the outputs each segment draws min(k, members); the mean and the mean of squares of one
// list draw the same.
TEST(Fanout, segments_of_a_direct_program_draw_as_many_as_their_level_says) {
  const DirectNetwork network(By::Deviation, 2);
  SampledProgram sampled = value_of(sample_members(network.program(), {{3, 2}, false}));
  sampled.members.seed = 4;
  const SampledSegments& segments = *sampled.members.segments;
  ASSERT_EQ(segments.aggregations.size(), 4u);
  const NeuronGraph graph = network.graph();
  const auto reads = training::StepReads::make(graph, &sampled.members);
  for (std::uint64_t run = 1; run < 20; ++run) {
    reads->find(all_samples(graph), run);
    Batch::Weights weights;
    reads->write_weights(weights);
    EXPECT_TRUE(std::ranges::is_sorted(weights.rows));
    std::vector<std::vector<std::uint32_t>> drawn;  // by aggregation: rows of its operand
    for (const SampledSegments::Aggregation& of : segments.aggregations) {
      const Op& op = segments.program.op(of.op);
      const auto offsets = std::get<SegmentOp>(op.attributes).segments.offsets();
      std::vector<std::uint32_t> rows;
      std::vector<std::uint32_t> counts(op.rows, 0);
      for (const std::uint32_t row : weights.rows) {
        if (row < of.first_row || row - of.first_row >= offsets.back()) continue;
        rows.push_back(row - of.first_row);
        const auto behind = std::ranges::upper_bound(offsets, rows.back());
        ++counts[static_cast<std::size_t>(behind - offsets.begin()) - 1];
      }
      for (std::uint32_t s = 0; s < op.rows && of.limit == 3; ++s) {
        EXPECT_EQ(counts[s], std::min(3u, offsets[s + 1] - offsets[s]));
      }
      for (const std::uint32_t count : counts) EXPECT_LE(count, of.limit);
      drawn.push_back(std::move(rows));
    }
    EXPECT_EQ(drawn[0], drawn[1]);
    EXPECT_EQ(drawn[2], drawn[3]);
    EXPECT_NE(drawn[0], drawn[2]);
  }
}

// With all members nothing is sampled: steps are those of the whole Program bit for bit.
TEST(Fanout, of_a_direct_program_with_all_members_nothing_changes) {
  for (const By by : kAll) {
    const DirectNetwork network(by, 2);
    const SampledProgram sampled = value_of(sample_members(network.program(), {{7}, false}));
    EXPECT_FALSE(sampled.members.segments);
    EXPECT_EQ(sampled.members.aggregations, 0u);
    EXPECT_EQ(sampled.program.ops().size(), network.program().ops().size());
    const SampledProgram last = value_of(sample_members(network.program(), {{7, 6}, false}));
    ASSERT_TRUE(last.members.segments);  // the layer at the inputs
    for (const auto& aggregation : last.members.segments->aggregations) {
      EXPECT_EQ(aggregation.limit, 6u);
    }
  }
}

// Of segments that do not exceed the limit all members are read: the same to rounding.
TEST(Fanout, of_a_direct_program_a_step_that_draws_all_is_the_whole_one) {
  for (const By by : kAll) {
    SCOPED_TRACE(static_cast<int>(by));
    const DirectNetwork network(by, 2);
    TrainOptions options = batches_of(7);
    options.shuffle = false;
    SampledProgram sampled = value_of(sample_members(network.program(), {{6}, false}));
    ASSERT_TRUE(sampled.members.segments);
    const Trained found = start(network, std::move(sampled.program), *find_backend("cpu"),
                                with_members(options, std::move(sampled.members)));
    // Of 7 nodes, sources of which are among them, none has 7 members.
    expect_ok(found.trainer->step());
    for (const BatchWay way : {BatchWay::Bind, BatchWay::Mask}) {
      SCOPED_TRACE(text_of(way));
      options.batch_way = way;
      const Trained whole = start(network, network.program(), *find_backend("cpu"), options);
      expect_ok(whole.trainer->step());
      expect_near(found.numbers(), whole.numbers(), 1e-12);
    }
  }
}

TEST(Fanout, of_a_direct_program_threads_and_a_resume_change_no_bit) {
  for (const By by : {By::Mean, By::ElMax, By::Attention}) {
    const DirectNetwork network(by, 2);
    const SampledProgram sampled = value_of(sample_members(network.program(), {{3, 2}, false}));
    const TrainOptions options = with_members(batches_of(7), sampled.members);
    const auto begin = [&](std::uint32_t threads) {
      return start(network, sampled.program, *find_backend("cpu"), options, threads);
    };
    const Trained one = begin(1);
    const Trained four = begin(4);
    for (int step = 0; step < 7; ++step) expect_ok(one.trainer->step());
    const Trained resumed = begin(2);
    expect_ok(resumed.trainer->restore(value_of(one.trainer->save())));
    for (int step = 0; step < 6; ++step) {
      expect_ok(one.trainer->step());
      expect_ok(resumed.trainer->step());
    }
    for (int step = 0; step < 13; ++step) expect_ok(four.trainer->step());
    EXPECT_EQ(one.numbers(), four.numbers());
    EXPECT_EQ(one.numbers(), resumed.numbers());
  }
}

// A step on a graph a hundred times the size binds as many rows.
TEST(Fanout, memory_of_a_step_of_a_direct_program_is_that_of_the_drawn_members) {
  for (const By by : {By::Mean, By::ElMax, By::Attention}) {
    const auto bytes_on = [&](std::uint32_t nodes) {
      DirectNetwork network(by, 2, nodes);
      network.fix_features();
      SampledProgram sampled = value_of(sample_members(network.program(), {{3, 2}, false}));
      const Trained trained = start(network, std::move(sampled.program), *find_backend("cpu"),
                                    with_members(batches_of(8), std::move(sampled.members)), 1);
      std::uint64_t most = 0;
      for (int step = 0; step < 5; ++step) {
        const BatchReport report = value_of(trained.trainer->batch_report());
        EXPECT_EQ(report.way, "bind");
        most = std::max(most, report.bytes.values);
        expect_ok(trained.trainer->step());
      }
      return most;
    };
    const std::uint64_t small = bytes_on(300);
    EXPECT_GT(small, 8 * 3 * sizeof(double));
    EXPECT_LE(bytes_on(30'000), 2 * small);
  }
}

// Members that were not drawn are infinite where a maximum reads them: they are not named.
TEST(Fanout, of_a_direct_program_what_is_not_finite_is_found) {
  const DirectNetwork network(By::ElMax, 2);
  SampledProgram sampled = value_of(sample_members(network.program(), {{3, 2}, false}));
  NeuronGraph graph = network.graph();
  graph.target_values.front() = 1e200;  // whose error is infinite
  const TrainOptions options = with_members(batches_of(0), std::move(sampled.members));
  const Trained trained(std::move(graph), std::move(sampled.program), *find_backend("interpreter"),
                        options);
  const WeightFile good = value_of(trained.trainer->save());
  expect_ok(trained.trainer->step());
  const auto found = value_of(trained.trainer->find_non_finite(good));
  ASSERT_TRUE(found);
  EXPECT_NE(found->op.find("loss: errors"), std::string::npos) << found->op;
}

TEST(Fanout, what_of_a_direct_program_cannot_be_sampled_is_refused) {
  Program product(DType::F64);
  const ValueId x = product.fact({1, 2, 3}, 3, Shape::scalar(), "x");
  const ValueId of =
      product.segment(x, Segments::ragged({0, 3}), Combination::ElProduct, "the product");
  product.output(of, Index::slice(0, 1));
  product.set_sample_count(1);
  const auto refused = sample_members(product, {{2}, false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(),
            "--fanout=2: error: %1 \"the product\" is an aggregation of up to 3 members at level "
            "1, by elproduct, and only sums, means, max, min, softmax and sparsemax can be "
            "sampled: give that level all [E050]")
      << refused.error().text();
  EXPECT_TRUE(sample_members(product, {{3}, false}));

  Program named(DType::F64);
  const ValueId own = add_weight(named, std::string(kFanoutTable), 3, Shape::scalar(), {1, 2, 3});
  named.output(named.segment(own, Segments::ragged({0, 3}), Combination::Sum), Index::slice(0, 1));
  named.set_sample_count(1);
  EXPECT_FALSE(sample_members(named, {{2}, false}));
}

// A count reads no member.
TEST(Fanout, counts_of_a_direct_program_stay_whole) {
  Program program(DType::F64);
  const ValueId x = program.fact({1, 2, 3}, 3, Shape::scalar());
  program.output(program.segment(x, Segments::ragged({0, 3}), Combination::Count),
                 Index::slice(0, 1));
  program.set_sample_count(1);
  EXPECT_FALSE(value_of(sample_members(program, {{2}, false})).members.segments);
}

}  // namespace
}  // namespace vecc::test
