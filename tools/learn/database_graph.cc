#include "tools/learn/database_graph.h"

#include <filesystem>
#include <utility>

namespace vecc::tools {
namespace {

// The import calls itself vecc-import sql: here it is part of another command.
Errors said_by(const Errors& errors, const std::string& command) {
  Errors result;
  for (const Diagnostic& d : errors.list()) {
    result.add(d.code, d.place == "vecc-import sql" ? command : d.place, d.message);
  }
  result.omit(errors.omitted());
  return result;
}

}  // namespace

Result<DatabaseGraph> import_rows(sql::ImportDatabaseOptions& database, const Options& run,
                                  const std::string& command, Stages& stages) {
  std::error_code unknown;
  const auto parent = std::filesystem::temp_directory_path(unknown);
  VECC_TRY(TemporaryFolder folder,
           TemporaryFolder::create(unknown ? "/tmp" : parent.string(), "vecc"));
  DatabaseGraph graph{std::move(folder), {}};
  graph.path = graph.folder.path() + "/graph.pb";
  database.common.output = graph.path;
  database.common.quiet = run.quiet;
  database.common.limits = run.limits;
  database.is_temporary = true;
  const Result<void> imported = sql::import_database(database, stages);
  if (!imported) return said_by(imported.error(), command);
  return graph;
}

}  // namespace vecc::tools
