#include "tools/learn/learn.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "src/support/quantity_text.h"
#include "tools/common/data_sink.h"
#include "tools/common/interrupt.h"
#include "tools/common/statistics.h"
#include "tools/html/html_page.h"
#include "tools/learn/database_graph.h"
#include "tools/learn/model_file.h"
#include "tools/vecc/evaluate_samples.h"
#include "tools/vecc/graph_stages.h"
#include "tools/vecc/optimize_for.h"
#include "tools/vecc/report.h"
#include "tools/vecc/train_stage.h"
#include "tools/vecc/weights_commands.h"
#include "vecc/escape.h"
#include "vecc/vectorize.h"

namespace vecc::tools {

using Json = nlohmann::ordered_json;

namespace {

/// Epochs without a lower validation loss, where nothing else is said.
constexpr std::uint64_t kPatience = 30;

struct SplitScore {
  SplitChoice split = SplitChoice::All;
  Evaluator::Evaluation found;
  bool ranks_all = false;  // links: the candidates are all rows, not some that were drawn

  /// By name. What is ranked among all rows is not sampled: `map@10`.
  [[nodiscard]] std::vector<std::pair<std::string, double>> metrics() const {
    constexpr std::string_view kSampled = "sampled_";
    std::vector<std::pair<std::string, double>> named;
    for (const auto& [name, value] : values_of(found.metrics)) {
      const bool drops = ranks_all && std::string_view(name).starts_with(kSampled);
      named.emplace_back(std::string_view(name).substr(drops ? kSampled.size() : 0), value);
    }
    return named;
  }
};

struct Trained {
  NeuronGraph graph;
  std::optional<Program> before;  // of a page
  Optimized optimized;
  BackendChoice backend;
  TrainingCurves curves;
  Loss loss = Loss::SquaredDiff;
};

bool has_split(const NeuronGraph& graph, Split split) {
  return std::ranges::any_of(graph.samples, [&](const Sample& s) { return s.split == split; });
}

Result<Trained> train_on(NeuronGraph graph, LearnOptions& o, Stages& stages) {
  Options& run = o.run;
  if (run.training.loop.early_stop == 0 && has_split(graph, Split::Validation)) {
    run.training.loop.early_stop = kPatience;
  }
  VECC_TRY(Vectorized vectorized, vectorize_graph(graph, run, stages));
  VECC_TRY(BackendChoice backend, choose_backend(vectorized.program, run));
  std::optional<Program> before;
  if (!o.page.empty()) before = vectorized.program;
  VECC_TRY(Optimized optimized, optimize_for(std::move(vectorized.program), backend, run, stages));
  const auto no_file = [](const std::string& path) -> Result<ValidationGraph> {
    return Errors(ErrorCode::Usage, path, "samples to validate with are the database's own");
  };
  const DeferInterrupt finish_step;
  VECC_TRY(TrainingCurves curves,
           train_graph(graph, optimized.program, backend, run, no_file, stages));
  give_weights(graph, optimized.program);
  return Trained{std::move(graph),   std::move(before), std::move(optimized),
                 std::move(backend), std::move(curves), Loss::SquaredDiff};
}

Result<std::vector<SplitScore>> evaluate_splits(Trained& trained, const LearnOptions& o) {
  const Options& run = o.run;
  std::vector<SplitScore> scores;
  const std::array<std::pair<Split, SplitChoice>, 3> splits{
      {{Split::Train, SplitChoice::Train},
       {Split::Validation, SplitChoice::Validation},
       {Split::Test, SplitChoice::Test}}};
  for (const auto& [split, choice] : splits) {
    if (!has_split(trained.graph, split)) continue;
    VECC_TRY(const auto samples, choose_samples(trained.graph, choice));
    VECC_TRY(
        const SampleEvaluation found,
        evaluate_samples(trained.graph, trained.optimized.program, *trained.backend.backend,
                         execution_options(run), run.training.loss, samples, run.eval_batch_size));
    trained.loss = found.loss;
    const bool ranks_all = split != Split::Train && o.database.samples.candidates == 0;
    scores.push_back({choice, found.evaluation, ranks_all});
  }
  return scores;
}

Result<void> print_scores(const std::vector<SplitScore>& scores) {
  std::vector<std::vector<std::string>> lines{{"metric"}, {"samples"}, {"loss"}};
  for (const SplitScore& score : scores) {
    lines[0].emplace_back(text_of(score.split));
    lines[1].push_back(std::to_string(score.found.metrics.samples));
    lines[2].push_back(fmt::format("{:.4f}", score.found.loss));
    for (const auto& metric : score.metrics()) {
      const std::string& name = metric.first;
      auto line = std::ranges::find_if(lines, [&](const auto& l) { return l[0] == name; });
      if (line == lines.end()) line = lines.insert(line, {name});
      line->resize(lines[0].size() - 1, "-");  // earlier splits have no such number
      line->push_back(fmt::format("{:.4f}", metric.second));
    }
  }
  for (auto& line : lines) line.resize(lines[0].size(), "-");
  return print_table(lines, /*keeps_header=*/true);
}

Json json_of(const std::vector<SplitScore>& scores) {
  Json result = Json::object();
  for (const SplitScore& score : scores) {
    Json metrics{{"samples", score.found.metrics.samples},
                 {"loss", std::isfinite(score.found.loss) ? Json(score.found.loss) : Json()}};
    for (const auto& [name, value] : score.metrics()) metrics[name] = value;
    result[std::string(text_of(score.split))] = std::move(metrics);
  }
  return result;
}

Result<void> write_page(const LearnOptions& o, const Trained& trained, Stages& stages) {
  if (o.page.empty()) return {};
  VECC_TRY_VOID(stages.run("page", [&](ProgressLine&) {
    const HtmlInput page{
        sql::shown_source(o.database.common.input) + ": " + o.database.samples.target,
        *trained.before,
        trained.optimized.program,
        trained.optimized.report,
        {},
        trained.curves.charts().empty() ? nullptr : &trained.curves};
    return write_data(o.page, html_page(page));
  }));
  stages.describe(escape_terminal(o.page, 4096));
  return {};
}

Result<void> finish(const LearnOptions& o, Trained& trained, Stages& stages) {
  VECC_TRY(const std::vector<SplitScore> scores,
           stages.run("evaluate", [&](ProgressLine&) { return evaluate_splits(trained, o); }));
  stages.describe(text_of_count(trained.graph.samples.size(), "sample"));
  VECC_TRY(const std::string digest, stages.run("save", [&](ProgressLine&) {
    return write_model(trained.graph, trained.loss, o.model);
  }));
  stages.describe(text_of_count(trained.graph.weight_count(), "weight") + " in " +
                      escape_terminal(o.model, 4096) + ", digest " + digest,
                  {{"digest", digest}});
  VECC_TRY_VOID(write_page(o, trained, stages));
  if (!o.run.json) return print_scores(scores);
  const Json result{{"model", o.model},
                    {"digest", digest},
                    {"metrics", json_of(scores)},
                    {"loss_function", text_of(trained.loss)},
                    {"backend", trained.backend.backend->name()},
                    {"dtype", text_of(trained.optimized.program.dtype())},
                    {"stages", stages.json()},
                    {"vecc", VECC_VERSION}};
  return write_data("", dump_json(result, 2) + "\n");
}

}  // namespace

Result<void> learn(LearnOptions& options) {
  Stages stages(!options.run.quiet);
  if (options.database.only_prints()) return sql::import_database(options.database, stages);
  VECC_TRY_VOID(check_writable({options.model, options.page}));
  options.run.input = sql::shown_source(options.database.common.input);
  const auto read = [&]() -> Result<NeuronGraph> {
    VECC_TRY(const DatabaseGraph rows,
             import_rows(options.database, options.run, "vecc learn", stages));
    Options file = options.run;
    file.input = rows.path;
    return import_graph(file, stages);
  };
  VECC_TRY(NeuronGraph graph, read());
  VECC_TRY(Trained trained, train_on(std::move(graph), options, stages));
  VECC_TRY_VOID(finish(options, trained, stages));
  print_report(options.run, stages, nullptr);
  return {};
}

}  // namespace vecc::tools
