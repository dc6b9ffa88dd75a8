#include "tests/kg/training_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "src/kg/train/draws.h"
#include "vecc/optimize.h"

namespace vecc::test {
namespace {

using kg::Side;
using kg::Triple;
using kg::TripleLoss;

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-9 * std::max(1.0, std::abs(expected[i]))) << i;
  }
}

// By table of a step's program.
std::map<std::string, std::vector<double>> tables_of(const kg::Embeddings& e) {
  const auto& tables = std::get<kg::EmbeddingTables<double>>(e.tables);
  return {
      {"entities", tables.entities}, {"relations", relation_numbers(e)}, {"shared", tables.shared}};
}

Triple triple_with(const kg::Query& query, std::uint32_t answer) {
  return query.asked == Side::Tail ? Triple{query.anchor, query.relation, answer}
                                   : Triple{answer, query.relation, query.anchor};
}

// body(query, place among the negatives) of each query's negatives.
void each_pair(const kg::TrainingBatch& batch,
               const std::function<void(std::size_t, std::size_t)>& body) {
  for (std::size_t chunk = 0; chunk < batch.chunks.size(); ++chunk) {
    for (std::uint32_t k = 0; k < batch.chunks[chunk].count; ++k) {
      for (std::size_t j = 0; j < batch.negative_count; ++j) {
        body(batch.chunks[chunk].first + k, chunk * batch.negative_count + j);
      }
    }
  }
}

}  // namespace

std::vector<double> relation_numbers(const kg::Embeddings& e) {
  const auto& tables = std::get<kg::EmbeddingTables<double>>(e.tables);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < e.relations; ++i) {
    for (const auto* table : {&tables.relations, &tables.normals, &tables.matrices}) {
      const std::size_t width = table->size() / e.relations;
      for (std::size_t k = 0; k < width; ++k) numbers.push_back((*table)[i * width + k]);
    }
  }
  return numbers;
}

TrainingOracle::TrainingOracle(const kg::Embeddings& e, std::vector<Triple> triples,
                               const kg::TripleTrainOptions& options, const OracleOptions& own)
    : triples_(std::move(triples)),
      options_(options),
      own_(own),
      initial_(tables_of(e)),
      entity_count_(e.entities),
      relation_count_(e.relations) {}

// The program of batches that are laid out so.
TrainingOracle::Step* TrainingOracle::step_of(const kg::TrainingBatch& batch,
                                              const kg::BatchMaker& maker) {
  std::vector<std::uint32_t> key;
  for (const kg::Chunk& chunk : batch.chunks) {
    key.push_back(chunk.count);
    key.push_back(static_cast<std::uint32_t>(chunk.asked));
  }
  const auto found = programs_.find(key);
  if (found != programs_.end()) return &found->second;
  auto made =
      kg::make_step_program(options_, entity_count_, relation_count_, batch, maker, own_.negatives);
  if (!made) {
    ADD_FAILURE() << made.error().text();
    return nullptr;
  }
  for (const ParameterIndex p : made->inputs) {
    const Parameter& made_of = made->program.parameters()[p];
    expect_near(made_of.values.doubles(), input(made_of.name, batch));
  }
  if (own_.optimizes) {
    OptimizeOptions options;
    options.verify_each = true;
    auto optimized = optimize(made->program, options);
    if (!optimized || optimized->parameters().size() != made->program.parameters().size()) {
      ADD_FAILURE() << (optimized ? "other parameters" : optimized.error().text());
      return nullptr;
    }
    made->program = std::move(*optimized);
  }
  for (ParameterIndex p = 0; p < made->program.parameters().size(); ++p) {
    const auto initial = initial_.find(made->program.parameters()[p].name);
    if (initial == initial_.end()) continue;
    made->program.set_parameter_values(p, SharedNumbers::of(initial->second));
  }
  ExecutionOptions options;
  options.storage = storage_;
  options.own_parameters = made->inputs;
  for (const StepInput& input : made->ops.inputs) options.own_parameters.push_back(input.parameter);
  auto executable = find_backend(own_.backend)->compile(made->program, options);
  if (!executable) {
    ADD_FAILURE() << executable.error().text();
    return nullptr;
  }
  storage_ = (*executable)->storage();
  return &programs_.emplace(std::move(key), Step{std::move(*made), std::move(*executable)})
              .first->second;
}

// Of each query and each of its negatives: 1, but 0 of the answer itself and of what is filtered.
std::vector<double> TrainingOracle::counts(const kg::TrainingBatch& batch) const {
  std::vector<double> counts;
  each_pair(batch, [&](std::size_t i, std::size_t place) {
    const Triple triple = triple_with(batch.queries[i], batch.negatives[place]);
    const bool is_known = std::find(triples_.begin(), triples_.end(), triple) != triples_.end();
    const bool is_answer = batch.negatives[place] == batch.answers[i];
    counts.push_back(is_answer || (options_.negatives.filtered && is_known) ? 0 : 1);
  });
  return counts;
}

// k-vs-all, as a dense vector.
std::vector<double> TrainingOracle::labels(const kg::TrainingBatch& batch) const {
  std::vector<double> labels;
  const double smooth = options_.loss.label_smoothing;
  const auto all = static_cast<double>(entity_count_);
  for (std::size_t i = 0; i < batch.queries.size(); ++i) {
    std::vector<bool> is_answer;
    for (std::uint32_t entity = 0; entity < entity_count_; ++entity) {
      const Triple triple = triple_with(batch.queries[i], entity);
      is_answer.push_back(std::find(triples_.begin(), triples_.end(), triple) != triples_.end());
    }
    const auto answers = static_cast<double>(std::count(is_answer.begin(), is_answer.end(), true));
    for (const bool is : is_answer) {
      const double y = is ? 1 : 0;
      const double rest = answers == all ? 0 : smooth;
      if (options_.loss.loss == TripleLoss::Logistic) {
        labels.push_back(smooth > 0 ? (1 - smooth) * y + 1 / all : y);
      } else {
        labels.push_back(is ? (1 - rest) / answers : rest / (all - answers));
      }
    }
  }
  return labels;
}

// What numbers of a row are multiplied with in each slot: 16 bits of a draw say whether it is 0.
std::vector<double> TrainingOracle::kept(const kg::TrainingBatch& batch, bool is_entity) const {
  const double p = is_entity ? options_.dropout.entities : options_.dropout.relations;
  const double share = std::round(p * 65536);
  const kg::Draws draws(options_.seed,
                        is_entity ? kg::DrawStream::EntityDropout : kg::DrawStream::RelationDropout,
                        batch.step);
  const std::size_t queries = batch.queries.size();
  const std::size_t slots = is_entity ? 2 * queries + batch.negatives.size() : queries;
  const std::size_t width = is_entity ? initial_.at("entities").size() / entity_count_
                                      : initial_.at("relations").size() / relation_count_;
  const std::size_t draws_of_row = (width + 3) / 4;
  std::vector<double> kept;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (std::size_t k = 0; k < width; ++k) {
      const std::uint64_t bits = draws.bits(slot * draws_of_row + k / 4) >> (16 * (k % 4));
      const bool is_out = static_cast<double>(bits & 0xFFFF) < share;
      kept.push_back(is_out ? 0 : 1 / (1 - share / 65536));
    }
  }
  return kept;
}

std::vector<double> TrainingOracle::input(const std::string& name,
                                          const kg::TrainingBatch& batch) const {
  if (name == "batch.counts") return counts(batch);
  if (name == "batch.labels") return labels(batch);
  if (name == "batch.kept.entities") return kept(batch, true);
  if (name == "batch.kept.relations") return kept(batch, false);
  if (name == "batch.answers") return {batch.answers.begin(), batch.answers.end()};
  if (name == "batch.negatives") return {batch.negatives.begin(), batch.negatives.end()};
  std::vector<double> numbers;
  for (const kg::Query& query : batch.queries) {
    numbers.push_back(name == "batch.anchors" ? query.anchor : query.relation);
  }
  return numbers;
}

void TrainingOracle::set_inputs(Step& step, const kg::TrainingBatch& batch) {
  for (const ParameterIndex p : step.made.inputs) {
    const std::string& name = step.made.program.parameters()[p].name;
    ASSERT_TRUE(step.executable->set_parameter(p, input(name, batch))) << name;
  }
  for (const ParameterValues& set : step_values(step.made.ops, steps_, options_.schedule.base)) {
    ASSERT_TRUE(step.executable->set_parameter(set.parameter, set.values));
  }
}

double TrainingOracle::step(const kg::TrainingBatch& batch, const kg::BatchMaker& maker) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Step* const step = step_of(batch, maker);
  if (step == nullptr) return kNone;
  ++steps_;
  set_inputs(*step, batch);
  const Result<void> done = step->executable->run();
  EXPECT_TRUE(done) << done.error().text();
  if (!done) return kNone;
  return (*step->executable->outputs())[0].value[0];
}

std::vector<double> TrainingOracle::weights(const std::string& name) {
  if (programs_.empty()) return {};
  const Step& step = programs_.begin()->second;  // all have the same weights
  const std::vector<Parameter>& parameters = step.made.program.parameters();
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  if (found == parameters.end()) return {};
  return *step.executable->parameter(static_cast<ParameterIndex>(found - parameters.begin()));
}

void expect_oracle_steps_of(kg::TripleTrainer& trainer, const kg::TripleTrainOptions& options,
                            const std::vector<Triple>& triples, const OracleOptions& own) {
  const kg::Embeddings initial = *trainer.embeddings();
  TrainingOracle oracle(initial, triples, options, own);
  kg::BatchMaker draws(triples, initial.entities, initial.relations, options.negatives,
                       options.batch_size, options.seed);
  double sum = 0;
  double queries = 0;
  for (int i = 0; i < 20; ++i) {
    const TrainPosition at = trainer.position();
    const kg::TrainingBatch batch = draws.make(at.epoch, at.batch);
    if (at.batch == 0) sum = queries = 0;
    sum += oracle.step(batch, draws) * static_cast<double>(batch.queries.size());
    queries += static_cast<double>(batch.queries.size());
    const Result<void> stepped = trainer.step();
    ASSERT_TRUE(stepped) << stepped.error().text();
    ASSERT_NEAR(*trainer.epoch_loss(), sum / queries, 1e-9);
  }
  const kg::Embeddings e = *trainer.embeddings();
  const auto& tables = std::get<kg::EmbeddingTables<double>>(e.tables);
  expect_near(tables.entities, oracle.entities());
  expect_near(relation_numbers(e), oracle.relations());
  expect_near(tables.shared, oracle.shared());
}

void expect_oracle_steps(const kg::TripleTrainOptions& options, const std::vector<Triple>& triples,
                         std::uint32_t entities, std::uint32_t relations,
                         const OracleOptions& own) {
  const auto trainer = kg::make_triple_trainer(triples, entities, relations, options);
  ASSERT_TRUE(trainer) << trainer.error().text();
  expect_oracle_steps_of(**trainer, options, triples, own);
}

std::vector<kg::TripleTrainOptions> of_each_score(const kg::TripleTrainOptions& base) {
  std::vector<kg::TripleTrainOptions> all;
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    for (const std::uint32_t p : {1u, 2u}) {
      if (p == 2 && info.model != kg::ScoreModel::TransE) continue;
      all.push_back(base);
      all.back().model = info.model;
      all.back().p = p;
    }
  }
  return all;
}

std::string score_name(const kg::TripleTrainOptions& options) {
  const std::string name(kg::info_of(options.model).name);
  return options.model == kg::ScoreModel::TransE ? name + std::to_string(options.p) : name;
}

void for_each_loss(const kg::TripleTrainOptions& base,
                   std::span<const kg::TripleLossOptions> losses,
                   std::span<const Optimizer> optimizers,
                   const std::function<void(const kg::TripleTrainOptions&)>& expect_steps) {
  for (const kg::TripleLossOptions& loss : losses) {
    for (const Optimizer optimizer : optimizers) {
      kg::TripleTrainOptions options = base;
      options.loss = loss;
      options.optimizer.optimizer = optimizer;
      // Signs of transe cancel to a rounding error, which steps divide by their epsilon.
      if (optimizer != Optimizer::Sgd) options.optimizer.epsilon = 1e-4;
      SCOPED_TRACE(score_name(options) + " " + std::string(text_of(loss.loss)) + " " +
                   std::string(text_of(optimizer)));
      expect_steps(options);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

void for_each_training(const kg::TripleTrainOptions& base,
                       std::span<const kg::TripleLossOptions> losses,
                       std::span<const Optimizer> optimizers,
                       const std::function<void(const kg::TripleTrainOptions&)>& expect_steps) {
  for (const kg::TripleTrainOptions& of_score : of_each_score(base)) {
    for_each_loss(of_score, losses, optimizers, expect_steps);
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace vecc::test
