#include "tools/ground/ground_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "src/support/quantity_text.h"
#include "tools/common/command_paths.h"
#include "tools/common/data_sink.h"
#include "tools/ground/cut_cycles.h"
#include "tools/ground/demand.h"
#include "tools/ground/derive.h"
#include "tools/ground/language/check.h"
#include "tools/ground/language/parse.h"
#include "tools/ground/load_facts.h"
#include "tools/ground/reach.h"
#include "tools/ground/write_network.h"
#include "tools/import/load/text_file.h"
#include "vecc/escape.h"
#include "vecc/initialize.h"

namespace vecc::tools::ground {
namespace {

Result<void> check_paths(const GroundOptions& options) {
  CommandPaths paths;
  paths.add_input("the template " + options.template_path, options.template_path);
  paths.add_input("--facts " + options.facts_path, options.facts_path);
  if (!options.queries_path.empty()) {
    paths.add_input("--queries " + options.queries_path, options.queries_path);
  }
  paths.add_output("-o " + options.output, options.output);
  const std::string problem = paths.find_conflict();
  if (!problem.empty()) return Errors(ErrorCode::Usage, "vecc-ground", problem);
  VECC_TRY_VOID(encoding_of("vecc-ground", options.output, options.compression));
  return {};
}

void print_notes(const GroundOptions& options, const language::Notes& notes) {
  if (options.quiet) return;
  for (const std::string& note : notes) fmt::print(stderr, "{}\n", note);
}

language::Limits with_scalars(bool doubles) {
  language::Limits limits;
  limits.double_scalars = doubles;
  return limits;
}

Result<FactBase> load(const GroundOptions& options, RuleProgram& program,
                      language::DataPredicates& data, ProgressLine& line) {
  VECC_TRY(const TextFile facts, read_text_file(options.facts_path, "facts, as `bond(a, b).`"));
  std::optional<TextFile> queries;
  if (!options.queries_path.empty()) {
    VECC_TRY(queries, read_text_file(options.queries_path, "queries, as `1.0 predict.`"));
  }
  return load_facts(
      program, facts.text(), text_of(queries), data,
      [&line](std::uint64_t count) { line.update(count, 0, ProgressUnit::Rows); },
      with_scalars(options.double_facts));
}

void fill(GroundReport& report, const RuleProgram& program, const FactBase& base,
          const Reached& reached) {
  for (const QuerySpec& query : base.queries) report.answers.push_back({query.example, false});
  for (const Output& output : reached.outputs) report.answers[output.query].derived = true;
  for (const WeightSpec& weight : program.weights) {
    if (weight.learnable) report.weights.push_back(weight.name);
  }
}

Result<void> write(const GroundOptions& options, const GroundNetwork& network, Stages& stages,
                   const std::function<void(Grounder&)>& add) {
  std::string words;
  const Result<void> written = stages.run("write", [&](ProgressLine& line) -> Result<void> {
    GrounderOptions grounder;
    grounder.path = options.output;
    VECC_TRY(grounder.encoding, encoding_of("vecc-ground", options.output, options.compression));
    grounder.producer = options.producer;
    grounder.initializer = parse_initializer(options.init);  // none stays none
    grounder.seed = options.seed;
    grounder.limits = options.limits;
    grounder.progress = [&line](std::uint64_t count) {
      line.update(count, 0, ProgressUnit::Neurons);
    };
    VECC_TRY(Grounder out, Grounder::create(std::move(grounder)));
    VECC_TRY_VOID(write_network(network, out));
    if (add) add(out);
    words = fmt::format("{}, {}, {}", text_of_count(out.neuron_count(), "neuron"),
                        text_of_count(out.edge_count(), "edge"),
                        text_of_count(out.sample_count(), "sample"));
    return out.finish();
  });
  if (!written) return written;
  std::error_code no_size;
  const auto bytes = std::filesystem::file_size(options.output, no_size);
  words += "; " + (no_size ? "?" : text_of_bytes(bytes));
  if (options.names_output) words += " in " + escape_terminal(options.output, 4096);
  stages.describe(words);
  return {};
}

}  // namespace

Result<void> ground_files(const GroundOptions& options, Stages& stages) {
  VECC_TRY_VOID(check_paths(options));
  language::Template parsed;
  VECC_TRY(RuleProgram program, stages.run("template", [&](ProgressLine&) -> Result<RuleProgram> {
    VECC_TRY(parsed,
             language::read_template(options.template_path, with_scalars(options.double_rules)));
    VECC_TRY(const language::Notes notes, language::check_template(parsed));
    print_notes(options, notes);
    return resolve_template(parsed, options.defaults);
  }));
  stages.describe(fmt::format("{}, {}", text_of_count(program.rules.size(), "rule"),
                              text_of_count(program.weights.size(), "weight")));
  language::DataPredicates data;
  VECC_TRY(FactBase base, stages.run("load", [&](ProgressLine& line) {
    return load(options, program, data, line);
  }));
  stages.describe(fmt::format("{}, {}, {}", text_of_count(base.facts_read, "fact"),
                              text_of_count(base.examples, "example"),
                              text_of_count(base.queries.size(), "sample")));
  return ground_facts(options, parsed, program, base, data, stages);
}

Result<void> ground_facts(const GroundOptions& options, const language::Template& parsed,
                          RuleProgram& program, FactBase& base,
                          const language::DataPredicates& data, Stages& stages,
                          const std::function<void(Grounder&)>& add) {
  VECC_TRY(const language::Notes notes, language::check_data(parsed, options.defaults, data));
  print_notes(options, notes);
  demand_queries(program, base);
  DeriveOptions derive_options;
  derive_options.explain = options.explain;
  derive_options.engine = options.engine;
  derive_options.threads = options.compression.threads;
  derive_options.max_groundings = options.max_groundings;
  VECC_TRY(const Derived derived, stages.run("ground", [&](ProgressLine& line) {
    derive_options.progress = [&line](std::uint64_t count) {
      line.update(count, 0, ProgressUnit::Rows);
    };
    return derive(program, base, derive_options);
  }));
  std::uint64_t groundings = 0;
  for (const Groundings& of_rule : derived.groundings) groundings += of_rule.size();
  stages.describe(text_of_count(groundings, "grounding"));
  if (options.explain) VECC_TRY_VOID(write_data("", derived.explanation));
  const Reached reached = reach_queries(program, base, derived);
  if (options.report != nullptr) fill(*options.report, program, base, reached);
  if (reached.outputs.empty()) {
    return Errors(ErrorCode::BadSample, program.files.front(),
                  "no query follows from the template and the facts: there is no network to write");
  }
  VECC_TRY(const CutEdges cut, cut_cycles(program, base, derived, reached));
  VECC_TRY_VOID(
      write(options, {program, base, derived, reached, cut, options.keep_outputs}, stages, add));
  if (options.quiet) return {};
  if (reached.omitted > 0) {
    fmt::print(stderr, "note: {} left out: no rule derives the query\n",
               text_of_count(reached.omitted, "sample"));
  }
  if (cut.count > 0) {
    fmt::print(stderr, "note: {} that closed cycles left out\n", text_of_count(cut.count, "edge"));
  }
  return {};
}

}  // namespace vecc::tools::ground
