// vecc-ground: NeuraLogic's templates over facts, grounded by SQL, as graph.pb.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/common/idle_seed.h"
#include "tools/common/logging.h"
#include "tools/common/number_options.h"
#include "tools/common/run_tool.h"
#include "tools/common/standard_streams.h"
#include "tools/ground/engine_option.h"
#include "tools/ground/ground_files.h"

namespace {

using vecc::tools::ground::FunctionDefaults;
using vecc::tools::ground::GroundOptions;

// An option whose value is the name of a function; `names` gives those that a template may say.
template <class Id, class Infos>
void add_function(CLI::App& app, const char* name, Id& value, const Infos& infos,
                  const char* text) {
  std::vector<std::string> names;
  std::string standard;
  for (const auto& info : infos) {
    if (info.id == value) standard = info.text;
    names.emplace_back(info.text);
  }
  app.add_option_function<std::string>(
         name,
         [&value, infos](const std::string& word) {
           for (const auto& info : infos) {
             if (info.text == word) value = info.id;
           }
         },
         text)
      ->check(CLI::IsMember(names).description(""))
      ->type_name("NAME")
      ->default_str(standard)
      ->group("What the template does not say");
}

void add_functions(CLI::App& app, FunctionDefaults& defaults) {
  std::vector<vecc::TransformationInfo> plain;
  for (const vecc::TransformationInfo& info : vecc::transformations()) {
    const bool has_none = info.parameters == vecc::FunctionParameters::None;
    if (has_none && info.origin == vecc::FunctionOrigin::NeuraLogic) plain.push_back(info);
  }
  std::vector<vecc::CombinationInfo> combinations;
  for (const vecc::CombinationInfo& info : vecc::combinations()) {
    if (info.id != vecc::Combination::FunctionGraph) combinations.push_back(info);
  }
  add_function(app, "--rule-transformation", defaults.rule, plain, "Transformation of rules");
  add_function(app, "--atom-transformation", defaults.atom, plain, "Transformation of atoms");
  add_function(app, "--rule-combination", defaults.rule_combination, combinations,
               "Combination of rules");
  add_function(app, "--atom-combination", defaults.atom_combination, combinations,
               "Combination of atoms");
  add_function(app, "--aggregation", defaults.aggregation, combinations,
               "Aggregation of groundings");
  add_function(app, "--soft-negation", defaults.negation, plain,
               "Transformation of a literal with ~");
  app.footer(
      "The template's language: docs/templates.md; what is made of it: docs/grounding.md.\n"
      "Names of -o that end in .gz or .zst are compressed.\n"
      "Exit codes: 0 ok, 1 internal error, 2 usage, 3 bad input, 4 limit, 5 memory.\n\n"
      "Examples:\n"
      "  vecc-ground template.txt --facts=examples.txt --queries=queries.txt -o graph.pb\n"
      "  vecc-ground xor.txt --facts=labeled.txt -o xor.pb      # `1 xor :- 1 a, 0 b.`\n"
      "  vecc-ground template.txt --facts=examples.txt --explain -o graph.pb > rules.sql\n"
      "  vecc graph.pb --train --epochs=100");
}

void add_options(CLI::App& app, GroundOptions& o) {
  app.add_option("template", o.template_path, "Rules, in NeuraLogic's language")
      ->required()
      ->type_name("template.txt");
  app.add_option("--facts", o.facts_path, "Examples: facts, with or without their queries")
      ->required()
      ->type_name("FILE");
  app.add_option("--queries", o.queries_path, "Queries with targets, a line an example")
      ->type_name("FILE");
  vecc::tools::allow_stdout(*app.add_option("-o,--output", o.output, "The file to write; -: stdout")
                                 ->required()
                                 ->type_name("graph.pb"));
  app.add_option("--init", o.init, "Initial values of the weights; none: vecc --init gives them")
      ->check(
          CLI::IsMember({"glorot", "he", "uniform", "normal", "constant", "none"}).description(""))
      ->type_name("glorot|he|uniform|normal|constant|none")
      ->capture_default_str();
  vecc::tools::add_seed(app, "--seed", o.seed, "Seed of the initial values");
  app.add_flag("--explain", o.explain, "Print each rule's SQL with the numbers of its rows");
  vecc::tools::ground::add_engine(app, o.engine);
  vecc::tools::add_compression_options(app, o.compression, vecc::tools::ground::kThreads);
  app.add_flag("--keep-outputs", o.keep_outputs,
               "Outputs keep the transformation of atoms; else it is the template's or identity");
  app.add_flag("-q,--quiet", o.quiet, "Nothing on stderr but errors");
  const auto add_limit = [&](const char* name, std::uint64_t& value, const char* text) {
    vecc::tools::add_whole(app, name, value, {1, std::uint64_t{1} << 62}, text)->group("Limits");
  };
  add_limit("--max-groundings", o.max_groundings, "Groundings of all rules, reached or not");
  add_limit("--max-neurons", o.limits.max_neurons, "Neurons of the graph");
  add_limit("--max-edges", o.limits.max_edges, "Edges of the graph");
  add_limit("--max-weights", o.limits.max_weights, "Rows of all weight tables");
  add_functions(app, o.defaults);
}

int run(int argc, char** argv) {
  vecc::tools::set_up_logging("warn");
  CLI::App app(
      "Grounds a template over facts: a graph.pb with NeuraLogic's neurons, by SQL, without Java.",
      "vecc-ground");
  GroundOptions options;
  add_options(app, options);
  if (const auto leave = vecc::tools::parse_arguments(app, argc, argv)) return *leave;
  const std::string idle = vecc::tools::find_idle_seed(app, "--seed", options.init);
  if (!idle.empty()) return vecc::tools::report_usage("vecc-ground", idle);
  vecc::tools::Stages stages(!options.quiet);
  const auto result = vecc::tools::ground::ground_files(options, stages);
  if (!result) return vecc::tools::report_errors(result.error());
  if (!options.quiet) std::fputs(stages.text().c_str(), stderr);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return vecc::tools::run_tool([&] { return run(argc, argv); });
}
