// vecc-kg train
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "src/kg/embeddings_file.h"
#include "src/kg/train/cuda/cuda_triple_trainer.h"
#include "src/kg/train/step_program.h"
#include "src/support/checksum.h"
#include "src/support/quantity_text.h"
#include "tools/common/data_sink.h"
#include "tools/common/interrupt.h"
#include "tools/common/logging.h"
#include "tools/common/run_tool.h"
#include "tools/common/stages.h"
#include "tools/common/statistics.h"
#include "tools/import/load/inverse_triples.h"
#include "tools/import/load/loaders.h"
#include "tools/import/load/repeated_edges.h"
#include "tools/kg/commands.h"
#include "tools/kg/evaluate_triples.h"
#include "tools/kg/train_config.h"
#include "tools/kg/train_options.h"
#include "tools/train_log/train_log.h"
#include "tools/vecc/weights_commands.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTrainTriplesFooter = R"(
Examples:
  vecc-kg train FB15k-237 --model=transe --dim=400 --negatives=256 --loss=logistic --margin=12 \
      --epochs=50 --save-weights=w.safetensors
                                          ranks valid.txt every 5 epochs, prints the last ranks
  vecc-kg train WN18 --model=complex --negatives=all --loss=softmax --inverse=on --n3=0.05
  vecc-kg train WN18 --score="r.M: dim x dim; r.b: 1; dot(h, r.M @ t) + r.b" --dim=100
  vecc-kg train FB15k-237 --model=tucker --dim=200 --relation-dim=30 --inverse=on \
      --negatives=k-vs-all --label-smoothing=0.1
  vecc-kg train FB15k-237 --config=configs/kg/rotate.toml --seed=1
  vecc-kg train FB15k-237 --config=configs/kg/rotate.toml --backend=cuda
  vecc-kg train FB15k-237 --model=transe --emit=ir -o step.vecc

docs/knowledge-graphs.md says what each option does. Exit codes: those of vecc.)";

struct TrainTriplesCommandLine {
  CLI::App app{"Learns embeddings of triples against negatives that are drawn at every step.",
               "vecc-kg train"};
  KgTrainOptions options;
  bool json = false;
  bool quiet = false;

  TrainTriplesCommandLine() {
    app.footer(kTrainTriplesFooter);
    add_kg_train_options(app, options);
    app.add_flag("--json", json, "The result as one JSON object, with times and sizes");
    app.add_flag("--quiet", quiet, "No words on stderr but errors");
  }
  TrainTriplesCommandLine(const TrainTriplesCommandLine&) = delete;  // options are referred to
  TrainTriplesCommandLine& operator=(const TrainTriplesCommandLine&) = delete;
};

/// Triples to train on, each once, with inverse ones if asked for, and all of the files to rank and
/// filter.
struct TrainingData {
  KgTriples all;
  std::vector<kg::Triple> training;
  std::uint64_t repeated = 0;  ///< of the training triples: left out
  NameTable entities;
  NameTable relations;
  bool validates = false;
};

NameTable table_of_names(const StringColumn& names) {
  NameTable table;
  for (std::size_t i = 0; i < names.size(); ++i) table.add(names[i]);
  return table;
}

std::vector<kg::Triple> triples_of(const TypedGraph& data, bool only_training) {
  std::vector<kg::Triple> triples;
  for (std::size_t i = 0; i < data.edge_count(); ++i) {
    const bool is_training = data.edge_split.empty() || data.edge_split[i] == Split::Train;
    if (only_training && !is_training) continue;
    triples.push_back({data.source[i], data.relation[i], data.target[i]});
  }
  return triples;
}

Result<TrainingData> load_training_data(const KgTrainOptions& options) {
  TripleLayout layout = options.layout;
  layout.keeps_repeated = true;
  VECC_TRY(TypedGraph data, load_triples(options.triples, layout));
  TrainingData result;
  result.all = {triples_of(data, false), data.edge_split};
  const std::size_t given = triples_of(data, true).size();
  drop_repeated_edges(data);  // training triples come first: they stay
  result.repeated = given - triples_of(data, true).size();
  for (const Split split : result.all.split) result.validates |= split == Split::Validation;
  if (options.inverse == "on") VECC_TRY_VOID(add_inverse_triples(data));
  result.training = triples_of(data, true);
  result.entities = table_of_names(data.node_names);
  result.relations = table_of_names(data.relation_names);
  if (!result.training.empty()) return result;
  return Errors(ErrorCode::BadSample, escape_terminal(options.triples, 4096),
                "has no triples to train on: train.txt, or one file");
}

/// Filtered ranks of the validation triples, by the weights of now: where a GPU trains them they
/// are ranked there, and so are rows that an encoder makes on one.
class RankEvaluator : public Evaluator {
 public:
  RankEvaluator(kg::TripleTrainer& trainer, const TrainingData& data, const KgTrainOptions& options)
      : trainer_(trainer),
        data_(data),
        has_encoder_(options.train.encoder.kind != kg::EncoderKind::None) {
    options_.split = SplitChoice::Validation;
    options_.threads = options.train.threads;
    options_.inverse = options.inverse == "on";
    options_.device = options.device;
  }
  [[nodiscard]] Result<TripleEvaluation> rank() {
    if (!ranking_) {
      VECC_TRY(ranking_, choose_ranking(data_.relations, data_.all, options_));
    }
    VECC_TRY(const std::vector<kg::Rank> ranks, ranks_of_now());
    return sum_up(*ranking_, ranks);
  }
  /// Its loss is 1 - the filtered MRR.
  [[nodiscard]] Result<Evaluation> evaluate() override {
    VECC_TRY(const TripleEvaluation found, rank());
    const kg::RankMeans& means = found.rows.front().means;
    Evaluation result;
    result.loss = 1 - means.mrr;
    result.metrics.samples = means.ranks;
    result.metrics.filtered_mrr = means.mrr;
    result.metrics.filtered_hits1 = means.hits1;
    result.metrics.filtered_hits3 = means.hits3;
    result.metrics.filtered_hits10 = means.hits10;
    return result;
  }
  [[nodiscard]] std::uint64_t bytes() const override { return 0; }

 private:
  [[nodiscard]] Result<std::vector<kg::Rank>> ranks_of_now() {
    if (has_encoder_) {
      VECC_TRY(const kg::Embeddings embeddings, trainer_.embeddings());
      return rank_on(options_.device, embeddings, *ranking_);
    }
    if (ranker_ == nullptr) {
      VECC_TRY(ranker_, trainer_.make_ranker(ranking_->asked, ranking_->known, ranking_->options));
    }
    return ranker_->rank();
  }

  kg::TripleTrainer& trainer_;
  const TrainingData& data_;
  bool has_encoder_;
  EvaluateTriplesOptions options_;
  std::optional<TripleRanking> ranking_;
  std::unique_ptr<kg::TripleRanker> ranker_;
};

std::string text_of_report(const EpochReport& report) {
  std::string text = fmt::format("loss {:.5g}", report.loss);
  if (report.validation) {
    const Metrics& m = report.validation->metrics;
    text +=
        fmt::format("  validation mrr {:.4f}  hits@10 {:.4f}", *m.filtered_mrr, *m.filtered_hits10);
  }
  return text;
}

std::string fingerprint_of(const TrainingData& data) {
  const auto crc_of = [](const auto& values) {
    return crc32_of(
        {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])});
  };
  return fmt::format("{} triples {}, {} to rank {}", data.training.size(),
                     checksum_text(crc_of(data.training)), data.all.triples.size(),
                     checksum_text(crc_of(data.all.triples)));
}

Result<TrainSummary> run_epochs(const TrainTriplesCommandLine& line, const TrainingData& data,
                                kg::TripleTrainer& trainer, RankEvaluator* validation,
                                ProgressLine& progress) {
  const TrainSettings& settings = line.options.settings;
  LoopOptions loop = settings.loop;
  loop.settings = kg_settings_text(line.options) + ", " + fingerprint_of(data);
  TrainLogs logs;
  const bool prints = !line.quiet && ::isatty(STDERR_FILENO) == 0;
  LoopParts parts{trainer};
  parts.validation = validation;
  parts.should_stop = interrupt_pending;
  parts.begin = [&](std::uint64_t finished) {
    return logs.open(settings.logs, loop.resume ? std::optional(finished) : std::nullopt);
  };
  parts.report = [&](const EpochReport& report) {
    progress.update(report.epoch, loop.epochs, ProgressUnit::Epochs);
    const std::string text = text_of_report(report);
    progress.say(text);
    if (prints && (report.validation || report.epoch == loop.epochs)) {
      fmt::print(stderr, "epoch {}/{}  {}\n", report.epoch, loop.epochs, text);
    }
    return logs.write(report);
  };
  return train(parts, loop);
}

Result<void> write_model(const TrainTriplesCommandLine& line, const TrainingData& data,
                         kg::TripleTrainer& trainer) {
  if (line.options.save_weights.empty()) return {};
  VECC_TRY(kg::Embeddings embeddings, trainer.embeddings());
  embeddings.entity_names = data.entities.names();
  embeddings.relation_names = data.relations.names();
  return write_weights(kg::weights_of(embeddings), line.options.save_weights);
}

Result<void> print_result(const TrainTriplesCommandLine& line, const TrainingData& data,
                          const TrainSummary& summary, double loss,
                          const std::optional<TripleEvaluation>& found, const Stages& stages) {
  if (!line.json) {
    return found ? print_table(tools::table_of(found->rows), /*keeps_header=*/true)
                 : Result<void>();
  }
  const Json result{{"model", line.options.model},
                    {"triples", data.training.size()},
                    {"entities", data.entities.size()},
                    {"relations", data.relations.size()},
                    {"epochs", summary.epochs},
                    {"best_epoch", summary.best_epoch},
                    {"step_seconds", summary.step_seconds},
                    {"loss", loss},
                    {"split", "validation"},
                    {"metrics", found ? tools::json_of(found->rows) : Json()},
                    {"stages", stages.json()},
                    {"vecc", VECC_VERSION}};
  return write_data("", dump_json(result, 2) + "\n");
}

Result<std::unique_ptr<kg::TripleTrainer>> make_trainer_of(const KgTrainOptions& options,
                                                           const TrainingData& data) {
  const auto entities = static_cast<std::uint32_t>(data.entities.size());
  const auto relations = static_cast<std::uint32_t>(data.relations.size());
  const bool has_encoder = options.train.encoder.kind != kg::EncoderKind::None;
  if (has_encoder || options.device.kind != Device::Kind::Cuda) {
    kg::TripleTrainOptions train = options.train;
    if (has_encoder && options.inverse == "on") {
      train.encoder.inverse = inverse_relations(data.relations);
    }
    return kg::make_triple_trainer(data.training, entities, relations, train);
  }
  return kg::make_cuda_triple_trainer(data.training, entities, relations, options.train,
                                      options.device.index);
}

/// --emit: the first step, with negatives that it draws itself where their law is one of a `draw`.
Result<void> emit_step(const KgTrainOptions& options) {
  VECC_TRY(const TrainingData data, load_training_data(options));
  const auto entities = static_cast<std::uint32_t>(data.entities.size());
  const auto relations = static_cast<std::uint32_t>(data.relations.size());
  const kg::TripleTrainOptions& train = options.train;
  VECC_TRY_VOID(kg::check_triple_options(data.training.size(), entities, relations, options.train));
  VECC_TRY_VOID(kg::check_step_program(train, kg::StepNegatives::Given));
  kg::BatchMaker maker(data.training, entities, relations, train.negatives, train.batch_size,
                       train.seed);
  const kg::TrainingBatch batch = maker.make(0, 0);
  const bool draws = kg::check_step_program(train, kg::StepNegatives::Drawn).has_value();
  const auto negatives = draws ? kg::StepNegatives::Drawn : kg::StepNegatives::Given;
  VECC_TRY(kg::TripleStepProgram step,
           kg::make_step_program(train, entities, relations, batch, maker, negatives));
  for (ParameterValues& set : step_values(step.ops, 1, train.schedule.rate_at(0))) {
    step.program.set_parameter_values(set.parameter, SharedNumbers::of(std::move(set.values)));
  }
  return emit_program(step.program, options.emit, {});
}

Result<void> train_by(TrainTriplesCommandLine& line) {
  const KgTrainOptions& options = line.options;
  if (options.emit.kind) return emit_step(options);
  VECC_TRY_VOID(check_file_writable(options.save_weights));
  Stages stages(!line.quiet);
  VECC_TRY(const TrainingData data,
           stages.run("triples", [&](ProgressLine&) { return load_training_data(options); }));
  const std::string repeated =
      data.repeated > 0
          ? fmt::format(" ({} left out)", text_of_count(data.repeated, "repeated one"))
          : std::string();
  stages.describe(fmt::format("{} to train on{}, {}, {}",
                              text_of_count(data.training.size(), "triple"), repeated,
                              text_of_count(data.entities.size(), "entity embedding"),
                              text_of_count(data.relations.size(), "relation")));
  if (options.settings.loop.early_stop > 0 && !data.validates) {
    return Errors(ErrorCode::Usage, "--early-stop", "needs triples to validate with: valid.txt");
  }
  const auto make = [&] { return make_trainer_of(options, data); };
  const kg::EncoderKind encoder = options.train.encoder.kind;
  VECC_TRY(const auto trainer, encoder == kg::EncoderKind::None
                                   ? make()
                                   : stages.run("encoder", [&](ProgressLine&) { return make(); }));
  if (encoder != kg::EncoderKind::None) {
    stages.describe(fmt::format("{}, {}", kg::text_of(encoder),
                                text_of_count(options.train.encoder.layers, "layer")));
  }
  RankEvaluator validation(*trainer, data, options);
  const DeferInterrupt finish_step;
  VECC_TRY(const TrainSummary summary, stages.run("train", [&](ProgressLine& progress) {
    return run_epochs(line, data, *trainer, data.validates ? &validation : nullptr, progress);
  }));
  VECC_TRY(const double loss, trainer->epoch_loss());
  stages.describe(fmt::format(
      "{} of {}, {}{}", text_of_count(summary.epochs, "epoch"),
      text_of_count(trainer->batch_count(), "step"), text_of_bytes(trainer->bytes()),
      summary.end == TrainEnd::EarlyStop
          ? fmt::format("; stopped early, the weights are those of epoch {}", summary.best_epoch)
          : std::string(summary.end == TrainEnd::Interrupted ? "; interrupted" : "")));
  VECC_TRY_VOID(write_model(line, data, *trainer));
  std::optional<TripleEvaluation> found;
  if (data.validates && summary.end != TrainEnd::Interrupted) {
    VECC_TRY(found, stages.run("rank", [&](ProgressLine&) { return validation.rank(); }));
  }
  VECC_TRY_VOID(print_result(line, data, summary, loss, found, stages));
  if (!line.quiet) {
    const std::string report = escape_terminal(options.triples, 4096) + "\n" + stages.text();
    std::fputs(report.c_str(), stderr);
  }
  return {};
}

}  // namespace

int train_triples_main(int argc, char** argv) {
  TrainTriplesCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const std::string problem = finish_kg_train_options(line.app, line.options);
  if (!problem.empty()) {
    return report_usage("vecc-kg train",
                        say_config_keys(line.app, line.options.config_keys, problem));
  }
  set_up_logging(line.quiet ? "off" : "warn");
  const Result<void> result = train_by(line);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> train_triples_command_line() {
  return app_of(std::make_shared<TrainTriplesCommandLine>());
}

}  // namespace vecc::tools
