// vecc-import synth-set: random sets of small graphs.
#include "tools/import/load/synth_set.h"

#include "tools/common/number_options.h"
#include "tools/import/commands.h"
#include "tools/import/graph_set_command.h"

namespace vecc::tools {

void add_synth_set(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "synth-set", "A random set of small graphs, built like molecules, hardly two alike");
  const auto options = std::make_shared<GraphSetCommandOptions>();
  const auto synth = std::make_shared<SynthSetOptions>();
  add_unset_whole(*command, "--graphs", synth->graphs, {1, 100'000'000}, "Graphs")->required();
  add_whole(*command, "--nodes", synth->nodes, {2, 4096},
            "Nodes of a graph: half as many to half as many again");
  add_graph_set_command(
      *command, options,
      [options, synth] {
        SynthSetOptions drawn = *synth;
        drawn.seed = options->common.seed;
        return make_random_graph_set(drawn);
      },
      exit_code);
  command->footer(
      "\nExamples:\n"
      "  vecc-import synth-set --graphs=1000 --model=gin -o set.pb\n"
      "  vecc-import synth-set --graphs=500000 --model=gcn --dim=16 --init=none -o large.pb\n"
      "Formulas: vecc-import --list, docs/architectures.md.");
}

}  // namespace vecc::tools
