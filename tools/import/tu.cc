// vecc-import tu: a set of small graphs in TUDataset text.
#include "tools/import/commands.h"
#include "tools/import/graph_set_command.h"
#include "tools/import/load/loaders.h"

namespace vecc::tools {
namespace {

constexpr const char* kFooter = R"(
Examples:
  vecc-import tu MUTAG --model=gcn --dim=10 -o mutag.pb
  vecc-import tu REDDIT-BINARY --model=sage --features=degree -o reddit.pb.gz
  vecc-import tu later --model=gcn --like=mutag.pb -o later.pb    for weights of mutag.pb
  vecc-import tu ENZYMES --model=gin --layers=3 --pool=sum -o enzymes.pb
  vecc-import tu ENZYMES --model=gcn --features=onehot,attributes -o enzymes.pb
  vecc-import tu QM9 --model=gine --targets=attributes -o qm9.pb    regression, edges' features
  vecc-import tu NEW --model=gcn --dim=10 -o new.pb      without NEW_graph_labels.txt: to predict
Formulas: vecc-import --list, docs/architectures.md.)";

}  // namespace

void add_tu(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command =
      app.add_subcommand("tu", "A set of small graphs in TUDataset text (MUTAG, ENZYMES, ...)");
  const auto options = std::make_shared<GraphSetCommandOptions>();
  command
      ->add_option("directory", options->common.input,
                   "The folder with NAME_A.txt, NAME_graph_indicator.txt, ...")
      ->required()
      ->type_name("DIR");
  add_graph_set_command(
      *command, options, [options] { return load_tu(options->common.input); }, exit_code);
  command->footer(kFooter);
}

}  // namespace vecc::tools
