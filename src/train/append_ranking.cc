#include "src/train/append_ranking.h"

#include <utility>

#include "src/program/inverse_index.h"
#include "src/train/formula.h"
#include "src/train/loss_formulas.h"
#include "src/train/loss_layout.h"
#include "src/train/sum_rows.h"

namespace vecc::training {
namespace {

Errors ranking_usage(std::string message) {
  return Errors(ErrorCode::Usage, "margin_ranking", std::move(message));
}

// All outputs as scalars, one after another, and the row of each sample.
struct Scores {
  ValueId value = 0;
  std::vector<std::uint32_t> row_of_sample;
};

Result<Scores> collect_scores(Program& program, std::span<const ValueId> outputs) {
  Scores scores;
  scores.row_of_sample.resize(program.sample_count());
  std::vector<ValueId> parts;
  std::uint32_t row = 0;
  for (const ValueId output : outputs) {
    const Op& op = program.op(output);
    if (op.shape.size() != 1) {
      return ranking_usage("an output of shape " + op.shape.text() + ", expected scalars");
    }
    const Index& samples = std::get<OutputOp>(op.attributes).samples;
    for (std::uint32_t i = 0; i < op.rows; ++i) scores.row_of_sample[samples[i]] = row++;
    TransformationSpec to_scalar;
    to_scalar.id = Transformation::Reshape;
    const bool is_scalar = op.shape.is_scalar();
    const ValueId value = op.operands[0];
    parts.push_back(is_scalar ? value : program.transform(value, to_scalar));
  }
  scores.value = program.concat(parts, "loss: scores");
  return scores;
}

// Row r: what the pairs add to its gradient, first as negative, then (negated) as positive.
ValueId add_up_pairs(Program& program, ValueId by_pair, const std::vector<std::uint32_t>& negatives,
                     const std::vector<std::uint32_t>& positives, std::uint32_t rows) {
  std::vector<std::uint32_t> reads = negatives;
  reads.insert(reads.end(), positives.begin(), positives.end());
  InverseIndex readers = inverse_index(reads, rows);
  const ValueId as_positive =
      program.map((-Formula::operand(0)).expr(), std::span(&by_pair, 1), "loss: positives");
  const ValueId both[] = {by_pair, as_positive};
  const ValueId members =
      program.gather(program.concat(both), Index::compact(std::move(readers.readers)));
  return program.segment(members, Segments::ragged(std::move(readers.offsets)), Combination::Sum,
                         "loss: gradient");
}

// Each output's rows of the scores' gradient, in its own shape.
std::vector<Seed> split_gradient(Program& program, ValueId gradient,
                                 std::span<const ValueId> outputs) {
  std::vector<Seed> seeds;
  std::uint32_t row = 0;
  for (const ValueId output : outputs) {
    const ValueId value = program.op(output).operands[0];
    const std::uint32_t rows = program.op(value).rows;
    ValueId part = program.gather(gradient, Index::slice(row, rows));
    if (!program.op(value).shape.is_scalar()) {
      TransformationSpec back;
      back.id = Transformation::Reshape;
      back.target = program.op(value).shape;
      part = program.transform(part, back);
    }
    seeds.push_back({value, part});
    row += rows;
  }
  return seeds;
}

}  // namespace

Result<LossOps> append_ranking(Program& program, const LossSamples& samples, double margin) {
  const std::vector<ValueId> outputs = output_ops(program);
  VECC_TRY(const Scores scores, collect_scores(program, outputs));
  std::vector<std::uint32_t> positives;
  std::vector<std::uint32_t> negatives;
  for (const RankedPair& pair : samples.pairs) {
    if (pair.positive >= program.sample_count() || pair.negative >= program.sample_count()) {
      return ranking_usage("a pair of samples that the program does not have");
    }
    positives.push_back(scores.row_of_sample[pair.positive]);
    negatives.push_back(scores.row_of_sample[pair.negative]);
  }
  VECC_TRY(const ParameterIndex weights,
           program.add_parameter({"pair_weight", static_cast<std::uint32_t>(samples.pairs.size()),
                                  Shape::scalar(), SharedNumbers::of(samples.weights)}));
  const ValueId operands[] = {program.gather(scores.value, Index::compact(positives)),
                              program.gather(scores.value, Index::compact(negatives)),
                              program.weight(weights)};
  const LossFormulas formulas = pair_formulas(margin);
  const ValueId errors = program.map(formulas.error, std::span(operands).first(2), "loss: errors");
  const ValueId by_pair = program.map(formulas.gradient, operands, "loss: gradient by pair");
  const ValueId gradient =
      add_up_pairs(program, by_pair, negatives, positives, program.op(scores.value).rows);
  LossOps ops;
  ops.seeds = split_gradient(program, gradient, outputs);
  ops.outputs = outputs;
  ops.errors = {errors};
  ops.weights = {weights};
  const ValueId weighted[] = {operands[2], errors};
  ops.total = sum_rows(program, program.map(weighted_error(), weighted, "loss: weighted errors"));
  return ops;
}

}  // namespace vecc::training
