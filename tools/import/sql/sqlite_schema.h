// The schema of an SQLite database.
#pragma once

#include "tools/import/sql/schema.h"
#include "tools/import/sql/source_engine.h"

namespace vecc::tools::sql {

/// Errors: read_schema()'s.
[[nodiscard]] Result<Schema> read_sqlite_schema(const SourceEngine& database);

}  // namespace vecc::tools::sql
