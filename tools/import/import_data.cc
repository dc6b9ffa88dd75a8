#include "tools/import/import_data.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "src/graph_io/graph_parts.h"
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

void add_parts_option(CLI::App& command, ImportCommandOptions& o) {
  add_whole(command, "--parts", o.parts, {1, graph_io::kMostParts},
            "Files graph-0001-of-000N.pb and so on that are written at once; cat makes the graph "
            "of them");
}

std::vector<std::string> part_paths(const ImportCommandOptions& options) {
  if (options.parts == 1) return {options.output};
  const std::filesystem::path path(options.output);
  std::string ending = path.extension().string();
  std::filesystem::path stem = path.stem();
  if (compression_of(options.output) != Compression::None) {
    ending = stem.extension().string() + ending;
    stem = stem.stem();
  }
  std::vector<std::string> paths;
  for (std::uint32_t k = 1; k <= options.parts; ++k) {
    const std::string name =
        fmt::format("{}-{:04}-of-{:04}{}", stem.string(), k, options.parts, ending);
    paths.push_back((path.parent_path() / name).string());
  }
  return paths;
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
  for (const std::string& part : part_paths(options)) paths.add_output("-o " + part, part);
  const std::string problem = paths.find_conflict();
  if (!problem.empty()) return Errors(ErrorCode::Usage, "vecc-import", problem);
  std::error_code unknown;
  // Redirected, stdout is a file; its parts would be beside it, in /dev.
  const bool is_stream =
      output == "/dev/stdout" || (std::filesystem::exists(output, unknown) &&
                                  !std::filesystem::is_regular_file(output, unknown));
  if (options.parts > 1 && is_stream) {
    return Errors(ErrorCode::Usage, "vecc-import",
                  fmt::format("--parts={}: {} is no file; expected a name as -o graph.pb",
                              options.parts, escape_terminal(output, 4096)));
  }
  VECC_TRY_VOID(encoding_of("vecc-import", output, options.compression));
  return {};
}

namespace {

struct Counts {
  std::uint64_t neurons = 0;
  std::uint64_t edges = 0;
  std::uint64_t samples = 0;
};

using GroundTo = std::function<Result<void>(Grounder&)>;

Result<void> write_parts(const ImportCommandOptions& options, GrounderOptions grounder,
                         const GroundTo& ground, Counts& counts) {
  graph_io::PartsOptions parts;
  parts.paths = part_paths(options);
  parts.encoding = grounder.encoding;
  parts.producer = grounder.producer;
  parts.vocabularies = true;
  // The first call is alone: it shows progress and counts.
  const auto shows = std::exchange(grounder.progress, {});
  std::atomic<bool> is_first = true;
  return graph_io::write_graph_parts(parts, [&](GraphWriter writer) -> Result<void> {
    GrounderOptions own = grounder;
    const bool counts_here = is_first.exchange(false);
    if (counts_here) own.progress = shows;
    own.is_repeated = !counts_here;
    Grounder out(std::move(own), std::move(writer));
    VECC_TRY_VOID(ground(out));
    if (counts_here) counts = {out.neuron_count(), out.edge_count(), out.sample_count()};
    return out.finish();
  });
}

std::string describe_output(const ImportCommandOptions& options) {
  const std::vector<std::string> paths = part_paths(options);
  std::uint64_t bytes = 0;
  std::error_code no_size;
  for (const std::string& path : paths) {
    const auto more = std::filesystem::file_size(path, no_size);
    if (no_size) break;
    bytes += more;
  }
  std::string words = no_size ? "?" : text_of_bytes(bytes);
  words += " in " + escape_terminal(paths.front(), 4096);
  if (paths.size() > 1) words += " to " + escape_terminal(paths.back(), 4096);
  return words;
}

}  // namespace

Result<void> write_grounded(const ImportCommandOptions& options, const std::string& producer,
                            Stages& stages, const std::function<Result<void>(Grounder&)>& ground) {
  Counts counts;
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
    if (options.parts > 1) {
      return write_parts(options, std::move(grounder_options), ground, counts);
    }
    VECC_TRY(Grounder out, Grounder::create(std::move(grounder_options)));
    VECC_TRY_VOID(ground(out));
    counts = {out.neuron_count(), out.edge_count(), out.sample_count()};
    return out.finish();
  });
  if (!grounded) return grounded.error();
  stages.describe(fmt::format("{}, {}, {}; {}", text_of_count(counts.neurons, "neuron"),
                              text_of_count(counts.edges, "edge"),
                              text_of_count(counts.samples, "sample"), describe_output(options)),
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
