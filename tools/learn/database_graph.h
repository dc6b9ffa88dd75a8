// A database as a graph, for the commands that go on with it in the same run.
#pragma once

#include <string>

#include "src/support/temporary_folder.h"
#include "tools/common/stages.h"
#include "tools/import/sql/import_database.h"
#include "tools/vecc/options.h"
#include "vecc/error.h"

namespace vecc::tools {

/// graph.pb in a folder that goes with its owner.
struct DatabaseGraph {
  TemporaryFolder folder;
  std::string path;
};

/// The stages of vecc-import sql. `run` has limits and `quiet`. Errors: those of import_database(),
/// as `command` reports them.
[[nodiscard]] Result<DatabaseGraph> import_rows(sql::ImportDatabaseOptions& database,
                                                const Options& run, const std::string& command,
                                                Stages& stages);

}  // namespace vecc::tools
