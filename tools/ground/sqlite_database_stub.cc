// What stands for SQLite when vecc is built without it.
#include "tools/ground/sql_database.h"

namespace vecc::tools::ground {

Result<std::unique_ptr<SqlDatabase>> open_sqlite(const ConstantTable&, StoredTables&) {
  return Errors(ErrorCode::NotBuiltIn, "vecc-ground",
                "grounds with SQLite, and vecc was built without it: install libsqlite3-dev and "
                "configure with -DVECC_SQLITE=ON, or ground with DuckDB's library: "
                "--engine=duckdb");
}

}  // namespace vecc::tools::ground
