#include "tests/kg/encoder_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/kg/encoder/encoder_program.h"
#include "tests/kg/trainings.h"
#include "vecc/backend.h"

namespace vecc::test {
namespace {

using kg::Triple;
using RowIndex = std::vector<std::uint32_t>;

// The triples of a batch: positives by query; negatives of query after query.
struct ScoredTriples {
  std::vector<Triple> positives;
  std::vector<Triple> negatives;
  RowIndex query;                       // by negative
  std::vector<std::uint32_t> begin{0};  // by query, of its negatives
};

Triple triple_of(const kg::Query& query, std::uint32_t answer) {
  return query.asked == kg::Side::Tail ? Triple{query.anchor, query.relation, answer}
                                       : Triple{answer, query.relation, query.anchor};
}

ScoredTriples triples_of(const kg::TrainingBatch& batch, const kg::BatchMaker& maker) {
  ScoredTriples all;
  for (std::size_t chunk = 0; chunk < batch.chunks.size(); ++chunk) {
    for (std::uint32_t k = 0; k < batch.chunks[chunk].count; ++k) {
      const std::uint32_t i = batch.chunks[chunk].first + k;
      all.positives.push_back(triple_of(batch.queries[i], batch.answers[i]));
      std::vector<std::uint8_t> counts(batch.negative_count);
      maker.mark_negatives(batch, chunk, i, counts);
      for (std::size_t j = 0; j < counts.size(); ++j) {
        if (counts[j] == 0) continue;
        all.negatives.push_back(triple_of(batch.queries[i], batch.negatives_of(chunk)[j]));
        all.query.push_back(i);
      }
      all.begin.push_back(static_cast<std::uint32_t>(all.negatives.size()));
    }
  }
  return all;
}

// The encoder's Program without its outputs.
Program without_output(const Program& program) {
  Program result(program.dtype());
  for (const Parameter& parameter : program.parameters()) {
    EXPECT_TRUE(result.add_parameter(parameter));
  }
  for (const Op& op : program.ops()) {
    if (op.kind() == OpKind::Output) continue;
    EXPECT_TRUE(result.add(op.attributes, op.operands));
  }
  return result;
}

class LossBuilder {
 public:
  LossBuilder(Program& program, const kg::TripleTrainOptions& options, ValueId entities,
              ValueId relations)
      : program_(program), options_(options), entities_(entities), relations_(relations) {}

  ValueId score(const std::vector<Triple>& triples) {
    RowIndex h;
    RowIndex r;
    RowIndex t;
    for (const Triple& triple : triples) {
      h.push_back(triple.head);
      r.push_back(triple.relation);
      t.push_back(triple.tail);
    }
    const ValueId head = rows(entities_, h);
    const ValueId relation = rows(relations_, r);
    const ValueId tail = rows(entities_, t);
    if (options_.model == kg::ScoreModel::DistMult) {
      LinearOp dot;
      dot.transpose_left = true;
      return program_.linear(map("elproduct($0, $1)", {head, relation}), tail, dot);
    }
    const ValueId distance = map("abs(sum($0, $1, elproduct(-1, $2)))", {head, relation, tail});
    const auto count = static_cast<std::uint32_t>(triples.size());
    const ValueId minus_ones =
        program_.fact(std::vector<double>(std::size_t{options_.dim} * count, -1), count,
                      Shape::row(options_.dim));
    return program_.linear(minus_ones, distance);
  }

  ValueId loss(const ScoredTriples& all) {
    const ValueId positives = score(all.positives);
    const ValueId negatives = score(all.negatives);
    const ValueId margin = program_.fact({options_.loss.margin}, 1, Shape::scalar());
    const bool is_margin = options_.loss.loss == kg::TripleLoss::Margin;
    const ValueId of_negatives = is_margin ? map("relu(sum($0, elproduct(-1, $1), $2))",
                                                 {margin, rows(positives, all.query), negatives})
                                           : map("softplus(sum($0, $1))", {margin, negatives});
    ValueId of_queries =
        program_.segment(of_negatives, Segments::ragged(all.begin), Combination::Avg);
    if (!is_margin) {
      of_queries =
          map("sum(softplus(elproduct(-1, sum($0, $1))), $2)", {margin, positives, of_queries});
    }
    const auto queries = static_cast<std::uint32_t>(all.positives.size());
    return program_.segment(of_queries, Segments::fixed(queries), Combination::Avg);
  }

 private:
  ValueId rows(ValueId of, const RowIndex& index) {
    return program_.gather(of, Index::list(index));
  }
  ValueId map(const char* text, const std::vector<ValueId>& operands) {
    return program_.map(*parse_expr(text, "oracle"), operands);
  }

  Program& program_;
  const kg::TripleTrainOptions& options_;
  ValueId entities_;
  ValueId relations_;
};

}  // namespace

EncoderOracle::EncoderOracle(const WeightFile& checkpoint, std::vector<Triple> triples,
                             std::uint32_t entities, std::uint32_t relations,
                             const kg::TripleTrainOptions& options)
    : triples_(std::move(triples)), entities_(entities), relations_(relations), options_(options) {
  for (const WeightTensor& tensor : checkpoint.tensors) {
    if (tensor.name != "r" && !tensor.name.starts_with("encoder/")) continue;
    tables_[tensor.name] = numbers_of(checkpoint, tensor.name);
    squares_[tensor.name].resize(tables_[tensor.name].size());
  }
}

double EncoderOracle::step(const kg::TrainingBatch& batch, const kg::BatchMaker& maker) {
  const kg::EncoderOptions& o = options_.encoder;
  // Of the triples whose edges the step keeps.
  const ScoredTriples scored = triples_of(batch, maker);
  std::vector<Triple> kept;
  for (const Triple& triple : triples_) {
    const bool is_out = std::ranges::any_of(scored.positives, [&](const Triple& s) {
      return triple == s ||
             (!o.inverse.empty() && triple == Triple{s.tail, o.inverse[s.relation], s.head});
    });
    if (!o.leaves_scored_out || !is_out) kept.push_back(triple);
  }
  kg::EncoderOptions unmasked = o;
  unmasked.leaves_scored_out = false;
  const kg::EncoderProgram made = kg::make_encoder_program(
      kg::make_message_graph(kept, entities_, relations_, o.inverse, kg::edge_order_of(o.kind)),
      unmasked, options_.dim, DType::F64);
  Program program = without_output(made.program);
  const auto encoded = static_cast<ValueId>(program.ops().size() - 1);
  EXPECT_TRUE(program.add_parameter({"r", relations_, Shape::column(options_.dim), nullptr}));
  const auto relations =
      program.weight(static_cast<ParameterIndex>(program.parameters().size() - 1));
  LossBuilder builder(program, options_, encoded, relations);
  const ValueId loss = builder.loss(scored);
  program.output(loss, Index::slice(0, 1));
  program.set_sample_count(1);
  const auto name_of = [](const Parameter& p) { return p.name == "r" ? "r" : "encoder/" + p.name; };
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    program.set_parameter_values(p,
                                 SharedNumbers::of(tables_.at(name_of(program.parameters()[p]))));
  }
  ExecutionOptions execution;
  execution.gradients = true;
  const auto executable = find_backend("interpreter")->compile(program, execution);
  EXPECT_TRUE(executable) << executable.error().text();
  EXPECT_TRUE((*executable)->run());
  const double value = (*executable)->outputs()->front().value.front();
  EXPECT_TRUE((*executable)->differentiate(std::vector<double>{1}));
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const std::string name = name_of(program.parameters()[p]);
    const std::vector<double> gradient = *(*executable)->gradient(p);
    std::vector<double>& weights = tables_.at(name);
    std::vector<double>& squares = squares_.at(name);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      double step = gradient[i];
      if (options_.optimizer.optimizer == Optimizer::Adagrad) {
        squares[i] += step * step;
        step /= std::sqrt(squares[i]) + options_.optimizer.epsilon.value();
      }
      weights[i] -= options_.schedule.base * step;
    }
  }
  return value;
}

}  // namespace vecc::test
