// What stands for SQLite when vecc is built without it.
#include "tools/import/load/text_file.h"
#include "tools/import/sql/schema.h"
#include "tools/import/sql/source_engine.h"

namespace vecc::tools::sql {

Result<std::unique_ptr<SourceEngine>> open_sqlite(const std::string& path) {
  return Errors(ErrorCode::NotBuiltIn, escape_path(path),
                "databases are read by SQLite, and vecc was built without it: install "
                "libsqlite3-dev and configure with -DVECC_SQLITE=ON");
}

Result<Schema> read_declared_schema(const std::string& folder) {
  const std::string path = join_path(folder, "schema.sql");
  if (!is_file(path)) return Schema();
  return Errors(ErrorCode::NotBuiltIn, escape_path(path),
                "is read by SQLite, and vecc was built without it: install libsqlite3-dev and "
                "configure with -DVECC_SQLITE=ON");
}

}  // namespace vecc::tools::sql
