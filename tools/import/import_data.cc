#include "tools/import/import_data.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "src/support/enum_names.h"
#include "src/support/quantity_text.h"
#include "tools/common/command_paths.h"
#include "tools/common/number_options.h"
#include "tools/common/run_tool.h"
#include "tools/common/standard_streams.h"
#include "vecc/escape.h"

namespace vecc::tools {

void add_import_options(CLI::App& command, ImportCommandOptions& o, const std::string& threads) {
  allow_stdout(*command
                    .add_option("-o,--output", o.output,
                                "The file to write; .gz and .zst compress; -: stdout")
                    ->required()
                    ->type_name("graph.pb"));
  std::vector<std::string> initializers = vecc::names_of<Initializer>();
  initializers.emplace_back("none");
  command
      .add_option("--init", o.init, "Initial values of the weights; none: vecc --init gives them")
      ->check(CLI::IsMember(initializers).description(""))
      ->type_name(names_text<Initializer>("|") + "|none")
      ->capture_default_str();
  add_seed(command, "--seed", o.seed, "Seed of everything that is random");
  add_compression_options(command, o.compression, threads);
  command.add_flag("-q,--quiet", o.quiet, "Nothing on stderr but errors");
  const auto add_limit = [&](const char* name, std::uint64_t& value, const char* text) {
    add_whole(command, name, value, {1, std::uint64_t{1} << 62}, text)->group("Limits");
  };
  add_limit("--max-neurons", o.limits.max_neurons, "Neurons of the graph");
  add_limit("--max-edges", o.limits.max_edges, "Edges of the graph");
  add_limit("--max-weights", o.limits.max_weights, "Rows of all weight tables");
}

void add_like_option(CLI::App& command, ImportCommandOptions& o) {
  command
      .add_option(
          "--like", o.like,
          "Labels, relations and classes get the numbers that they have in an earlier graph, "
          "whose weights are to be loaded; names that it lacks are refused")
      ->type_name("graph.pb");
}

void add_model_option(CLI::App& command, std::string& model,
                      const std::vector<std::string>& names) {
  std::string choices;
  for (const std::string& name : names) choices += (choices.empty() ? "" : "|") + name;
  command.add_option("--model", model, "The architecture; vecc-import --list has the formulas")
      ->required()
      ->check(CLI::IsMember(names).description(""))
      ->type_name(choices);
}

void note_input(CLI::Option& option, ImportCommandOptions& options) {
  option.each([&options, name = option.get_name()](const std::string& path) {
    options.others.emplace_back(name, path);
  });
}

Result<void> check_import_output(const ImportCommandOptions& options) {
  const std::string& input = options.input;
  const std::string& output = options.output;
  CommandPaths paths;
  paths.add_input("the input " + input, input);
  paths.add_input("--like " + options.like, options.like);
  for (const auto& [option, path] : options.others) paths.add_input(option + " " + path, path);
  paths.add_output("-o " + output, output);
  const std::string problem = paths.find_conflict();
  if (!problem.empty()) return Errors(ErrorCode::Usage, "vecc-import", problem);
  VECC_TRY_VOID(encoding_of("vecc-import", output, options.compression));
  return {};
}

Result<void> write_grounded(const ImportCommandOptions& options, const std::string& producer,
                            Stages& stages, const std::function<Result<void>(Grounder&)>& ground) {
  std::uint64_t neurons = 0;
  std::uint64_t edges = 0;
  std::uint64_t samples = 0;
  const Result<void> grounded = stages.run("ground", [&](ProgressLine& line) -> Result<void> {
    GrounderOptions grounder_options;
    grounder_options.path = options.output;
    VECC_TRY(grounder_options.encoding,
             encoding_of("vecc-import", options.output, options.compression));
    grounder_options.producer = producer;
    grounder_options.initializer = parse_initializer(options.init);  // none stays none
    grounder_options.seed = options.seed;
    grounder_options.limits = options.limits;
    grounder_options.progress = [&line](std::uint64_t count) {
      line.update(count, 0, ProgressUnit::Neurons);
    };
    VECC_TRY(Grounder out, Grounder::create(std::move(grounder_options)));
    VECC_TRY_VOID(ground(out));
    neurons = out.neuron_count();
    edges = out.edge_count();
    samples = out.sample_count();
    return out.finish();
  });
  if (!grounded) return grounded.error();
  std::error_code no_size;
  const auto bytes = std::filesystem::file_size(options.output, no_size);
  stages.describe(
      fmt::format("{}, {}, {}; {} in {}", text_of_count(neurons, "neuron"),
                  text_of_count(edges, "edge"), text_of_count(samples, "sample"),
                  no_size ? "?" : text_of_bytes(bytes), escape_terminal(options.output, 4096)),
      {});
  return {};
}

ExitCode report_import(const ImportCommandOptions& options, const Stages& stages,
                       const Result<void>& result) {
  if (!result) return static_cast<ExitCode>(report_errors(result.error()));
  if (!options.quiet) std::fputs(stages.text().c_str(), stderr);
  return ExitCode::Ok;
}

}  // namespace vecc::tools
