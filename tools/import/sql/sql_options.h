// The options of vecc-import sql and vecc learn.
#pragma once

#include <CLI/App.hpp>

#include "tools/import/sql/import_database.h"

namespace vecc::tools::sql {

/// Database, --target, keys, columns, times, splits, the template. `options` must outlive the
/// parse.
void add_database_options(CLI::App& command, ImportDatabaseOptions& options);

}  // namespace vecc::tools::sql
