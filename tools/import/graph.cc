// vecc-import graph: one graph whose nodes are classified, in an .npz or a list of edges.
#include "tools/common/number_options.h"
#include "tools/import/commands.h"
#include "tools/import/graph_set_command.h"
#include "tools/import/load/loaders.h"

namespace vecc::tools {
namespace {

constexpr const char* kGraphFooter = R"(
Examples:
  vecc-import graph cora.npz --model=gcn-norm --dim=16 --features=attributes -o cora.pb
  vecc-import graph cora.npz --model=gat --dim=8 --features=attributes -o cora.pb
  vecc-import graph web.txt --labels=classes.txt --undirected --model=sage --features=degree -o web.pb
Formulas: vecc-import --list, docs/architectures.md; arrays and lines: docs/import.md.)";

}  // namespace

void add_graph(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "graph", "One graph whose nodes are classified: NumPy's .npz or a list of edges");
  const auto options = std::make_shared<GraphSetCommandOptions>();
  const auto layout = std::make_shared<GraphFileLayout>();
  command
      ->add_option(
          "input", options->common.input,
          "An .npz with edge_index, x, y, train_mask, ...; or lines: source target [weight]")
      ->required()
      ->type_name("FILE");
  note_input(*command
                  ->add_option("--labels", layout->labels,
                               "A list of edges: lines: node class [train|validation|test]")
                  ->type_name("FILE"),
             options->common);
  add_unset_whole(*command, "--nodes", layout->nodes, {1, 0xFFFFFFFE},
                  "A list of edges: how many nodes there are, where the last ones have no edges or "
                  "most numbers are no node (default: one more than the largest number)");
  command->add_flag("--undirected", layout->undirected, "Every edge goes both ways");
  add_graph_set_command(
      *command, options, [options, layout] { return load_graph(options->common.input, *layout); },
      exit_code);
  command->footer(kGraphFooter);
}

}  // namespace vecc::tools
