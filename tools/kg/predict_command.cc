// vecc-kg predict
#include <CLI/CLI.hpp>

#include "src/support/value_text.h"
#include "tools/common/command_paths.h"
#include "tools/common/data_sink.h"
#include "tools/common/logging.h"
#include "tools/common/number_options.h"
#include "tools/common/run_tool.h"
#include "tools/common/statistics.h"
#include "tools/kg/answer_names.h"
#include "tools/kg/commands.h"

namespace vecc::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAnswerFooter = R"(
Examples:
  vecc-kg predict w.safetensors --query="/m/027rn,/location/contains,?" --top=5
  vecc-kg predict w.safetensors --triples=WN18 --known=drop \
      --query="?,_hyponym,06845599"
                                          heads that no triple of WN18 has

A line an answer, the best first; tabs between. docs/knowledge-graphs.md. Exit codes: those of vecc.)";

struct AnswerCommandLine {
  CLI::App app{"The entities that answer (head, relation, ?) or (?, relation, tail) best.",
               "vecc-kg predict"};
  KgModelOptions model;
  std::vector<std::string> queries;
  std::string triples;
  TripleLayout layout;
  std::string known = "mark";
  std::string inverse = "on";
  std::string output;
  kg::AnswerOptions options;
  bool json = false;

  AnswerCommandLine() {
    app.footer(kAnswerFooter);
    add_kg_model_options(app, model);
    app.add_option("--query", queries,
                   "head,relation,? or ?,relation,tail; names with commas in double quotes; may be "
                   "repeated")
        ->required()
        ->allow_extra_args(false)
        ->type_name("QUERY");
    add_whole(app, "--top", options.top, {1, UINT32_MAX}, "Answers to each");
    app.add_option("--triples", triples,
                   "Known triples: a folder with train.txt, valid.txt, test.txt, or a file")
        ->type_name("DIR|FILE");
    add_triple_format_options(app, layout);
    app.add_option("--known", known, "Known triples are marked, or left out")
        ->check(CLI::IsMember({"mark", "drop"}).description(""))
        ->type_name("mark|drop")
        ->capture_default_str();
    add_inverse_option(app, inverse);
    add_whole(app, "--threads", options.threads, {0, 4096}, "0: one a processor");
    app.add_flag("--json", json, "As one JSON object");
    app.add_option("-o,--output", output, "Where to write them; default: stdout")
        ->type_name("FILE");
  }
  AnswerCommandLine(const AnswerCommandLine&) = delete;  // its options are referred to
  AnswerCommandLine& operator=(const AnswerCommandLine&) = delete;

  /// What does not fit together; empty if all is well.
  std::string finish() {
    options.drop_known = known == "drop";
    if (options.drop_known && triples.empty()) return "--known=drop needs --triples";
    CommandPaths paths;
    paths.add_input(model.weights, model.weights);
    for (const std::string& file : triple_files(triples)) {
      paths.add_input("--triples=" + file, file);
    }
    paths.add_input("--entities=" + model.entities, model.entities);
    paths.add_input("--relations=" + model.relations, model.relations);
    paths.add_output("-o " + output, output);
    return paths.find_conflict();
  }
};

Json json_of(const KgModel& model, const std::string& text,
             const std::vector<kg::Answer>& answers) {
  Json list = Json::array();
  for (const kg::Answer& answer : answers) {
    list.push_back({{"entity", model.entities.names()[answer.entity]},
                    {"score", answer.score},
                    {"known", answer.known}});
  }
  return {{"query", text}, {"answers", std::move(list)}};
}

Result<void> answer_by(const AnswerCommandLine& line) {
  VECC_TRY_VOID(check_writable({line.output}));
  VECC_TRY(const KgModel model, load_kg_model(line.model));
  std::vector<kg::Query> queries;
  for (const std::string& text : line.queries) {
    VECC_TRY(queries.emplace_back(), parse_query(model, text));
  }
  KgTriples data;
  if (!line.triples.empty()) {
    VECC_TRY(data, load_kg_triples(model, line.triples, line.layout));
  }
  VECC_TRY(const auto answers, answer_by_names(model, queries, std::move(data.triples),
                                               line.options, line.inverse == "on"));
  std::string text = line.json ? "" : std::string(kAnswerHeader);
  Json list = Json::array();
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (line.json) {
      list.push_back(json_of(model, line.queries[q], answers[q]));
    } else {
      text += lines_of(model, queries[q], answers[q]);
    }
  }
  if (line.json) text = dump_json(Json{{"queries", std::move(list)}}, 2) + "\n";
  return write_data(line.output, text);
}

}  // namespace

int answer_queries_main(int argc, char** argv) {
  AnswerCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const std::string problem = line.finish();
  if (!problem.empty()) return report_usage("vecc-kg predict", problem);
  set_up_logging("warn");
  const Result<void> result = answer_by(line);
  return result ? static_cast<int>(ExitCode::Ok) : report_errors(result.error());
}

std::shared_ptr<CLI::App> answer_queries_command_line() {
  return app_of(std::make_shared<AnswerCommandLine>());
}

}  // namespace vecc::tools
