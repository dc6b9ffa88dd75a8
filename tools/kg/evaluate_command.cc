// vecc-kg evaluate
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "src/support/quantity_text.h"
#include "tools/common/data_sink.h"
#include "tools/common/logging.h"
#include "tools/common/number_options.h"
#include "tools/common/run_tool.h"
#include "tools/common/stages.h"
#include "tools/common/statistics.h"
#include "tools/kg/commands.h"
#include "tools/kg/device_options.h"
#include "tools/kg/evaluate_triples.h"
#include "tools/vecc/weights_commands.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kEvaluateTriplesFooter = R"(
Examples:
  vecc-kg evaluate w.safetensors --triples=FB15k-237
                                          MRR and hits of test.txt's triples among all entities,
                                          filtered by train.txt, valid.txt and test.txt
  vecc-kg evaluate w.safetensors --triples=WN18 --split=validation --json
  vecc-kg evaluate w.safetensors --triples=FB15k-237 --backend=cuda
  vecc-kg evaluate w.npz --model=rotate --entities=entities.txt --relations=relations.txt \
      --triples=WN18

docs/knowledge-graphs.md says what each number is. Exit codes: those of vecc.)";

struct EvaluateTriplesCommandLine {
  CLI::App app{"Ranks triples among all entities: MRR and hits, filtered and raw.",
               "vecc-kg evaluate"};
  KgModelOptions model;
  std::string triples;
  TripleLayout layout;
  EvaluateTriplesOptions options;
  std::optional<SplitChoice> split;
  std::string inverse = "on";
  std::string backend = "cpu";
  bool json = false;
  bool quiet = false;

  EvaluateTriplesCommandLine() {
    app.footer(kEvaluateTriplesFooter);
    add_kg_model_options(app, model);
    app.add_option("--triples", triples,
                   "The folder with train.txt, valid.txt and test.txt, or one file of triples")
        ->required()
        ->type_name("DIR|FILE");
    add_triple_format_options(app, layout);
    add_split_option(app, split, "test; of one file all");
    app.get_option("--split")->description("The triples to rank; all of them filter");
    add_inverse_option(app, inverse);
    add_device_options(app, backend, options.device, "Where ranks are computed");
    add_whole(app, "--threads", options.threads, {0, 4096}, "0: one a processor");
    app.add_flag("--json", json, "As one JSON object, with times and sizes");
    app.add_flag("--quiet", quiet, "No words on stderr but errors");
  }
  EvaluateTriplesCommandLine(const EvaluateTriplesCommandLine&) =
      delete;  // options are referred to
  EvaluateTriplesCommandLine& operator=(const EvaluateTriplesCommandLine&) = delete;
};

Result<void> print_json(const KgModel& model, const TripleEvaluation& found, const Stages& stages) {
  const Json result{{"model", kg::info_of(model.embeddings.model).name},
                    {"split", text_of(found.split)},
                    {"triples", found.triples},
                    {"entities", model.embeddings.entities},
                    {"relations", model.embeddings.relations},
                    {"inverse", found.inverse},
                    {"metrics", json_of(found.rows)},
                    {"stages", stages.json()},
                    {"vecc", VECC_VERSION}};
  return write_data("", dump_json(result, 2) + "\n");
}

Result<void> evaluate_by(EvaluateTriplesCommandLine& line) {
  Stages stages(!line.quiet);
  VECC_TRY(const KgModel model,
           stages.run("weights", [&](ProgressLine&) { return load_kg_model(line.model); }));
  const kg::Embeddings& e = model.embeddings;
  stages.describe(fmt::format("{}, {}, {}", kg::info_of(model.embeddings.model).name,
                              text_of_count(e.entities, "entity embedding"),
                              text_of_count(e.relations, "relation")));
  VECC_TRY(const KgTriples data, stages.run("triples", [&](ProgressLine&) {
    return load_kg_triples(model, line.triples, line.layout);
  }));
  stages.describe(text_of_count(data.triples.size(), "triple"));
  line.options.split = line.split.value_or(SplitChoice::Test);
  VECC_TRY(const TripleEvaluation found, stages.run("rank", [&](ProgressLine& progress) {
    constexpr std::uint64_t kParts = 1000;
    line.options.progress = [&](double share) {
      progress.update(static_cast<std::uint64_t>(share * static_cast<double>(kParts)), kParts,
                      ProgressUnit::Rows);
    };
    return evaluate_triples(model, data, line.options);
  }));
  stages.describe(fmt::format("{} x 2 x {}, split {}{}", text_of_count(found.triples, "triple"),
                              text_of_count(e.entities, "candidate"), text_of(found.split),
                              found.inverse ? ", heads by inverse relations" : ""));
  VECC_TRY_VOID(line.json ? print_json(model, found, stages)
                          : print_table(table_of(found.rows), /*keeps_header=*/true));
  if (!line.quiet) {
    const std::string report = escape_terminal(line.model.weights, 4096) + "\n" + stages.text();
    std::fputs(report.c_str(), stderr);
  }
  return {};
}

}  // namespace

int evaluate_triples_main(int argc, char** argv) {
  EvaluateTriplesCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const std::string problem = choose_device(line.backend, line.options.device);
  if (!problem.empty()) return report_usage("vecc-kg evaluate", problem);
  set_up_logging(line.quiet ? "off" : "warn");
  line.options.inverse = line.inverse == "on";
  const Result<void> result = evaluate_by(line);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> evaluate_triples_command_line() {
  return app_of(std::make_shared<EvaluateTriplesCommandLine>());
}

}  // namespace vecc::tools
