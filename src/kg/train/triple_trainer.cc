#include "src/kg/train/triple_trainer.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

#include "src/kg/train/graph_encoder.h"
#include "src/kg/train/learned_model.h"
#include "src/kg/train/learned_rows.h"
#include "src/kg/train/parallel_tasks.h"
#include "src/kg/train/plane_constraints.h"
#include "src/kg/train/score_pass.h"
#include "src/kg/train/trainer_file.h"
#include "src/kg/vector_sums.h"
#include "src/support/thread_team.h"

namespace vecc::kg {
namespace {

std::uint32_t thread_count(std::uint32_t asked) {
  return asked > 0 ? asked : std::max(1u, std::thread::hardware_concurrency());
}

template <class T>
std::uint64_t bytes_of(const LearnedRows<T>& table) {
  return table.values.size() * sizeof(T) * (1 + table.states.size());
}

class EmbeddingsRanker : public TripleRanker {
 public:
  EmbeddingsRanker(TripleTrainer& trainer, std::span<const Triple> triples,
                   const KnownTriples& known, const RankOptions& options)
      : trainer_(trainer),
        triples_(triples.begin(), triples.end()),
        known_(known),
        options_(options) {}
  [[nodiscard]] Result<std::vector<Rank>> rank() override {
    VECC_TRY(const Embeddings embeddings, trainer_.embeddings());
    return rank_triples(embeddings, triples_, known_, options_);
  }

 private:
  TripleTrainer& trainer_;
  std::vector<Triple> triples_;
  const KnownTriples& known_;
  RankOptions options_;
};

template <class T>
class RowTrainer : public TripleTrainer {
 public:
  RowTrainer(std::vector<Triple> triples, std::uint32_t entities, std::uint32_t relations,
             const TripleTrainOptions& options, std::shared_ptr<const ScoreCode> formula,
             std::unique_ptr<GraphEncoder<T>> encoder)
      : options_(options),
        batches_(std::move(triples), entities, relations, options.negatives, options.batch_size,
                 options.seed),
        model_(initial_model<T>(entities, relations, options, std::move(formula))),
        encoder_(std::move(encoder)),
        team_(thread_count(options.threads)),
        pass_(model_, team_, options.dropout, options.seed) {
    if (encoder_ != nullptr) model_.entities.states.clear();  // its tables have them
  }

  [[nodiscard]] std::uint64_t batch_count() const override { return batches_.batch_count(); }
  [[nodiscard]] TrainPosition position() const override { return progress_.position; }
  [[nodiscard]] double rate() const override {
    const TrainPosition& at = progress_.position;  // the last step's: of the epoch that it ended
    return options_.schedule.rate_at(at.batch == 0 && at.epoch > 0 ? at.epoch - 1 : at.epoch);
  }
  [[nodiscard]] Result<double> epoch_loss() override {
    return progress_.queries > 0 ? progress_.loss_sum / static_cast<double>(progress_.queries) : 0;
  }
  [[nodiscard]] Result<std::vector<TrainedEpoch>> epochs(std::uint32_t count) override {
    std::vector<TrainedEpoch> result;
    for (std::uint32_t i = 0; i < count; ++i) {
      for (std::uint64_t batch = 0; batch < batch_count(); ++batch) VECC_TRY_VOID(step());
      VECC_TRY(const double loss, epoch_loss());
      result.push_back({rate(), loss});
    }
    return result;
  }
  [[nodiscard]] std::shared_ptr<Storage> storage() const override { return nullptr; }
  [[nodiscard]] std::uint64_t bytes() const override {
    return bytes_of(model_.entities) + bytes_of(model_.relations) + bytes_of(model_.shared) +
           pass_.bytes() + (encoder_ != nullptr ? encoder_->bytes() : 0);
  }
  [[nodiscard]] Result<BatchReport> batch_report() override {
    return BatchReport{.way = batch_count() > 1 ? "bind" : "all",
                       .samples = batches_.batch_size(),
                       .bytes = {.values = pass_.bytes()},
                       .step_bytes = bytes()};
  }

  [[nodiscard]] Result<void> step() override {
    TrainPosition& at = progress_.position;
    if (at.batch == 0) {
      progress_.loss_sum = 0;
      progress_.queries = 0;
    }
    const TrainingBatch batch = batches_.make(at.epoch, at.batch);
    if (encoder_ != nullptr) {
      VECC_TRY_VOID(encoder_->encode(batch, batches_, model_.entities.values));
    }
    const double loss = pass_.run(batch, batches_, options_.loss) + penalty(batch);
    if (!std::isfinite(loss)) {
      return Errors(
          ErrorCode::NonFinite,
          "epoch " + std::to_string(at.epoch + 1) + ", batch " + std::to_string(at.batch + 1),
          "the loss is not finite: a lower learning rate (--lr) may help");
    }
    VECC_TRY_VOID(move_rows(
        batch, RowStep(options_.optimizer, at.step + 1, options_.schedule.rate_at(at.epoch))));
    progress_.loss_sum += loss * static_cast<double>(batch.queries.size());
    progress_.queries += batch.queries.size();
    ++at.step;
    if (++at.batch == batch_count()) {
      at.batch = 0;
      ++at.epoch;
    }
    return {};
  }

  [[nodiscard]] Result<Embeddings> embeddings() override {
    VECC_TRY_VOID(encode());
    return embeddings_of(model_);
  }
  [[nodiscard]] Result<std::vector<MetadataEntry>> save_to(const PlaceTensor& place) override {
    VECC_TRY_VOID(encode());
    return place_all(save_training(model_, encoder_.get(), options_.optimizer, progress_), place);
  }
  [[nodiscard]] Result<void> restore(const WeightSource& source) override {
    VECC_TRY(const WeightFile file, read_all(source));
    VECC_TRY(progress_,
             restore_training(file, options_.optimizer, batch_count(), model_, encoder_.get()));
    return {};
  }
  [[nodiscard]] Result<void> copy_weights_to(NeuronGraph&) override {
    return Errors(ErrorCode::Usage, "train", "no graph has the weights of drawn negatives");
  }
  [[nodiscard]] Result<std::optional<NonFinite>> find_non_finite(
      const WeightSource& good) override {
    const TrainPosition last = position();
    VECC_TRY_VOID(restore(good));
    while (position().step < last.step) {
      const TrainPosition at = position();
      const Result<void> stepped = step();
      if (!stepped) return std::optional(NonFinite{at, "the loss", 0});
    }
    return std::optional<NonFinite>();
  }

 private:
  // With an encoder: the entities' rows by its tables of now, and all edges.
  [[nodiscard]] Result<void> encode() {
    return encoder_ != nullptr ? encoder_->encode(model_.entities.values) : Result<void>();
  }

  // Of what the regularizer reads of a query: its entity, relation and answer.
  [[nodiscard]] double penalty(const TrainingBatch& batch) const {
    const TripleRegularizer& r = options_.regularizer;
    if (r.l2 == 0 && r.n3 == 0 && r.constraints == 0) return 0;
    double sum = 0;
    for (std::size_t i = 0; i < batch.queries.size(); ++i) {
      if (r.constraints > 0) sum += r.constraints * constraints_of(batch, i);
      sum += penalty_of(model_.entities, batch.queries[i].anchor, options_.regularizer);
      sum += penalty_of(model_.entities, batch.answers[i], options_.regularizer);
      sum += penalty_of(model_.relations, batch.queries[i].relation, options_.regularizer);
    }
    return sum / static_cast<double>(batch.queries.size());
  }

  [[nodiscard]] double constraints_of(const TrainingBatch& batch, std::size_t i) const {
    const std::size_t dim = model_.entities.width;
    return excess_length(model_.entities.row(batch.queries[i].anchor), dim) +
           excess_length(model_.entities.row(batch.answers[i]), dim) +
           excess_angle(model_.relations.row(batch.queries[i].relation), dim);
  }

  // `space`: for a relation that dropout changes. `reads_relation`: rescal's derivative by its
  // matrix does not.
  [[nodiscard]] QueryGradient<T> gradient_of(const TrainingBatch& batch, std::size_t i,
                                             std::vector<T>& space,
                                             bool reads_relation = true) const {
    return {model_.score.model,     batch.queries[i].asked,
            pass_.rows().anchor(i), reads_relation ? pass_.rows().relation(i, space) : nullptr,
            model_.entities.width,  pass_.by_query(i),
            pass_.by_bias(i),       pass_.by_normal(i)};
  }

  // Relations after what entities get is known, entities last: all gradients are of the weights
  // before the step.
  [[nodiscard]] Result<void> move_rows(const TrainingBatch& batch, const RowStep& step) {
    const std::size_t queries = batch.queries.size();
    const std::size_t dim = model_.entities.width;
    const double scale = 1 / static_cast<double>(queries);
    if (pass_.formula() == nullptr) differentiate_anchors(batch);
    parts_.clear();
    for (std::size_t i = 0; i < queries; ++i) {
      parts_.add(batch.queries[i].relation, static_cast<std::uint32_t>(i));
    }
    // transr: behind the queries its groups.
    const std::size_t groups = pass_.matrices() != nullptr ? pass_.matrices()->group_count() : 0;
    for (std::size_t i = 0; i < groups; ++i) {
      parts_.add(pass_.matrices()->relation_of(i), static_cast<std::uint32_t>(queries + i));
    }
    const auto add_relation = [&](std::uint32_t part, T* sum) {
      if (part >= queries) return pass_.matrices()->add_group_to_relation(part - queries, sum);
      const std::uint32_t row = batch.queries[part].relation;
      add_relation_gradient(batch, part, sum);
      add_penalty_gradient(model_.relations, row, options_.regularizer, scale, sum);
      if (options_.regularizer.constraints > 0) {
        add_excess_angle_gradient(model_.relations.row(row), dim,
                                  options_.regularizer.constraints * scale, sum);
      }
    };
    parts_.template move<T>(step, team_, model_.relations, add_relation);
    if (model_.shared.rows > 0) {
      step.move(model_.shared, 0, pass_.formula()->by_shared().data());
    }
    return move_entities(batch, step, scale);
  }

  // By the queries' entities.
  void differentiate_anchors(const TrainingBatch& batch) {
    const std::size_t dim = model_.entities.width;
    by_anchor_.assign(batch.queries.size() * dim, 0);
    run_tasks(team_, batch.queries.size(), [&](std::size_t i) {
      std::vector<T> space;
      T* const by_anchor = by_anchor_.data() + i * dim;
      gradient_of(batch, i, space).add_to_entity(by_anchor);
      if (pass_.matrices() != nullptr) add_scaled(T{-1}, pass_.by_answer(i), dim, by_anchor);
    });
  }

  void add_relation_gradient(const TrainingBatch& batch, std::size_t i, T* sum) const {
    if (const FormulaTerms<T>* const formula = pass_.formula(); formula != nullptr) {
      if (pass_.rows().drops_relations()) {
        return pass_.rows().add_relation_gradient(i, formula->by_relation(i), sum);
      }
      return add_scaled(T{1}, formula->by_relation(i), model_.relations.width, sum);
    }
    std::vector<T> space;
    const QueryGradient<T> gradient =
        gradient_of(batch, i, space, model_.score.model != ScoreModel::Rescal);
    if (pass_.matrices() != nullptr) pass_.matrices()->add_positive_to_relation(i, sum);
    if (!pass_.rows().drops_relations()) return gradient.add_to_relation(sum);
    std::vector<T> by_read(model_.relations.width);
    gradient.add_to_relation(by_read.data());
    pass_.rows().add_relation_gradient(i, by_read.data(), sum);
  }

  // Parts: the slots of StepRows.
  [[nodiscard]] Result<void> move_entities(const TrainingBatch& batch, const RowStep& step,
                                           double scale) {
    const std::size_t queries = batch.queries.size();
    const std::size_t dim = model_.entities.width;
    parts_.clear();
    for (std::size_t i = 0; i < queries; ++i) {
      parts_.add(batch.queries[i].anchor, static_cast<std::uint32_t>(i));
      parts_.add(batch.answers[i], static_cast<std::uint32_t>(queries + i));
    }
    for (std::size_t i = 0; i < batch.negatives.size(); ++i) {
      parts_.add(batch.negatives[i], static_cast<std::uint32_t>(2 * queries + i));
    }
    const auto add_entity = [&](std::uint32_t part, T* sum) {
      const T* const gradient = pass_.formula() != nullptr ? pass_.formula()->by_entity(part)
                                : part < queries           ? by_anchor_.data() + part * dim
                                : part < 2 * queries       ? pass_.by_answer(part - queries)
                                                           : pass_.by_negative(part - 2 * queries);
      pass_.rows().add_entity_gradient(part, gradient, sum);
      if (part >= 2 * queries) return;
      const std::uint32_t row =
          part < queries ? batch.queries[part].anchor : batch.answers[part - queries];
      add_penalty_gradient(model_.entities, row, options_.regularizer, scale, sum);
      if (options_.regularizer.constraints > 0) {
        add_excess_length_gradient(model_.entities.row(row), dim,
                                   options_.regularizer.constraints * scale, sum);
      }
    };
    if (encoder_ != nullptr) return move_encoder(step, add_entity);
    parts_.template move<T>(step, team_, model_.entities, add_entity);
    return {};
  }

  [[nodiscard]] Result<void> move_encoder(
      const RowStep& step, const std::function<void(std::uint32_t part, T* sum)>& add_entity) {
    const std::size_t width = model_.entities.width;
    by_entities_.assign(model_.entities.values.size(), 0);
    parts_.template sum<T>(team_, width, add_entity, [&](std::uint32_t row, const T* sum) {
      std::copy_n(sum, width, by_entities_.data() + row * width);
    });
    return encoder_->step(by_entities_, step, team_);
  }

  TripleTrainOptions options_;
  BatchMaker batches_;
  LearnedModel<T> model_;  ///< with an encoder its entities are what that makes
  std::unique_ptr<GraphEncoder<T>> encoder_;
  ThreadTeam team_;
  ScorePass<T> pass_;
  TripleProgress progress_;
  RowParts parts_;
  std::vector<T> by_anchor_;         ///< [queries][dim]
  std::vector<double> by_entities_;  ///< with an encoder: as its rows
};

template <class T>
Result<std::unique_ptr<TripleTrainer>> make_row_trainer(std::vector<Triple> triples,
                                                        std::uint32_t entities,
                                                        std::uint32_t relations,
                                                        const TripleTrainOptions& options,
                                                        std::shared_ptr<const ScoreCode> formula) {
  std::unique_ptr<GraphEncoder<T>> encoder;
  if (options.encoder.kind != EncoderKind::None) {
    const std::size_t width = formula ? formula->formula().entity_width
                                      : info_of(options.model).entities.size() * options.dim;
    VECC_TRY(encoder, GraphEncoder<T>::make(triples, entities, relations,
                                            static_cast<std::uint32_t>(width), options));
  }
  return std::unique_ptr<TripleTrainer>(std::make_unique<RowTrainer<T>>(
      std::move(triples), entities, relations, options, std::move(formula), std::move(encoder)));
}

}  // namespace

Result<std::unique_ptr<TripleRanker>> TripleTrainer::make_ranker(std::span<const Triple> triples,
                                                                 const KnownTriples& known,
                                                                 const RankOptions& options) {
  return std::unique_ptr<TripleRanker>(
      std::make_unique<EmbeddingsRanker>(*this, triples, known, options));
}

Result<std::unique_ptr<TripleTrainer>> make_triple_trainer(std::vector<Triple> triples,
                                                           std::uint32_t entities,
                                                           std::uint32_t relations,
                                                           const TripleTrainOptions& options) {
  VECC_TRY_VOID(check_triple_options(triples.size(), entities, relations, options));
  std::shared_ptr<const ScoreCode> formula;
  if (options.model == ScoreModel::Formula) {
    VECC_TRY(ScoreFormula parsed, formula_of(options));
    VECC_TRY(formula, ScoreCode::load(std::move(parsed), options.dtype,
                                      {.gradients = true, .interpret = options.interpret}));
  }
  return options.dtype == DType::F64
             ? make_row_trainer<double>(std::move(triples), entities, relations, options,
                                        std::move(formula))
             : make_row_trainer<float>(std::move(triples), entities, relations, options,
                                       std::move(formula));
}

}  // namespace vecc::kg
