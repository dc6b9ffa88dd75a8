// What stands for SQLite when vecc is built without it.
#include "tools/import/load/text_file.h"
#include "tools/import/sql/source_engine.h"

namespace vecc::tools::sql {

Result<std::unique_ptr<SourceEngine>> open_sqlite(const std::string& path) {
  return Errors(ErrorCode::NotBuiltIn, escape_path(path),
                "databases are read by SQLite, and vecc was built without it: install "
                "libsqlite3-dev and configure with -DVECC_SQLITE=ON");
}

}  // namespace vecc::tools::sql
