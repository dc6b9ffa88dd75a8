// Compact batches: values in memory of the batch's size, the same bit by bit.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/batch/tested_backend.h"
#include "tests/support/graph_builder.h"
#include "tests/support/random_graph.h"
#include "vecc/backend.h"
#include "vecc/fanout.h"
#include "vecc/graph_io.h"
#include "vecc/train.h"

namespace vecc::test {
namespace {

std::vector<std::vector<double>> states_of(Trainer& trainer) {
  std::vector<std::vector<double>> states;
  for (const WeightTensor& tensor : value_of(trainer.save()).tensors) {
    states.push_back(values_of(tensor));
  }
  states.push_back({value_of(trainer.epoch_loss())});
  return states;
}

TrainOptions bound_batches(std::uint32_t size, Optimizer optimizer = Optimizer::Adam) {
  TrainOptions options;
  options.batch_size = size;
  options.batch_way = BatchWay::Bind;
  options.schedule.base = 0.01;
  options.optimizer.optimizer = optimizer;
  options.seed = 3;
  return options;
}

struct FormModel {
  NeuronGraph graph;
  Program program;

  explicit FormModel(NeuronGraph of, bool optimizes = true)
      : graph(std::move(of)), program(program_of(graph, optimizes)) {}
  [[nodiscard]] Result<std::unique_ptr<Trainer>> trainer(TrainOptions options,
                                                         BatchValues values) const {
    options.batch_values = values;
    return make_trainer(graph, program, tested_backend(), tested_options(), options,
                        all_samples(graph));
  }
};

// False: there is no compact form.
bool compare_forms(const FormModel& model, const TrainOptions& options, std::uint32_t steps) {
  auto spread = model.trainer(options, BatchValues::Spread);
  auto compact = model.trainer(options, BatchValues::Compact);
  if (!spread || !compact) return false;
  EXPECT_FALSE(value_of((*spread)->batch_report()).bytes.is_compact);
  const BatchReport report = value_of((*compact)->batch_report());
  EXPECT_EQ(report.bytes.is_compact, report.way == "bind");  // else a step has all samples
  for (std::uint32_t step = 0; step < steps; ++step) {
    if (const auto done = (*spread)->step(); !done) throw std::runtime_error(done.error().text());
    if (const auto done = (*compact)->step(); !done) throw std::runtime_error(done.error().text());
    EXPECT_EQ(states_of(**compact), states_of(**spread)) << step;
    if (::testing::Test::HasFailure()) break;
  }
  return true;
}

std::vector<std::pair<const char*, TrainOptions>> form_cases() {
  std::vector<std::pair<const char*, TrainOptions>> all;
  for (const std::uint32_t size : {1u, 7u, 32u}) {
    if (is_emulated() && size == 7) continue;
    all.emplace_back("adam", bound_batches(size));
  }
  all.emplace_back("lazy adam", bound_batches(7, Optimizer::LazyAdam));
  all.emplace_back("sgd", bound_batches(16, Optimizer::Sgd));
  TrainOptions clipped = bound_batches(16);
  clipped.optimizer.clip_norm = 0.1;
  all.emplace_back("clipped", clipped);
  TrainOptions in_order = bound_batches(9);  // come again, and are kept
  in_order.shuffle = false;
  all.emplace_back("in order", in_order);
  all.emplace_back("all", bound_batches(100'000));
  return all;
}

TEST(CompactSteps, are_those_of_spread_batches_bit_by_bit) {
  for (const char* name : {"mutagenesis.pb", "attention.pb", "xor.pb"}) {
    for (const bool optimizes : {true, false}) {
      if (is_emulated() && (!optimizes || name == std::string_view("xor.pb"))) continue;
      const FormModel model(value_of(read_graph(shipped(name))), optimizes);
      for (const auto& [what, options] : form_cases()) {
        SCOPED_TRACE(std::string(name) + (optimizes ? "" : " -O0, ") + what + " of " +
                     std::to_string(options.batch_size));
        EXPECT_TRUE(compare_forms(model, options, is_emulated() ? 6 : 20));
      }
    }
  }
}

std::vector<double> small_values(std::uint32_t count, std::uint32_t seed) {
  std::vector<double> values(count);
  for (std::uint32_t i = 0; i < count; ++i) values[i] = ((i + 5 * seed) * 37 % 64 - 31.5) / 256;
  return values;
}

// Samples that read two rows each, of matrices by type: kernels whose rows come in their order.
NeuronGraph typed_matrices() {
  constexpr std::uint32_t kTypedSide = 40;
  constexpr std::uint32_t kTypedRows = 50;
  GraphBuilder b;
  const WeightId matrices = b.weight_table("w", 3, Shape(kTypedSide, kTypedSide),
                                           small_values(3 * kTypedSide * kTypedSide, 1));
  const WeightId last = b.weight("u", Shape::row(kTypedSide), small_values(kTypedSide, 2));
  const GroupIndex facts = b.group("x", NeuronClass::Fact);
  const GroupIndex layer = b.group("h");
  const GroupIndex outputs = b.group("y");
  std::vector<NeuronId> rows;
  for (std::uint32_t i = 0; i < kTypedRows; ++i) {
    const NeuronId x = b.fact(facts, Shape::column(kTypedSide), small_values(kTypedSide, 3 + i));
    rows.push_back(b.neuron(layer, function(Combination::Sum, Transformation::Tanh), {x},
                            {matrices + i * 7 % 5 % 3}));
  }
  for (std::uint32_t i = 0; i < kTypedRows; ++i) {
    const NeuronId y = b.neuron(outputs, function(Combination::Sum),
                                {rows[i], rows[(i + 11) % kTypedRows]}, {last, last});
    b.sample(y, Shape(), {i % 3 * 0.5});
  }
  return b.build();
}

TEST(CompactSteps, of_matrices_by_type_are_those_of_spread_batches) {
  const FormModel model(typed_matrices());
  for (const auto& [what, options] : form_cases()) {
    SCOPED_TRACE(std::string(what) + " of " + std::to_string(options.batch_size));
    EXPECT_TRUE(compare_forms(model, options, is_emulated() ? 6 : 20));
  }
}

TEST(CompactSteps, of_drawn_members_are_those_of_spread_batches) {
  for (const bool is_lazy : {false, true}) {
    SampledGraph sampled =
        value_of(sample_members(value_of(read_graph(shipped("mutagenesis.pb"))), {{3, 2}, false}));
    const FormModel model(std::move(sampled.graph));
    TrainOptions options = bound_batches(8, is_lazy ? Optimizer::LazyAdam : Optimizer::Adam);
    options.members = std::make_shared<const SampledMembers>(std::move(sampled.members));
    EXPECT_TRUE(compare_forms(model, options, is_emulated() ? 6 : 20));
  }
}

TEST(CompactSteps, go_on_bit_for_bit_in_the_midst_of_an_epoch) {
  const FormModel model(value_of(read_graph(shipped("mutagenesis.pb"))));
  const auto made = [&](BatchValues values) {
    return value_of(model.trainer(bound_batches(32), values));
  };
  const auto whole = made(BatchValues::Compact);
  for (int step = 0; step < 9; ++step) ASSERT_TRUE(whole->step());
  const auto first = made(BatchValues::Spread);
  for (int step = 0; step < 4; ++step) ASSERT_TRUE(first->step());
  const auto second = made(BatchValues::Compact);
  ASSERT_TRUE(second->restore(value_of(first->save())));
  for (int step = 4; step < 9; ++step) ASSERT_TRUE(second->step());
  EXPECT_EQ(states_of(*second), states_of(*whole));
}

TEST(CompactSteps, that_cannot_be_are_refused) {
  const NeuronGraph graph = value_of(read_graph(shipped("mutagenesis.pb")));
  const Program program = program_of(graph);
  BatchOptions outputs;
  outputs.computes_outputs = true;
  outputs.values = BatchValues::Compact;
  ExecutionOptions options;
  options.batch = std::make_shared<const BatchOptions>(outputs);
  const auto made = find_backend("cpu")->compile(program, options);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().list().front().message, "outputs of forward batches stay at their places");
}

TEST(CompactSteps, that_cannot_be_bound_are_refused) {
  const FormModel model(value_of(read_graph(shipped("mutagenesis.pb"))));
  const auto error = [&](const TrainOptions& options, const char* backend) {
    const auto made = make_trainer(model.graph, model.program, *find_backend(backend), {}, options,
                                   all_samples(model.graph));
    return made ? std::string() : made.error().text();
  };
  TrainOptions options = bound_batches(7);
  options.batch_values = BatchValues::Compact;
  EXPECT_EQ(error(options, "cpu"), "");
  options.batch_way = BatchWay::Choose;
  EXPECT_EQ(error(options, "cpu"), "");
  for (const BatchWay way : {BatchWay::Choose, BatchWay::Bind}) {
    options.batch_way = way;
    const std::string text = error(options, "interpreter");
    EXPECT_NE(text.find("--batch-values=compact"), std::string::npos) << text;
    EXPECT_NE(text.find("cannot bind"), std::string::npos) << text;
  }
  options.batch_way = BatchWay::Mask;
  std::string text = error(options, "cpu");
  EXPECT_NE(text.find("a step with a mask has the values of all samples"), std::string::npos)
      << text;
  options.batch_way = BatchWay::Choose;
  options.loss.loss = Loss::MarginRanking;
  text = error(options, "cpu");
  EXPECT_NE(text.find("the loss is of pairs"), std::string::npos) << text;
}

TEST(CompactSteps, chosen_by_a_training_are_bound) {
  const FormModel model(value_of(read_graph(shipped("mutagenesis.pb"))));
  TrainOptions options = bound_batches(7);
  options.batch_way = BatchWay::Choose;
  const auto trainer = value_of(model.trainer(options, BatchValues::Compact));
  const BatchReport report = value_of(trainer->batch_report());
  EXPECT_EQ(report.way, "bind");
  EXPECT_TRUE(report.bytes.is_compact);
}

TEST(CompactSteps, of_random_graphs_are_those_of_spread_batches) {
  std::uint64_t compared = 0;
  const std::uint64_t graphs = std::getenv("VECC_FULL") != nullptr ? 300 : is_emulated() ? 4 : 12;
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomGraphOptions options;
    options.seed = seed;
    const FormModel model(with_all_samples(random_graph(options)), seed % 2 == 0);
    TrainOptions training =
        bound_batches(1 + 3 * static_cast<std::uint32_t>(seed % 3), Optimizer::Sgd);
    training.schedule.base = 1e-4;
    training.optimizer.clip_value = 1;
    compared += compare_forms(model, training, is_emulated() ? 3 : 8) ? 1 : 0;
  }
  EXPECT_GT(compared, graphs / 10);  // others have functions that differ from row to row
}

}  // namespace
}  // namespace vecc::test
