// The schema of a PostgreSQL database.
#pragma once

#include "tools/import/sql/schema.h"
#include "tools/import/sql/source_engine.h"

namespace vecc::tools::sql {

/// The tables on the search path, partitioned ones as one; no views. Errors: read_schema()'s.
[[nodiscard]] Result<Schema> read_postgres_schema(const SourceEngine& database);

}  // namespace vecc::tools::sql
