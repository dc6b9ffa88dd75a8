#include "tests/kg/training_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "src/kg/train/draws.h"

namespace vecc::test {
namespace {

using kg::ScoreModel;
using kg::Side;
using kg::Triple;
using kg::TripleLoss;

Number softplus(const Number& x) {
  return logarithm(Number(1) + exponential(x));
}
Number entropy(const Number& x, double label) {
  return Number(label) * softplus(-x) + Number(1 - label) * softplus(x);
}

struct Complex {
  Number real;
  Number imaginary;
};
Complex operator*(const Complex& a, const Complex& b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
Number modulus(const Complex& a) {
  return root(a.real * a.real + a.imaginary * a.imaginary);
}
Complex complex_at(const std::vector<Number>& row, std::size_t k) {
  return {row[k], row[row.size() / 2 + k]};
}

Number product(const std::vector<Number>& a, std::size_t first, const std::vector<Number>& b) {
  Number sum = 0;
  for (std::size_t k = 0; k < b.size(); ++k) sum = sum + a[first + k] * b[k];
  return sum;
}

// -|h' + r - t'|^2 of what is projected; r: a relation's numbers.
Number translation(const std::vector<Number>& h, const std::vector<Number>& r,
                   const std::vector<Number>& t) {
  Number sum = 0;
  for (std::size_t k = 0; k < h.size(); ++k) {
    const Number d = h[k] + r[k] - t[k];
    sum = sum + d * d;
  }
  return -sum;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], 1e-9 * std::max(1.0, std::abs(expected[i]))) << i;
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
                               const kg::TripleTrainOptions& options)
    : triples_(std::move(triples)), options_(options), entity_width_(e.dim) {
  const auto& tables = std::get<kg::EmbeddingTables<double>>(e.tables);
  entities_ = tables.entities;
  relations_ = relation_numbers(e);
  relation_width_ = relations_.size() / e.relations;
  states_[0].assign(entities_.size(), 0);
  states_[1].assign(entities_.size(), 0);
  states_[2].assign(relations_.size(), 0);
  states_[3].assign(relations_.size(), 0);
}

Number TrainingOracle::score(const Row& h, const Row& r, const Row& t) const {
  const std::size_t dim = h.size();
  Number sum = 0;
  switch (options_.model) {
    case ScoreModel::TransE:
      for (std::size_t k = 0; k < dim; ++k) {
        const Number d = h[k] + r[k] - t[k];
        sum = sum + (options_.p == 1 ? absolute(d) : d * d);
      }
      return options_.p == 1 ? -sum : -root(sum);
    case ScoreModel::TransF:
      for (std::size_t k = 0; k < dim; ++k) {
        sum = sum + (h[k] + r[k]) * t[k] + h[k] * (t[k] - r[k]);
      }
      return sum;
    case ScoreModel::DistMult:
      for (std::size_t k = 0; k < dim; ++k) sum = sum + h[k] * r[k] * t[k];
      return sum;
    case ScoreModel::Rescal:
      for (std::size_t i = 0; i < dim; ++i) {
        for (std::size_t k = 0; k < dim; ++k) sum = sum + h[i] * r[i * dim + k] * t[k];
      }
      return sum;
    case ScoreModel::ComplEx:
      for (std::size_t k = 0; k < dim / 2; ++k) {
        const Complex conjugate{t[k], -t[dim / 2 + k]};
        sum = sum + (complex_at(h, k) * complex_at(r, k) * conjugate).real;
      }
      return sum;
    case ScoreModel::TransH: {
      const Row w(r.begin() + static_cast<std::ptrdiff_t>(dim), r.end());
      const auto project = [&](const Row& x) {
        const Number factor = product(w, 0, x) / product(w, 0, w);
        Row projected;
        for (std::size_t k = 0; k < dim; ++k) projected.push_back(x[k] - factor * w[k]);
        return projected;
      };
      return translation(project(h), r, project(t));
    }
    case ScoreModel::TransR: {
      const auto project = [&](const Row& x) {
        Row projected;
        for (std::size_t k = 0; k < dim; ++k) projected.push_back(product(r, dim + k * dim, x));
        return projected;
      };
      return translation(project(h), r, project(t));
    }
    case ScoreModel::RotatE: break;
    case ScoreModel::Formula:
      ADD_FAILURE() << "the oracle has the scores with names; formulas are compared with those";
      return 0;
  }
  for (std::size_t k = 0; k < dim / 2; ++k) {
    const Complex relation = complex_at(r, k);
    const Number length = modulus(relation);
    const Complex turned =
        complex_at(h, k) * Complex{relation.real / length, relation.imaginary / length};
    sum = sum + modulus({turned.real - t[k], turned.imaginary - t[dim / 2 + k]});
  }
  return -sum;
}

Number TrainingOracle::loss_of(const Number& positive, const std::vector<Number>& negatives) const {
  const kg::TripleLossOptions& o = options_.loss;
  const auto count = static_cast<double>(negatives.size());
  const double smooth = o.label_smoothing;
  if (o.loss == TripleLoss::Softmax) {
    if (negatives.empty()) return 0;
    Number sum = exponential(positive);
    Number mean = Number(1 - smooth) * positive;
    for (const Number& s : negatives) {
      sum = sum + exponential(s);
      mean = mean + Number(smooth / count) * s;
    }
    return logarithm(sum) - mean;
  }
  double weight_sum = 0;
  const auto raw_weight = [&](const Number& s) { return std::exp(o.adversarial * s.value()); };
  for (const Number& s : negatives) weight_sum += raw_weight(s);
  Number loss = 0;
  if (o.loss == TripleLoss::Logistic) loss = entropy(Number(o.margin) + positive, 1 - smooth);
  for (const Number& s : negatives) {
    const Number weight = raw_weight(s) / weight_sum;  // no derivative of its own
    loss =
        loss + weight * (o.loss == TripleLoss::Margin ? above_zero(Number(o.margin) - positive + s)
                                                      : entropy(Number(o.margin) + s, smooth));
  }
  return loss;
}

// k-vs-all, with a dense vector of labels.
Number TrainingOracle::loss_of_labels(const std::vector<Number>& scores,
                                      const std::vector<bool>& is_answer) const {
  const kg::TripleLossOptions& o = options_.loss;
  const double smooth = o.label_smoothing;
  const auto all = static_cast<double>(scores.size());
  const auto answers = static_cast<double>(std::count(is_answer.begin(), is_answer.end(), true));
  Number loss = 0;
  Number sum = 0;
  for (const Number& s : scores) sum = sum + exponential(s);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double y = is_answer[i] ? 1 : 0;
    if (o.loss == TripleLoss::Logistic) {
      const double label = smooth > 0 ? (1 - smooth) * y + 1 / all : y;
      loss = loss + entropy(Number(o.margin) + scores[i], label);
      continue;
    }
    const double rest = answers == all ? 0 : smooth;
    const double label = is_answer[i] ? (1 - rest) / answers : rest / (all - answers);
    loss = loss + Number(label) * (logarithm(sum) - scores[i]);
  }
  return loss;
}

Number TrainingOracle::penalty_of(const Row& row, bool is_complex) const {
  Number sum = 0;
  for (std::size_t k = 0; k < row.size() / (is_complex ? 2 : 1); ++k) {
    Number square = row[k] * row[k];
    if (is_complex) square = square + row[row.size() / 2 + k] * row[row.size() / 2 + k];
    sum = sum + Number(options_.regularizer.l2) * square +
          Number(options_.regularizer.n3) * square * root(square);
  }
  return sum;
}

// transh's: |h|^2 and |t|^2 above 1, and the squared cosine of r and w above 1e-6.
Number TrainingOracle::constraints_of(const Row& h, const Row& r, const Row& t) const {
  const std::size_t dim = h.size();
  const Row vector(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(dim));
  const Row w(r.begin() + static_cast<std::ptrdiff_t>(dim), r.end());
  const Number along = product(vector, 0, w);
  const Number squares = product(vector, 0, vector) * product(w, 0, w);
  return Number(options_.regularizer.constraints) *
         (above_zero(product(h, 0, h) - 1) + above_zero(product(t, 0, t) - 1) +
          above_zero(along * along / squares - 1e-6));
}

// As a step reads the row in a slot: 16 bits of a draw say whether a number is 0.
TrainingOracle::Row TrainingOracle::dropped(const kg::TrainingBatch& batch, bool is_entity,
                                            std::size_t slot, const Row& row) const {
  const double p = is_entity ? options_.dropout.entities : options_.dropout.relations;
  if (p == 0) return row;
  const double share = std::round(p * 65536);
  const kg::Draws draws(options_.seed,
                        is_entity ? kg::DrawStream::EntityDropout : kg::DrawStream::RelationDropout,
                        batch.step);
  const std::size_t draws_of_row = (row.size() + 3) / 4;
  Row result;
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::uint64_t bits = draws.bits(slot * draws_of_row + k / 4) >> (16 * (k % 4));
    const bool is_out = static_cast<double>(bits & 0xFFFF) < share;
    result.push_back(is_out ? Number(0) : row[k] * Number(1 / (1 - share / 65536)));
  }
  return result;
}

Number TrainingOracle::loss_of_query(const kg::TrainingBatch& batch, std::size_t chunk,
                                     std::size_t i, const Rows& entities,
                                     const Rows& relations) const {
  const kg::Query& query = batch.queries[i];
  const auto triple_with = [&](std::uint32_t answer) {
    return query.asked == Side::Tail ? Triple{query.anchor, query.relation, answer}
                                     : Triple{answer, query.relation, query.anchor};
  };
  const std::size_t queries = batch.queries.size();
  const Row anchor = dropped(batch, true, i, entities[query.anchor]);
  const Row relation = dropped(batch, false, i, relations[query.relation]);
  const auto score_with = [&](std::size_t slot, std::uint32_t answer) {
    const Row other = dropped(batch, true, slot, entities[answer]);
    return query.asked == Side::Tail ? score(anchor, relation, other)
                                     : score(other, relation, anchor);
  };
  const Triple positive = triple_with(batch.answers[i]);
  std::vector<Number> negatives;
  std::vector<bool> is_answer;  // k-vs-all
  for (std::size_t j = 0; j < batch.negative_count; ++j) {
    const std::size_t place = chunk * batch.negative_count + j;
    const Triple triple = triple_with(batch.negatives[place]);
    const bool is_known = std::find(triples_.begin(), triples_.end(), triple) != triples_.end();
    is_answer.push_back(is_known);
    const bool is_out = triple == positive || (options_.negatives.filtered && is_known);
    if (is_out && !options_.negatives.labels) continue;
    negatives.push_back(score_with(2 * queries + place, batch.negatives[place]));
  }
  Number loss = options_.negatives.labels
                    ? loss_of_labels(negatives, is_answer)
                    : loss_of(score_with(queries + i, batch.answers[i]), negatives);
  if (options_.regularizer.constraints > 0) {
    loss = loss + constraints_of(entities[positive.head], relations[positive.relation],
                                 entities[positive.tail]);
  }
  if (options_.regularizer.l2 == 0 && options_.regularizer.n3 == 0) return loss;
  const bool is_complex =
      options_.model == ScoreModel::ComplEx || options_.model == ScoreModel::RotatE;
  return loss + penalty_of(entities[positive.head], is_complex) +
         penalty_of(entities[positive.tail], is_complex) +
         penalty_of(relations[positive.relation], is_complex);
}

double TrainingOracle::step(const kg::TrainingBatch& batch) {
  Tape tape;
  const auto rows_of = [&](const std::vector<double>& values, std::size_t width) {
    Rows rows(values.size() / width);
    for (std::size_t i = 0; i < values.size(); ++i) rows[i / width].emplace_back(tape, values[i]);
    return rows;
  };
  const Rows entities = rows_of(entities_, entity_width_);
  const Rows relations = rows_of(relations_, relation_width_);
  std::vector<bool> read_entity(entities.size());
  std::vector<bool> read_relation(relations.size());
  for (const std::uint32_t entity : batch.negatives) read_entity[entity] = true;
  Number loss = 0;
  for (std::size_t chunk = 0; chunk < batch.chunks.size(); ++chunk) {
    for (std::uint32_t k = 0; k < batch.chunks[chunk].count; ++k) {
      const std::size_t i = batch.chunks[chunk].first + k;
      loss = loss + loss_of_query(batch, chunk, i, entities, relations);
      read_entity[batch.queries[i].anchor] = read_entity[batch.answers[i]] = true;
      read_relation[batch.queries[i].relation] = true;
    }
  }
  loss = loss / Number(static_cast<double>(batch.queries.size()));
  const std::vector<double> by = tape.differentiate(loss.node);
  const auto gradient_of = [&](const Rows& rows) {
    std::vector<double> gradient;
    for (const Row& row : rows) {
      for (const Number& number : row) gradient.push_back(by[number.node]);
    }
    return gradient;
  };
  ++steps_;
  move(entities_, entity_width_, gradient_of(entities), read_entity, states_[0], states_[1]);
  move(relations_, relation_width_, gradient_of(relations), read_relation, states_[2], states_[3]);
  return loss.value();
}

void TrainingOracle::move(std::vector<double>& weights, std::size_t width,
                          const std::vector<double>& gradient, const std::vector<bool>& touched,
                          std::vector<double>& first, std::vector<double>& second) const {
  const OptimizerOptions o = with_defaults(options_.optimizer);
  const double rate = options_.schedule.base;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double g = gradient[i];
    if (o.optimizer == Optimizer::LazyAdam && !touched[i / width]) continue;
    if (o.optimizer == Optimizer::Sgd) {
      weights[i] -= rate * g;
    } else if (o.optimizer == Optimizer::Adagrad) {
      first[i] += g * g;
      weights[i] -= rate * g / (std::sqrt(first[i]) + *o.epsilon);
    } else {
      first[i] = *o.beta1 * first[i] + (1 - *o.beta1) * g;
      second[i] = *o.beta2 * second[i] + (1 - *o.beta2) * g * g;
      const double mean = first[i] / (1 - std::pow(*o.beta1, steps_));
      const double square = second[i] / (1 - std::pow(*o.beta2, steps_));
      weights[i] -= rate * mean / (std::sqrt(square) + *o.epsilon);
    }
  }
}

void expect_oracle_steps(const kg::TripleTrainOptions& options, const std::vector<Triple>& triples,
                         std::uint32_t entities, std::uint32_t relations) {
  const auto made = kg::make_triple_trainer(triples, entities, relations, options);
  ASSERT_TRUE(made) << made.error().text();
  const std::unique_ptr<kg::TripleTrainer>& trainer = *made;
  TrainingOracle oracle(*trainer->embeddings(), triples, options);
  kg::BatchMaker draws(triples, entities, relations, options.negatives, options.batch_size,
                       options.seed);
  double sum = 0;
  double queries = 0;
  for (int i = 0; i < 20; ++i) {
    const TrainPosition at = trainer->position();
    const kg::TrainingBatch batch = draws.make(at.epoch, at.batch);
    if (at.batch == 0) sum = queries = 0;
    sum += oracle.step(batch) * static_cast<double>(batch.queries.size());
    queries += static_cast<double>(batch.queries.size());
    ASSERT_TRUE(trainer->step());
    ASSERT_NEAR(*trainer->epoch_loss(), sum / queries, 1e-9);
  }
  const kg::Embeddings e = *trainer->embeddings();
  const auto& tables = std::get<kg::EmbeddingTables<double>>(e.tables);
  expect_near(tables.entities, oracle.entities());
  expect_near(relation_numbers(e), oracle.relations());
}

void for_each_training(const kg::TripleTrainOptions& base,
                       std::span<const kg::TripleLossOptions> losses,
                       std::span<const Optimizer> optimizers,
                       const std::function<void(const kg::TripleTrainOptions&)>& expect_steps) {
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    for (const std::uint32_t p : {1u, 2u}) {
      if (p == 2 && info.model != kg::ScoreModel::TransE) continue;
      for (const kg::TripleLossOptions& loss : losses) {
        for (const Optimizer optimizer : optimizers) {
          kg::TripleTrainOptions options = base;
          options.model = info.model;
          options.p = p;
          options.loss = loss;
          options.optimizer.optimizer = optimizer;
          // Signs of transe cancel to a rounding error, which steps divide by their epsilon.
          if (optimizer != Optimizer::Sgd) options.optimizer.epsilon = 1e-4;
          SCOPED_TRACE(std::string(info.name) + " p " + std::to_string(p) + " " +
                       std::string(text_of(loss.loss)) + " " + std::string(text_of(optimizer)));
          expect_steps(options);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace vecc::test
