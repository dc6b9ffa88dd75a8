#include "train_folds.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/common/interrupt.h"
#include "tools/train_log/train_log.h"
#include "train_samples.h"
#include "training.h"
#include "vecc/batch_program.h"
#include "vecc/forward_batches.h"
#include "weight_stages.h"

namespace vecc::tools {
namespace {

// Loss and metrics by name, a number a fold: NaN where a fold has none (AUROC of one class).
class FoldTable {
 public:
  void add(const Evaluator::Evaluation& fold) {
    put("loss", fold.loss);
    for (const auto& [name, value] : values_of(fold.metrics)) put(name, value);
    ++folds_;
  }

  void describe(Stages& stages) {
    std::string words;
    nlohmann::ordered_json numbers;
    for (auto& [name, values] : columns_) {
      values.resize(folds_, kNone);
      const std::string mean = text_of_mean(values);
      if (!mean.empty()) words += (words.empty() ? "" : ", ") + name + " " + mean;
      for (const double v : values) {
        numbers[name].push_back(std::isnan(v) ? nlohmann::ordered_json()
                                              : nlohmann::ordered_json(v));
      }
    }
    stages.describe(words + fmt::format(" (mean and standard error of {} folds)", folds_),
                    std::move(numbers));
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  void put(std::string_view name, double value) {
    auto column = std::ranges::find(columns_, name, [](const auto& c) { return c.first; });
    if (column == columns_.end()) {
      column = columns_.emplace(columns_.end(), name, std::vector<double>());
    }
    column->second.resize(folds_, kNone);
    column->second.push_back(value);
  }

  // Of the folds that have the number; empty if fewer than two do.
  [[nodiscard]] static std::string text_of_mean(const std::vector<double>& values) {
    double sum = 0;
    double n = 0;
    for (const double v : values) {
      if (std::isnan(v)) continue;
      sum += v;
      ++n;
    }
    if (n < 2) return {};
    const double mean = sum / n;
    double squares = 0;
    for (const double v : values) {
      if (!std::isnan(v)) squares += (v - mean) * (v - mean);
    }
    return fmt::format("{:.4f} +- {:.4f}", mean, std::sqrt(squares / (n - 1) / n));
  }

  std::vector<std::pair<std::string, std::vector<double>>> columns_;
  std::size_t folds_ = 0;
};

// The trainings, one after another.
class CrossValidation {
 public:
  CrossValidation(const NeuronGraph& graph, const Program& program, const BackendChoice& choice,
                  const Options& options, Stages& stages)
      : graph_(graph),
        program_(program),
        choice_(choice),
        options_(options),
        stages_(stages),
        train_options_(complete_options(graph, program, options)) {
    predictions_.backend = choice.backend->name();
    predictions_.reason = choice.reason;
    predictions_.dtype = program.dtype();
    predictions_.precision = options.precision.value_or(MatmulPrecision::Exact);
    predictions_.outputs.resize(graph.samples.size());
    predictions_.folds.resize(graph.samples.size());
    predictions_.run_seconds = {0};
  }

  Result<void> run_fold(std::uint32_t fold, const SampleSplit& split) {
    Training training(graph_, program_, choice_, options_, train_options_);
    VECC_TRY_VOID(training.prepare(split, nullptr));
    std::vector<std::string> logs = options_.training.logs;
    for (std::string& log : logs) log = log_of_fold(log, fold);
    VECC_TRY_VOID(stages_.run(fmt::format("fold {}", fold),
                              [&](ProgressLine& line) { return training.run(line, logs); }));
    training.describe(stages_);
    VECC_TRY(const Evaluator::Evaluation result, training.validate());
    table_.add(result);
    VECC_TRY_VOID(predict(fold, split.validation, training.execution()));
    return save(fold, training.trainer());
  }

  Execution finish() {
    stages_.run("folds", [](ProgressLine&) { return 0; });
    table_.describe(stages_);
    return std::move(predictions_);
  }

 private:
  // All folds are one run over the samples.
  void add_seconds(std::chrono::steady_clock::time_point start) {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    predictions_.run_seconds.front() += time.count();
  }

  Result<std::vector<Executable::Output>> outputs_of(const Program& part,
                                                     const ExecutionOptions& execution) {
    if (options_.eval_batch_size > 0) {
      VECC_TRY(ForwardBatches batches,
               ForwardBatches::compile(part, *choice_.backend, execution,
                                       {.batch_size = options_.eval_batch_size}));
      predictions_.device = batches.executable().device_name();
      const auto start = std::chrono::steady_clock::now();
      VECC_TRY(auto outputs, batches.outputs());
      add_seconds(start);
      return outputs;
    }
    VECC_TRY(const auto executable, choice_.backend->compile(part, execution));
    predictions_.device = executable->device_name();
    const auto start = std::chrono::steady_clock::now();
    VECC_TRY_VOID(executable->run());
    add_seconds(start);
    return executable->outputs();
  }

  Result<void> predict(std::uint32_t fold, std::span<const std::uint32_t> samples,
                       const ExecutionOptions& execution) {
    const Program part = BatchProgram(program_).restrict_to(samples);
    ExecutionOptions once = execution;
    once.expected_runs = 1;
    VECC_TRY(std::vector<Executable::Output> outputs, outputs_of(part, once));
    for (std::size_t i = 0; i < samples.size(); ++i) {
      predictions_.outputs[samples[i]] = std::move(outputs[i]);
      predictions_.folds[samples[i]] = fold;
    }
    return {};
  }

  // --save-weights: a file of the fold.
  Result<void> save(std::uint32_t fold, Trainer& trainer) {
    if (options_.save_weights.empty()) return {};
    NeuronGraph learned;
    learned.weight_tables = graph_.weight_tables;
    VECC_TRY_VOID(trainer.copy_weights_to(learned));
    return save_graph_weights(learned, options_.facts, path_of_fold(options_.save_weights, fold),
                              stages_);
  }

  const NeuronGraph& graph_;
  const Program& program_;
  const BackendChoice& choice_;
  const Options& options_;
  Stages& stages_;
  TrainOptions train_options_;
  Execution predictions_;
  FoldTable table_;
};

}  // namespace

Result<Execution> cross_validate(const NeuronGraph& graph, const Program& program,
                                 const BackendChoice& choice, const Options& options,
                                 Stages& stages) {
  const DeferInterrupt finish_step;
  VECC_TRY(const std::vector<SampleSplit> splits,
           fold_splits(graph, options.training.folds, options.training.options.seed));
  CrossValidation folds(graph, program, choice, options, stages);
  for (std::uint32_t k = 0; k < splits.size() && !interrupt_pending(); ++k) {
    VECC_TRY_VOID(folds.run_fold(k + 1, splits[k]));
  }
  return folds.finish();
}

}  // namespace vecc::tools
