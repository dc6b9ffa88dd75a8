// Batches have none of the samples without a target; full batches have them with weights of 0.
#include "src/train/draw_samples.h"

#include <algorithm>
#include <set>

#include "tests/train/fanout_check.h"
#include "vecc/graph_io.h"
#include "vecc/step_inputs.h"

namespace vecc::test {
namespace {

using Samples = std::vector<std::uint32_t>;

// One in four of the molecules, and the first two, have a target.
NeuronGraph partly_labelled() {
  NeuronGraph graph = value_of(
      read_graph(std::string(std::getenv("VECC_SOURCE_DIR")) + "/datasets/mutagenesis.pb"));
  graph.samples.resize(61);
  for (std::uint32_t s = 2; s < graph.samples.size(); ++s) {
    if (s % 4 != 0) graph.samples[s].has_target = false;
  }
  return graph;
}

Samples labelled(const NeuronGraph& graph) {
  Samples samples = all_samples(graph);
  std::erase_if(samples, [&](std::uint32_t s) { return !graph.samples[s].has_target; });
  return samples;
}

Program program_of(const NeuronGraph& graph) {
  VectorizeOptions in_double;
  in_double.dtype = DType::F64;
  return value_of(optimize(value_of(vectorize(graph, in_double)).program));
}

struct PartlyLabelled {
  NeuronGraph graph = partly_labelled();
  Program program = program_of(graph);

  [[nodiscard]] std::unique_ptr<Trainer> trainer(const Backend& backend,
                                                 const TrainOptions& options,
                                                 const Samples& samples) const {
    ExecutionOptions execution;
    execution.device = device_of(backend);
    return value_of(make_trainer(graph, program, backend, execution, options, samples));
  }
};

std::string bytes_of(Trainer& trainer) {
  return value_of(safetensors_bytes(value_of(trainer.save())));
}

void expect_same_steps(Trainer& found, Trainer& expected, int steps) {
  EXPECT_EQ(found.batch_count(), expected.batch_count());
  for (int step = 0; step < steps; ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    expect_ok(found.step());
    expect_ok(expected.step());
    ASSERT_EQ(bytes_of(found), bytes_of(expected));
    EXPECT_EQ(value_of(found.epoch_loss()), value_of(expected.epoch_loss()));
  }
}

TEST(SamplesToDraw, have_a_target_where_there_are_batches) {
  const NeuronGraph graph = partly_labelled();
  const Program program = program_of(graph);
  const Samples all = all_samples(graph);
  const auto drawn = [&](const TrainOptions& options, const Program& of) {
    return training::samples_to_draw(graph, of, options, all);
  };
  EXPECT_EQ(drawn(batches_of(1), program), labelled(graph));
  EXPECT_EQ(drawn(batches_of(60), program), labelled(graph));
  const Samples turned(all.rbegin(), all.rend());
  Samples expected = labelled(graph);
  std::ranges::reverse(expected);
  EXPECT_EQ(training::samples_to_draw(graph, program, batches_of(7), turned), expected);

  EXPECT_EQ(drawn(batches_of(0), program), all);
  EXPECT_EQ(drawn(batches_of(61), program), all);
  EXPECT_EQ(drawn(with_members(batches_of(0), {}), program), labelled(graph));
  TrainOptions of_pairs = batches_of(7);
  of_pairs.loss.loss = Loss::MarginRanking;
  EXPECT_EQ(drawn(of_pairs, program), all);
}

TEST(SamplesToDraw, are_all_where_a_program_has_statistics) {
  const NeuronGraph graph = partly_labelled();
  const Samples all = all_samples(graph);
  Program of_step = program_of(graph);
  (void)value_of(of_step.add_parameter(
      {std::string(kStepSamples), of_step.sample_count(), Shape::scalar(), nullptr}));
  EXPECT_EQ(training::samples_to_draw(graph, of_step, batches_of(7), all), all);
  Program of_all(DType::F64);
  const ValueId mean = add_weight(of_all, "running_mean", 1, Shape::scalar(), {0});
  const ValueId one = add_weight(of_all, "mean", 1, Shape::scalar(), {1});
  (void)value_of(of_all.add(UpdateOp{}, {mean, one}));
  EXPECT_EQ(training::samples_to_draw(graph, of_all, batches_of(7), all), all);
}

// Each once an epoch, and the next epoch's in another order.
TEST(SamplesToDraw, are_shuffled_by_seed_and_epoch) {
  const NeuronGraph graph = partly_labelled();
  const Samples all = labelled(graph);
  TrainOptions options;
  options.seed = 11;
  std::set<Samples> orders;
  for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
    Samples order = all;
    training::shuffle_samples(graph, options, epoch, order);
    orders.insert(order);
    std::ranges::sort(order);
    EXPECT_EQ(order, all);
  }
  EXPECT_EQ(orders.size(), 5u);
}

// Samples 0 .. 59 in groups of three, of which every other one has positives alone; 60 is of none.
NeuronGraph in_groups() {
  NeuronGraph graph = partly_labelled();
  for (std::uint32_t s = 0; s < 60; ++s) {
    graph.samples[s].group = s / 3;
    graph.samples[s].role = s % 3 == 0 && s / 3 % 2 == 0 ? Role::Negative : Role::Positive;
  }
  return graph;
}

TrainOptions pairs_in_batches(std::uint32_t size) {
  TrainOptions options = batches_of(size, Optimizer::Sgd);
  options.loss.loss = Loss::MarginRanking;
  return options;
}

TEST(SamplesToDraw, of_a_group_stay_together_where_pairs_are_the_loss) {
  const NeuronGraph graph = in_groups();
  std::set<Samples> orders;
  for (std::uint64_t epoch = 0; epoch < 5; ++epoch) {
    Samples order = all_samples(graph);
    training::shuffle_samples(graph, pairs_in_batches(6), epoch, order);
    orders.insert(order);
    std::uint32_t changes = 0;
    for (std::size_t i = 1; i < order.size(); ++i) {
      changes += graph.samples[order[i - 1]].group == graph.samples[order[i]].group ? 0 : 1;
    }
    EXPECT_EQ(changes, 20u);
    std::ranges::sort(order);
    EXPECT_EQ(order, all_samples(graph));
  }
  EXPECT_EQ(orders.size(), 5u);
}

std::vector<std::vector<double>> weights_of(Trainer& trainer, NeuronGraph graph) {
  expect_ok(trainer.copy_weights_to(graph));
  std::vector<std::vector<double>> weights;
  for (const WeightTable& table : graph.weight_tables) weights.push_back(table.values.doubles());
  return weights;
}

TEST(SamplesToDraw, of_batches_without_a_pair_have_no_gradient) {
  PartlyLabelled model;
  model.graph = in_groups();
  TrainOptions options = pairs_in_batches(3);
  options.shuffle = false;
  const Samples both{3, 4, 5, 0, 1, 2};  // the first three are all positives
  const Samples pairs{0, 1, 2};
  on_each_backend([&](const Backend& backend) {
    const auto of_both = model.trainer(backend, options, both);
    const auto of_pairs = model.trainer(backend, options, pairs);
    const auto begin = weights_of(*of_both, model.graph);
    expect_ok(of_both->step());
    EXPECT_EQ(weights_of(*of_both, model.graph), begin);
    expect_ok(of_both->step());
    expect_ok(of_pairs->step());
    const auto found = weights_of(*of_both, model.graph);
    const auto expected = weights_of(*of_pairs, model.graph);
    for (std::size_t t = 0; t < found.size(); ++t) {
      for (std::size_t i = 0; i < found[t].size(); ++i) {
        EXPECT_NEAR(found[t][i], expected[t][i], 1e-12) << t << ", " << i;
      }
    }
    EXPECT_NE(found, begin);
  });
}

TEST(SamplesToDraw, that_make_no_pair_are_refused) {
  PartlyLabelled model;
  model.graph = in_groups();
  const auto refused = [&](const TrainOptions& options, Samples samples) {
    return training::check_pairs(model.graph, options, samples).error().text();
  };
  EXPECT_EQ(refused(pairs_in_batches(1), {0, 1, 2}),
            "--batch-size: error: margin_ranking: pairs are of samples of one batch: found 1, "
            "expected 2 or more [E050]");
  EXPECT_EQ(refused(pairs_in_batches(2), {3, 4, 5, 6, 60}),
            "training: error: no pair of a positive and a negative sample in one group [E050]");
  EXPECT_TRUE(training::check_pairs(model.graph, pairs_in_batches(2), Samples{3, 6, 7}));
}

// Bit by bit, by every way to run a batch; an epoch has as many steps as those take.
TEST(SamplesToDraw, are_trained_on_as_if_there_were_no_others) {
  const PartlyLabelled model;
  const Samples own = labelled(model.graph);
  ASSERT_EQ(own.size(), 17u);
  on_each_backend([&](const Backend& backend) {
    for (const std::uint32_t size : {1u, 5u, 16u}) {
      SCOPED_TRACE(size);
      for (const Optimizer by : {Optimizer::Adam, Optimizer::LazyAdam}) {
        TrainOptions options = batches_of(size, by);
        options.shuffle = size != 1;
        const auto found = model.trainer(backend, options, all_samples(model.graph));
        EXPECT_EQ(found->batch_count(), (own.size() + size - 1) / size);
        const auto expected = model.trainer(backend, options, own);
        expect_same_steps(*found, *expected, 9);
      }
    }
  });
}

TEST(SamplesToDraw, are_those_of_masked_and_restricted_batches) {
  const PartlyLabelled model;
  TrainOptions masked = batches_of(5);
  masked.batch_way = BatchWay::Mask;
  TrainOptions restricted = batches_of(5);
  restricted.restricts_batches = true;
  const Backend& cpu = *find_backend("cpu");
  for (const TrainOptions& options : {masked, restricted}) {
    const auto found = model.trainer(cpu, options, all_samples(model.graph));
    const auto expected = model.trainer(cpu, options, labelled(model.graph));
    EXPECT_EQ(value_of(found->batch_report()).way, options.restricts_batches ? "restrict" : "mask");
    expect_same_steps(*found, *expected, 6);
  }
}

// Where a batch has room for all that have a target, it is one as any other, in the way that was
// asked for, and as a full batch of these.
TEST(SamplesToDraw, may_be_one_batch) {
  const PartlyLabelled model;
  const Backend& cpu = *find_backend("cpu");
  for (const BatchWay way : {BatchWay::Bind, BatchWay::Mask}) {
    SCOPED_TRACE(text_of(way));
    TrainOptions options = batches_of(40);
    options.batch_way = way;
    const auto found = model.trainer(cpu, options, all_samples(model.graph));
    const auto expected = model.trainer(cpu, batches_of(0), labelled(model.graph));
    const BatchReport report = value_of(found->batch_report());
    EXPECT_EQ(report.way, text_of(way));
    EXPECT_EQ(report.samples, 17u);
    EXPECT_EQ(report.left_out, 44u);
    EXPECT_EQ(found->batch_count(), 1u);
    for (int step = 0; step < 5; ++step) {
      expect_ok(found->step());
      expect_ok(expected->step());
      EXPECT_NEAR(value_of(found->epoch_loss()), value_of(expected->epoch_loss()), 1e-12);
    }
  }
}

// Where a batch has room for all samples, it is a full one, which has all of them.
TEST(SamplesToDraw, are_all_of_a_full_batch) {
  const PartlyLabelled model;
  on_each_backend([&](const Backend& backend) {
    const auto found = model.trainer(backend, batches_of(61), all_samples(model.graph));
    const auto expected = model.trainer(backend, batches_of(0), all_samples(model.graph));
    EXPECT_EQ(value_of(found->batch_report()).left_out, 0u);
    expect_same_steps(*found, *expected, 5);
  });
}

// The mean error of an epoch is that of the samples with a target, each once.
TEST(SamplesToDraw, have_the_mean_error_of_those_with_a_target) {
  const PartlyLabelled model;
  on_each_backend([&](const Backend& backend) {
    TrainOptions still = batches_of(5);
    still.schedule.base = 0;
    const auto trainer = model.trainer(backend, still, all_samples(model.graph));
    expect_ok(trainer->steps(trainer->batch_count()));
    expect_mean_error(*trainer, model.graph, model.program, backend, still.loss);
    const BatchReport report = value_of(trainer->batch_report());
    EXPECT_EQ(report.samples, 5u);
    EXPECT_EQ(report.drawn_of, 17u);
    EXPECT_EQ(report.left_out, 44u);
  });
}

TEST(SamplesToDraw, go_on_bit_for_bit_within_an_epoch) {
  const PartlyLabelled model;
  on_each_backend([&](const Backend& backend) {
    const auto whole = model.trainer(backend, batches_of(5), all_samples(model.graph));
    expect_ok(whole->steps(10));
    const auto first = model.trainer(backend, batches_of(5), all_samples(model.graph));
    expect_ok(first->steps(6));
    ASSERT_EQ(first->position().batch, 2u);
    const auto second = model.trainer(backend, batches_of(5), all_samples(model.graph));
    expect_ok(second->restore(value_of(first->save())));
    expect_ok(second->steps(4));
    EXPECT_EQ(bytes_of(*second), bytes_of(*whole));
  });
}

// With drawn members a batch may have all samples: those with a target.
TEST(SamplesToDraw, are_those_of_steps_with_drawn_members) {
  const NeuronGraph graph = partly_labelled();
  const SampledGraph sampled = value_of(sample_members(graph, {{2, 1}, false}));
  ASSERT_FALSE(sampled.members.ranges.empty());
  const Program program = program_of(sampled.graph);
  const Backend& cpu = *find_backend("cpu");
  for (const std::uint32_t size : {0u, 5u}) {
    SCOPED_TRACE(size);
    const TrainOptions options = with_members(batches_of(size), sampled.members);
    const auto start = [&](const Samples& samples) {
      return value_of(make_trainer(sampled.graph, program, cpu, {}, options, samples));
    };
    const auto found = start(all_samples(graph));
    EXPECT_EQ(value_of(found->batch_report()).drawn_of, 17u);
    expect_same_steps(*found, *start(labelled(graph)), 5);
  }
}

TEST(SamplesToDraw, are_refused_where_none_has_a_target) {
  NeuronGraph graph = partly_labelled();
  for (Sample& sample : graph.samples) sample.has_target = false;
  const Program program = program_of(graph);
  for (const std::uint32_t size : {0u, 5u}) {
    const auto made = make_trainer(graph, program, *find_backend("cpu"), {}, batches_of(size),
                                   all_samples(graph));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().list().front().message,
              "none of the 61 samples to train on has a target");
  }
}

}  // namespace
}  // namespace vecc::test
