// Trainings of graphs with sampled members, and of the graphs that have the drawn ones alone.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/train/train_check.h"
#include "vecc/fanout.h"
#include "vecc/optimize.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc::test {

/// A graph with its Program, and a trainer of it.
struct Trained {
  NeuronGraph graph;
  Program program;
  std::unique_ptr<Trainer> trainer;

  Trained(NeuronGraph of, bool optimizes, const Backend& backend, const TrainOptions& options,
          std::uint32_t threads = 0)
      : graph(std::move(of)) {
    VectorizeOptions in_double;
    in_double.dtype = DType::F64;
    program = value_of(vectorize(graph, in_double)).program;
    if (optimizes) program = value_of(optimize(std::move(program)));
    start(backend, options, threads);
  }
  /// Of a Program that was made without neurons.
  Trained(NeuronGraph samples, Program made, const Backend& backend, const TrainOptions& options,
          std::uint32_t threads = 0)
      : graph(std::move(samples)), program(std::move(made)) {
    start(backend, options, threads);
  }
  Trained(const Trained&) = delete;  // the trainer refers to its graph and Program
  Trained& operator=(const Trained&) = delete;

  void start(const Backend& backend, const TrainOptions& options, std::uint32_t threads) {
    ExecutionOptions execution;
    execution.device = device_of(backend);
    execution.threads = threads;
    trainer =
        value_of(make_trainer(graph, program, backend, execution, options, all_samples(graph)));
  }
  [[nodiscard]] std::vector<double> numbers() const {
    std::vector<double> numbers;
    for (const WeightTensor& tensor : value_of(trainer->save()).tensors) {
      const std::vector<double> values = values_of(tensor);
      numbers.insert(numbers.end(), values.begin(), values.end());
    }
    return numbers;
  }
};

inline TrainOptions batches_of(std::uint32_t size, Optimizer optimizer = Optimizer::Adam) {
  TrainOptions options;
  options.batch_size = size;
  options.schedule.base = 0.01;
  options.optimizer.optimizer = optimizer;
  options.seed = 11;
  return options;
}

inline TrainOptions with_members(TrainOptions options, SampledMembers members) {
  members.seed = options.seed;
  options.members = std::make_shared<const SampledMembers>(std::move(members));
  return options;
}

/// Each step is that of network.drawn(fanout, seed, run) by the interpreter.
template <class Network>
void expect_steps_of_drawn_graphs(Network& network, const Fanout& fanout,
                                  const TrainOptions& options, const Backend& backend,
                                  std::uint64_t steps = 9) {
  SampledGraph sampled = value_of(sample_members(network.graph(), fanout));
  EXPECT_GT(sampled.members.aggregations, 0u);
  const Trained found(std::move(sampled.graph), true, backend,
                      with_members(options, std::move(sampled.members)));
  TrainOptions restricted = options;
  restricted.restricts_batches = true;
  restricted.batch_way = BatchWay::Choose;
  for (std::uint64_t run = 1; run <= steps; ++run) {
    SCOPED_TRACE("run " + std::to_string(run));
    const Trained expected(network.drawn(fanout, options.seed, run), false,
                           *find_backend("interpreter"), restricted);
    expect_ok(expected.trainer->restore(value_of(found.trainer->save())));
    expect_ok(found.trainer->step());
    expect_ok(expected.trainer->step());
    expect_near(found.numbers(), expected.numbers(), 1e-11);
    expect_near({value_of(found.trainer->epoch_loss())}, {value_of(expected.trainer->epoch_loss())},
                1e-11);
  }
}

/// One seed: the same bits for any number of threads, and from a checkpoint within an epoch.
inline void expect_bits_of_any_threads_and_of_a_resume(const NeuronGraph& graph,
                                                       const Fanout& fanout, Optimizer optimizer) {
  const SampledGraph sampled = value_of(sample_members(graph, fanout));
  const TrainOptions options = with_members(batches_of(7, optimizer), sampled.members);
  const auto start = [&](std::uint32_t threads) {
    return Trained(sampled.graph, true, *find_backend("cpu"), options, threads);
  };
  const Trained one = start(1);
  const Trained four = start(4);
  for (int step = 0; step < 7; ++step) expect_ok(one.trainer->step());
  const Trained resumed = start(2);
  expect_ok(resumed.trainer->restore(value_of(one.trainer->save())));
  for (int step = 0; step < 6; ++step) {
    expect_ok(one.trainer->step());
    expect_ok(resumed.trainer->step());
  }
  for (int step = 0; step < 13; ++step) expect_ok(four.trainer->step());
  EXPECT_EQ(one.numbers(), four.numbers());
  EXPECT_EQ(one.numbers(), resumed.numbers());
  TrainOptions other_seed = options;
  SampledMembers members = sampled.members;
  members.seed = 12;
  other_seed.members = std::make_shared<const SampledMembers>(members);
  const Trained other(sampled.graph, true, *find_backend("cpu"), other_seed);
  for (int step = 0; step < 13; ++step) expect_ok(other.trainer->step());
  EXPECT_NE(one.numbers(), other.numbers());
}

}  // namespace vecc::test
