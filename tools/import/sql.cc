// vecc-import sql: any database, by the template that its keys make.
#include <fmt/format.h>

#include <memory>

#include "tools/common/number_options.h"
#include "tools/import/commands.h"
#include "tools/import/sql/import_database.h"

namespace vecc::tools {
namespace {

void add_schema_options(CLI::App& command, sql::ImportDatabaseOptions& o) {
  const auto add_words = [&](const char* name, std::vector<std::string>& words, const char* type,
                             const char* text) {
    command.add_option(name, words, text)->type_name(type)->allow_extra_args(false);
  };
  add_words("--key", o.keys, "T.C[,T.C]", "Names the rows of a table; may be repeated");
  add_words("--foreign-key", o.foreign_keys, "T.C:PARENT.C",
            "Rows that belong together, beside what the database declares; may be repeated");
  command.add_flag("--infer-keys", o.infer_keys,
                   "Foreign keys by the names of columns, where all values fit; prints a report");
  add_words("--column", o.samples.kinds, "T.C:KIND",
            "number, boolean, time, category or out, instead of what its values say");
  add_words("--time", o.samples.times, "T.C",
            "When the rows of a table came: a sample sees none that is later; may be repeated");
  command
      .add_option("--task", o.samples.task,
                  "CSV of samples: a key of the target's table, time, target and perhaps split")
      ->type_name("FILE");
  add_whole(command, "--max-categories", o.samples.max_categories, {2, 4096},
            "Texts of more values are no category");
}

void add_sample_options(CLI::App& command, sql::ImportDatabaseOptions& o) {
  command
      .add_option("--split", o.samples.split,
                  "A column of the target's table that says train, valid or test")
      ->type_name("COLUMN");
  add_whole(command, "--valid", o.samples.valid, {0, 49},
            "Percent of the samples, without --split");
  add_whole(command, "--test", o.samples.test, {0, 49}, "Percent of the samples, without --split");
  add_whole(command, "--hops", o.model.hops, {0, 16},
            "Foreign keys between a row and what it sees");
  add_whole(command, "--dim", o.model.dim, {1, 65536}, "Dimension of rows");
  command.add_option("--aggregation", o.model.aggregation, "Of the rows that name a row")
      ->check(CLI::IsMember({"avg", "sum", "max", "min"}).description(""))
      ->type_name("avg|sum|max|min")
      ->capture_default_str();
  command.add_flag("--print-template", o.prints_template,
                   "Print the template that would be grounded, and nothing else");
  command.add_flag("--explain", o.explains, "Print schema, columns, template, and each rule's SQL");
  command
      .add_option("--like", o.common.like,
                  "Columns are read as in an earlier graph, whose weights are to be loaded")
      ->type_name("graph.pb");
}

ExitCode import_sql(sql::ImportDatabaseOptions& options) {
  options.samples.seed = options.common.seed;
  Stages stages(!options.common.quiet);
  const auto work = [&]() -> Result<void> {
    if (!options.common.output.empty()) {
      VECC_TRY_VOID(check_import_paths(options.common.input, options.common.output));
    }
    return sql::import_database(options, stages);
  };
  return report_import(options.common, stages, work());
}

}  // namespace

void add_sql(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "sql", "Any database: an SQLite file, or a folder of CSV files with a line of names");
  const auto options = std::make_shared<sql::ImportDatabaseOptions>();
  command->add_option("database", options->common.input, "The database")
      ->required()
      ->type_name("FILE|DIR");
  command
      ->add_option("--target", options->samples.target,
                   "What to predict of each row of a table; with --task the table alone")
      ->required()
      ->type_name("TABLE.COLUMN");
  add_schema_options(*command, *options);
  add_sample_options(*command, *options);
  add_import_options(*command, options->common);
  command->get_option("--output")->required(false);  // --print-template writes no file
  command->footer(
      "docs/databases.md leads from a database to predictions.\n\n"
      "Examples:\n"
      "  vecc-import sql shop.db --target=customers.churn -o shop.pb\n"
      "  vecc-import sql csv/ --target=customers.churn --infer-keys --time=orders.date \\\n"
      "      --time=customers.since -o shop.pb\n"
      "  vecc-import sql new.db --target=customers.churn --like=shop.pb -o new.pb");
  command->callback([options, &exit_code] { exit_code = import_sql(*options); });
}

}  // namespace vecc::tools
