// vecc-import kg, rdf, hgb: typed graphs in their original files.
#include "tools/import/commands.h"
#include "tools/import/load/loaders.h"
#include "tools/import/load/triple_layout.h"
#include "tools/import/typed_command.h"

namespace vecc::tools {
namespace {

using Loader = std::function<Result<TypedGraph>(const std::string&)>;

CLI::App& add_data_set(CLI::App& app, ExitCode& exit_code, const char* name, const char* text,
                       const char* input_text, const char* type_name,
                       const std::shared_ptr<TypedCommandOptions>& options, const Loader& loader,
                       const char* examples) {
  CLI::App* command = app.add_subcommand(name, text);
  command->add_option("input", options->common.input, input_text)->required()->type_name(type_name);
  add_typed_command(
      *command, options, true, [options, loader] { return loader(options->common.input); },
      exit_code);
  command->footer(std::string("\nExamples:\n") + examples +
                  "\nFormulas: vecc-import --list, docs/architectures.md.");
  return *command;
}

}  // namespace

void add_kg(CLI::App& app, ExitCode& exit_code) {
  const auto layout = std::make_shared<TripleLayout>();
  const auto options = std::make_shared<TypedCommandOptions>();
  CLI::App& command = add_data_set(
      app, exit_code, "kg", "A knowledge graph: triples, one a line (FB15k-237, WN18)",
      "The folder with train.txt, valid.txt and test.txt (or .tsv, .csv, .nt), or one file of "
      "triples",
      "DIR|FILE", options,
      [layout, options](const std::string& path) -> Result<TypedGraph> {
        const std::string& model = options->common.model;
        if (!layout->types.empty() && model != "hgt") {
          return Errors(ErrorCode::Usage, "--types",
                        "says nothing to --model=" + model + ": types of entities are hgt's");
        }
        return load_triples(path, *layout);
      },
      "  vecc-import kg FB15k-237 --model=rgcn --dims=64,64 -o fb.pb\n"
      "  vecc-import kg WN18 --model=transe --dim=100 --negatives=5 -o wn.pb\n"
      "  vecc-import kg WN18 --model=complex --inverse=on -o wn.pb\n"
      "  vecc-import kg facts.csv --header --columns=2,3,4 --types=types.csv --model=hgt -o f.pb\n"
      "  vecc-import kg FB15k-237 --model=reach --source=/m/027rn --depth=3 -o reach.pb");
  add_triple_layout_options(command, *layout);
  note_input(*command.get_option("--types"), options->common);
}

void add_rdf(CLI::App& app, ExitCode& exit_code) {
  add_data_set(
      app, exit_code, "rdf", "An RDF graph in N-Triples with label files (AIFB, MUTAG)",
      "The folder with the .nt or .nt.gz, trainingSet.tsv and testSet.tsv, or the graph's file",
      "DIR|FILE", std::make_shared<TypedCommandOptions>(), load_rdf,
      "  vecc-import rdf AIFB --model=rgcn --dim=16 --layers=2 -o aifb.pb");
}

void add_hgb(CLI::App& app, ExitCode& exit_code) {
  add_data_set(app, exit_code, "hgb", "A heterogeneous graph of the HGB collection (ACM, DBLP)",
               "The folder with node.dat, link.dat and label.dat", "DIR",
               std::make_shared<TypedCommandOptions>(), load_hgb,
               "  vecc-import hgb ACM --model=hgt --dim=64 --heads=4 -o acm.pb\n"
               "  vecc-import hgb ACM --model=rgcn --features=given --layers=2 -o acm.pb.gz");
}

}  // namespace vecc::tools
