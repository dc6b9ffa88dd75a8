// schema.sql of a folder of CSV or Parquet files: CREATE TABLE statements that declare its keys.
#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>

#include "vecc/error.h"

namespace vecc::tools::sql {

inline constexpr std::string_view kSchemaFile = "schema.sql";

/// Creates the tables that the folder's file declares, if it has one; any other statement is
/// refused. Error BadTable, what SQLite says.
[[nodiscard]] Result<void> create_declared_tables(sqlite3* database, const std::string& folder);

}  // namespace vecc::tools::sql
