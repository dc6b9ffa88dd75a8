// vecc-import relational: molecules in a relational database.
#include <fmt/format.h>

#include <memory>

#include "src/support/quantity_text.h"
#include "tools/import/commands.h"
#include "tools/import/import_data.h"
#include "tools/import/models/models.h"

namespace vecc::tools {
namespace {

std::string describe_molecules(const Molecules& data) {
  return fmt::format("{}, {}, {}", text_of_count(data.names.size(), "molecule"),
                     text_of_count(data.atom_begin.back(), "atom"),
                     text_of_count(data.bond_type.size(), "bond"));
}

ExitCode import_relational(const ImportCommandOptions& options) {
  const MoleculeModel* model = find_by_name(molecule_models(), options.model);
  return import_data(
      options, [&] { return load_molecules(options.input); }, describe_molecules,
      [&](const Molecules& data, Grounder& out) { return model->ground(data, out); });
}

}  // namespace

void add_relational(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "relational", "Molecules in a relational database: an SQLite file, or a folder of CSV files");
  const auto options = std::make_shared<ImportCommandOptions>();
  command
      ->add_option("database", options->input,
                   "The database, with the tables drugs, atoms and bonds")
      ->required()
      ->type_name("FILE|DIR");
  add_model_option(*command, options->model, names_of(molecule_models()));
  add_import_options(*command, *options);
  command->footer(
      "With --init=uniform --seed=0 the weights are those that NeuraLogic starts with.\n\n"
      "Examples:\n"
      "  vecc-import relational mutagenesis.sqlite --model=simple -o mutagenesis.pb\n"
      "  vecc-import relational tables/ --model=dims --init=uniform -o mutagenesis-dims.pb");
  command->callback([options, &exit_code] { exit_code = import_relational(*options); });
}

}  // namespace vecc::tools
