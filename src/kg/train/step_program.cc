#include "src/kg/train/step_program.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/kg/formulas/losses.h"
#include "src/kg/train/step_loss.h"
#include "src/kg/train/step_score.h"
#include "src/train/formula.h"
#include "vecc/differentiate.h"

namespace vecc::kg {
namespace {

using training::Formula;

template <class T>
std::vector<double> doubles_of(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

Formula above_zero(const Formula& x) {
  return apply(Transformation::Relu, x);
}

class StepAppender {
 public:
  StepAppender(const TripleTrainOptions& options, ScoreFormula formula, std::uint32_t entities,
               std::uint32_t relations, const TrainingBatch& batch, const BatchMaker& maker,
               StepNegatives negatives)
      : options_(options),
        formula_(std::move(formula)),
        entities_(entities),
        relations_(relations),
        batch_(batch),
        maker_(maker),
        negatives_(negatives),
        queries_(static_cast<std::uint32_t>(batch.queries.size())) {
    step_.program = Program(options.dtype);
  }

  Result<TripleStepProgram> make() {
    read_rows();
    append_losses();
    append_penalties();
    const ValueId total = sum_of_terms(program(), loss_);
    program().set_sample_count(1);
    program().output(total, Index::slice(0, 1), "loss");
    VECC_TRY_VOID(append_optimizer());
    if (counter_) count_step();
    VECC_TRY_VOID(verify(program()));
    return std::move(step_);
  }

 private:
  [[nodiscard]] Program& program() { return step_.program; }
  ValueId added(OpAttributes attributes, Operands operands, const char* note) {
    const auto value = program().add(std::move(attributes), std::move(operands), note);
    VECC_CHECK(value.has_value(), value ? "" : value.error().text());
    return *value;
  }
  ValueId map(const Formula& formula, const std::vector<ValueId>& operands, const char* note) {
    return program().map(formula.expr(), operands, note);
  }
  static Formula in(std::uint32_t k) { return Formula::operand(k); }

  // What a batch has: set before each step.
  ValueId input(const std::string& name, std::vector<double> values, Shape shape = Shape()) {
    const auto rows = static_cast<std::uint32_t>(values.size() / shape.size());
    const auto made = program().add_parameter(
        {"batch." + name, rows, shape, SharedNumbers::of(std::move(values))});
    VECC_CHECK(made.has_value(), "names of inputs");
    step_.inputs.push_back(*made);
    return program().weight(*made, "batch");
  }
  // Rows of `width` numbers, that learn.
  ValueId table(const char* name, std::uint32_t rows, std::uint32_t width) {
    const auto made = program().add_parameter({name, rows, Shape::column(width), nullptr});
    VECC_CHECK(made.has_value(), "names of tables");
    tables_.push_back(*made);
    return program().weight(*made, name);
  }

  // Rows of entities, by slots: the queries' entities, as many answers, then the negatives.
  void read_rows() {
    const ValueId entities = table("entities", entities_, formula_.entity_width);
    std::vector<std::uint32_t> anchors;
    std::vector<std::uint32_t> relations;
    for (const Query& query : batch_.queries) {
      anchors.push_back(query.anchor);
      relations.push_back(query.relation);
    }
    answers_ = input("answers", doubles_of(batch_.answers));
    drawn_ = negatives_of_batch();
    const ValueId parts[] = {input("anchors", doubles_of(anchors)), answers_, drawn_};
    const ValueId slots = program().concat(parts, "rows that are read");
    whole_entities_ = added(TakeOp{}, {entities, slots}, "entities");
    entity_rows_ =
        dropped(whole_entities_, "entities", options_.dropout.entities, DrawStream::EntityDropout);
    const ValueId rows = table("relations", relations_, formula_.relation_width);
    whole_relations_ =
        added(TakeOp{}, {rows, input("relations", doubles_of(relations))}, "relations");
    relation_rows_ = dropped(whole_relations_, "relations", options_.dropout.relations,
                             DrawStream::RelationDropout);
    if (formula_.shared_width > 0) shared_ = table("shared", 1, formula_.shared_width);
  }

  ValueId negatives_of_batch() {
    if (negatives_ == StepNegatives::Given) {
      return input("negatives", doubles_of(batch_.negatives));
    }
    const auto first = static_cast<double>(batch_.step);
    counter_ = added(StateOp{"step", 1, Shape::scalar(), first}, {}, "draws");
    return added(DrawOp{static_cast<std::uint32_t>(batch_.negatives.size()), entities_,
                        options_.seed, static_cast<std::uint32_t>(DrawStream::Negatives)},
                 {*counter_}, "draws");
  }
  void count_step() {
    const ValueId next = map(in(0) + 1, {*counter_}, "draws");
    added(UpdateOp{}, {*counter_, next}, "draws");
  }

  // Times what dropout makes of ones.
  ValueId dropped(ValueId rows, const std::string& name, double p, DrawStream stream) {
    const RowDropout<double> dropout(p, stream, options_.seed, batch_.step);
    if (!dropout.drops()) return rows;
    const std::uint32_t count = program().op(rows).rows;
    const Shape shape = program().op(rows).shape;
    const std::vector<double> ones(shape.size(), 1);
    std::vector<double> factors(count * shape.size());
    for (std::uint32_t slot = 0; slot < count; ++slot) {
      dropout.apply(slot, ones.data(), ones.size(), factors.data() + slot * ones.size());
    }
    return map(in(0) * in(1), {rows, input("kept." + name, std::move(factors), shape)}, "dropout");
  }

  // Which slots, and which query's relation, the scores read: positives, then each query's
  // negatives. k-vs-all has no positives.
  struct Reads {
    std::vector<std::uint32_t> heads, tails, queries;

    void add(const Query& query, std::uint32_t i, std::uint32_t other) {
      heads.push_back(query.asked == Side::Tail ? i : other);
      tails.push_back(query.asked == Side::Tail ? other : i);
      queries.push_back(i);
    }
  };
  [[nodiscard]] Reads reads_of_scores() const {
    Reads reads;
    for (std::uint32_t i = 0; i < queries_ && !maker_.has_labels(); ++i) {
      reads.add(batch_.queries[i], i, queries_ + i);
    }
    each_pair([&](std::uint32_t i, std::size_t place) {
      reads.add(batch_.queries[i], i, 2 * queries_ + static_cast<std::uint32_t>(place));
    });
    return reads;
  }
  // body(query, place among the negatives) of each query's negatives.
  template <class Body>
  void each_pair(const Body& body) const {
    for (std::size_t c = 0; c < batch_.chunks.size(); ++c) {
      for (std::uint32_t k = 0; k < batch_.chunks[c].count; ++k) {
        for (std::size_t j = 0; j < batch_.negative_count; ++j) {
          body(batch_.chunks[c].first + k, c * batch_.negative_count + j);
        }
      }
    }
  }

  void append_losses() {
    Reads reads = reads_of_scores();
    const auto count = static_cast<std::uint32_t>(reads.queries.size());
    const auto rows = [&](ValueId from, std::vector<std::uint32_t>& list) {
      return program().gather(from, Index::list(std::move(list)), "scores");
    };
    const ScoreRows of{rows(entity_rows_, reads.heads), rows(relation_rows_, reads.queries),
                       rows(entity_rows_, reads.tails), shared_};
    const ValueId scores = append_scores(program(), formula_, of);
    ScoredQueries queries{queries_, batch_.negative_count, 0, scores,
                          counts(), maker_.has_labels()};
    if (!queries.has_labels) {
      queries.positive = program().gather(scores, Index::slice(0, queries_), "scores");
      queries.scores = program().gather(scores, Index::slice(queries_, count - queries_), "scores");
    }
    append_triple_loss(program(), queries, options_.loss, loss_);
  }

  // A label, or whether it is a negative, of each pair.
  ValueId counts() {
    if (maker_.has_labels()) return input("labels", labels());
    if (negatives_ == StepNegatives::Drawn) return differs_from_answer();
    std::vector<double> all;
    std::vector<std::uint8_t> marks(batch_.negative_count);
    for (std::uint32_t c = 0; c < batch_.chunks.size(); ++c) {
      for (std::uint32_t k = 0; k < batch_.chunks[c].count; ++k) {
        maker_.mark_negatives(batch_, c, batch_.chunks[c].first + k, marks);
        all.insert(all.end(), marks.begin(), marks.end());
      }
    }
    return input("counts", std::move(all));
  }
  // 1 but for the answer itself: the difference of whole numbers, 1 at most.
  ValueId differs_from_answer() {
    std::vector<std::uint32_t> places;
    std::vector<std::uint32_t> answers;
    each_pair([&](std::uint32_t i, std::size_t place) {
      places.push_back(static_cast<std::uint32_t>(place));
      answers.push_back(i);
    });
    const Formula distance = apply(Transformation::Abs, in(0) - in(1));
    return map(training::smaller(distance, 1),
               {program().gather(drawn_, Index::list(std::move(places)), "draws"),
                program().gather(answers_, Index::list(std::move(answers)), "draws")},
               "draws");
  }
  [[nodiscard]] std::vector<double> labels() const {
    const double smoothing = options_.loss.label_smoothing;
    std::vector<double> all;
    for (const Query& query : batch_.queries) {
      const auto answers = maker_.known().answers(query);
      const auto count = static_cast<std::uint32_t>(answers.size());
      const auto labels = options_.loss.loss == TripleLoss::Logistic
                              ? formulas::logistic_labels(smoothing, entities_)
                              : formulas::softmax_labels(smoothing, count, entities_);
      const std::size_t begin = all.size();
      all.resize(begin + entities_, labels.other);
      for (const KnownTriples::Row& row : answers) all[begin + row[2]] = labels.answer;
    }
    return all;
  }

  // Of the whole rows of each query, its answer and its relation.
  void append_penalties() {
    const TripleRegularizer& r = options_.regularizer;
    if (r.l2 == 0 && r.n3 == 0 && r.constraints == 0) return;
    const ValueId entities =
        program().gather(whole_entities_, Index::slice(0, 2 * queries_), "regularizer");
    const double scale = 1 / static_cast<double>(queries_);
    if (r.l2 != 0 || r.n3 != 0) {
      add_loss_term(program(), penalty(entities), scale, loss_);
      add_loss_term(program(), penalty(whole_relations_), scale, loss_);
    }
    if (r.constraints > 0) append_constraints(entities, r.constraints * scale);
  }

  // By number of a row, complex ones by their modulus.
  ValueId penalty(ValueId rows) {
    const TripleRegularizer& r = options_.regularizer;
    const auto penalty_of = [&](const Formula& square, const Formula& size) {
      if (r.n3 == 0) return r.l2 * square;
      const Formula cubes = r.n3 * (square * size);
      return r.l2 == 0 ? cubes : r.l2 * square + cubes;
    };
    const bool is_complex =
        options_.model == ScoreModel::ComplEx || options_.model == ScoreModel::RotatE;
    if (!is_complex) {
      const Formula size = apply(Transformation::Abs, in(0));
      return map(penalty_of(in(0) * in(0), size), {rows}, "regularizer");
    }
    const auto half = static_cast<std::uint32_t>(program().op(rows).shape.size() / 2);
    const ValueId square = map(in(0) * in(0) + in(1) * in(1),
                               {part_of_rows(program(), rows, 0, Shape::column(half)),
                                part_of_rows(program(), rows, half, Shape::column(half))},
                               "regularizer");
    const Formula size = apply(Transformation::Sqrt, in(0) + kRootFloor);
    return map(penalty_of(in(0), size), {square}, "regularizer");
  }

  // transh's: entities at most 1 long, relations in their planes.
  void append_constraints(ValueId entities, double factor) {
    const ValueId length =
        map(above_zero(training::dot(in(0), in(0)) - 1), {entities}, "constraints");
    add_loss_term(program(), length, factor, loss_);
    const Shape half = Shape::column(options_.dim);
    const std::vector<ValueId> parts{part_of_rows(program(), whole_relations_, 0, half),
                                     part_of_rows(program(), whole_relations_, options_.dim, half)};
    const Formula along = training::dot(in(0), in(1));
    // So that of r = 0 the angle is 0: the square of its inverse is a number of the type.
    const double floor = options_.dtype == DType::F32 ? 0x1p-60 : 0x1p-500;
    const Formula square_of_sine =
        along / training::dot(in(1), in(1)) * (along / (training::dot(in(0), in(0)) + floor));
    constexpr double kFreeSquare = 1e-6;  // Wang et al. 2014: a sine of 1e-3 costs nothing
    const ValueId angle = map(above_zero(square_of_sine - kFreeSquare), parts, "constraints");
    add_loss_term(program(), angle, factor, loss_);
  }

  // Rows that are read move; of adam all do.
  Result<void> append_optimizer() {
    std::vector<ParameterGradient> gradients;
    if (options_.optimizer.optimizer == Optimizer::Adam) {
      VECC_TRY(const auto whole, append_gradients(program(), loss_.seeds, tables_));
      for (std::size_t k = 0; k < tables_.size(); ++k) {
        if (whole[k]) gradients.push_back({tables_[k], *whole[k]});
      }
    } else {
      VECC_TRY(const auto rows, append_row_gradients(program(), loss_.seeds, tables_));
      for (std::size_t k = 0; k < tables_.size(); ++k) {
        if (!rows[k]) continue;
        gradients.push_back({tables_[k], rows[k]->gradient, std::nullopt, rows[k]->rows});
      }
    }
    VECC_TRY(step_.ops, append_step(program(), gradients, options_.optimizer));
    return {};
  }

  const TripleTrainOptions& options_;
  ScoreFormula formula_;
  std::uint32_t entities_;
  std::uint32_t relations_;
  const TrainingBatch& batch_;
  const BatchMaker& maker_;
  StepNegatives negatives_;
  std::uint32_t queries_;
  TripleStepProgram step_;
  std::vector<ParameterIndex> tables_;
  std::optional<ValueId> counter_;  ///< of steps, where they draw
  ValueId answers_ = 0;
  ValueId drawn_ = 0;           ///< negatives
  ValueId whole_entities_ = 0;  ///< by slot, without dropout
  ValueId entity_rows_ = 0;
  ValueId whole_relations_ = 0;  ///< by query
  ValueId relation_rows_ = 0;
  ValueId shared_ = 0;
  StepLoss loss_;
};

}  // namespace

Result<void> check_step_program(const TripleTrainOptions& options, StepNegatives negatives) {
  if (options.encoder.kind != EncoderKind::None) {
    return Errors(ErrorCode::Usage, "--encoder",
                  "is a program by itself; a step's program has learned rows of entities");
  }
  if (negatives == StepNegatives::Given) return {};
  const auto refuse = [](const char* option, const char* what) {
    return Errors(ErrorCode::Usage, option,
                  std::string(what) + ", which is no `draw` of a step's program");
  };
  if (options.negatives.count == 0) return refuse("--negatives", "draws none");
  if (options.negatives.draw != NegativeDraw::Uniform) {
    return refuse("--draw", "is by degree");
  }
  if (options.negatives.filtered) return refuse("--filtered", "asks which triples are known");
  return {};
}

namespace {

// What a Program's row numbers are enough for, and what its lists of pairs and the factors of
// dropout may take of memory: about 1 GB.
Result<void> check_sizes(const TripleTrainOptions& options, std::uint32_t entities,
                         std::uint32_t relations, const ScoreFormula& formula,
                         const TrainingBatch& batch) {
  constexpr std::uint32_t kMostInFloat = 1u << 24;
  if (options.dtype == DType::F32 && std::max(entities, relations) > kMostInFloat) {
    return Errors(ErrorCode::LimitRows, "--dtype=f32",
                  "tells 2^24 rows apart, found " + std::to_string(std::max(entities, relations)) +
                      "; f64 tells all");
  }
  const std::uint64_t queries = batch.queries.size();
  const std::uint64_t pairs = batch.negative_count * queries;
  if (pairs > kMostPairs) {
    return Errors(ErrorCode::LimitRows, "--batch-size, --negatives",
                  "make " + std::to_string(pairs) + " pairs of a query and a negative a step, " +
                      "of which a program has at most 2^22: less of either makes fewer");
  }
  const std::uint64_t slots = 2 * queries + batch.chunks.size() * batch.negative_count;
  const TripleDropout& dropout = options.dropout;
  const std::uint64_t factors = (dropout.entities > 0 ? slots * formula.entity_width : 0) +
                                (dropout.relations > 0 ? queries * formula.relation_width : 0);
  if (factors <= kMostFactors) return {};
  return Errors(ErrorCode::LimitRows, "--batch-size, --negatives, --dim",
                "make " + std::to_string(factors) + " factors of dropout a step, " +
                    "of which a program has at most 2^24: less of any makes fewer");
}

}  // namespace

Result<TripleStepProgram> make_step_program(const TripleTrainOptions& options,
                                            std::uint32_t entities, std::uint32_t relations,
                                            const TrainingBatch& batch, const BatchMaker& maker,
                                            StepNegatives negatives) {
  VECC_TRY_VOID(check_step_program(options, negatives));
  VECC_TRY(ScoreFormula formula, formula_of_score(options));
  VECC_TRY_VOID(check_sizes(options, entities, relations, formula, batch));
  return StepAppender(options, std::move(formula), entities, relations, batch, maker, negatives)
      .make();
}

}  // namespace vecc::kg
