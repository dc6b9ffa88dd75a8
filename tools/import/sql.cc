// vecc-import sql: any database, by the template that its keys make.
#include <fmt/format.h>

#include <memory>

#include "tools/ground/engine_option.h"
#include "tools/import/commands.h"
#include "tools/import/import_data.h"
#include "tools/import/sql/sql_options.h"

namespace vecc::tools {
namespace {

ExitCode import_sql(sql::ImportDatabaseOptions& options) {
  options.samples.seed = options.common.seed;
  Stages stages(!options.common.quiet);
  const auto work = [&]() -> Result<void> {
    VECC_TRY_VOID(check_import_output(options.common));
    return sql::import_database(options, stages);
  };
  return report_import(options.common, stages, work());
}

}  // namespace

void add_sql(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "sql",
      "Any database: an SQLite file, a folder of CSV or Parquet files, or a PostgreSQL server");
  const auto options = std::make_shared<sql::ImportDatabaseOptions>();
  sql::add_database_options(*command, *options);
  command
      ->add_option("--like", options->common.like,
                   "Columns are read as in an earlier graph, whose weights are to be loaded")
      ->type_name("graph.pb");
  add_import_options(*command, options->common, ground::kThreads);
  command->get_option("--output")->required(false);  // --print-template, --draw write no file
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
