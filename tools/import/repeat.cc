// vecc-import repeat: N disjoint copies of a graph that share its weights, for scale tests.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "tools/common/number_options.h"
#include "tools/common/run_tool.h"
#include "tools/common/standard_streams.h"
#include "tools/import/commands.h"
#include "tools/import/ground/compression_options.h"
#include "tools/import/import_data.h"

namespace vecc::tools {
namespace {

struct RepeatOptions {
  std::string input;
  std::string output;
  CompressionOptions compression;
  std::uint32_t times = 1;
};

ExitCode repeat(const RepeatOptions& options) {
  ImportCommandOptions paths;
  paths.input = options.input;
  paths.output = options.output;
  paths.compression = options.compression;
  if (const Result<void> checked = check_import_output(paths); !checked) {
    return static_cast<ExitCode>(report_errors(checked.error()));
  }
  const Result<NeuronGraph> graph = read_graph(options.input);
  if (!graph) return static_cast<ExitCode>(report_errors(graph.error()));
  const Result<Encoding> encoding = encoding_of("vecc-import", options.output, options.compression);
  const Result<void> written = write_graph(*graph, options.output, *encoding, options.times);
  if (!written) return static_cast<ExitCode>(report_errors(written.error()));
  std::fprintf(stderr, "wrote %u copies: %llu neurons, %llu edges, %llu samples\n", options.times,
               static_cast<unsigned long long>(graph->neuron_count()) * options.times,
               static_cast<unsigned long long>(graph->edge_count()) * options.times,
               static_cast<unsigned long long>(graph->samples.size()) * options.times);
  return ExitCode::Ok;
}

}  // namespace

void add_repeat(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "repeat", "Write N disjoint copies of a graph that share its weights (for scale tests)");
  const auto options = std::make_shared<RepeatOptions>();
  allow_stdin(
      *command->add_option("input", options->input, "The graph: .pb, .pb.gz or .pb.zst; -: stdin")
           ->required());
  allow_stdout(*command->add_option("-o,--output", options->output, "The file to write; -: stdout")
                    ->required());
  add_unset_whole(*command, "--times", options->times, {1, 1'000'000}, "Number of copies")
      ->required();
  add_compression_options(*command, options->compression);
  command->footer(
      "Sample ids and neuron names of copy k > 0 get the suffix #k.\n\n"
      "Examples:\n"
      "  vecc-import repeat --times=10 graph.pb -o graph10.pb\n"
      "  vecc-import repeat --times=100 graph.pb.gz -o graph100.pb.zst");
  command->callback([options, &exit_code] { exit_code = repeat(*options); });
}

}  // namespace vecc::tools
