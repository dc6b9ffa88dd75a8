// What stands for SQLite when vecc is built without it.
#include "tools/import/load/table_rows.h"

namespace vecc::tools {

Result<SqliteFile> SqliteFile::open(const std::string& path) {
  return Errors(ErrorCode::NotBuiltIn, escape_path(path),
                "is an SQLite file, and vecc was built without SQLite: install libsqlite3-dev and "
                "configure with -DVECC_SQLITE=ON, or give a folder with drugs.csv, atoms.csv and "
                "bonds.csv");
}

SqliteFile::SqliteFile(SqliteFile&&) noexcept = default;
SqliteFile& SqliteFile::operator=(SqliteFile&&) noexcept = default;
SqliteFile::~SqliteFile() = default;

void SqliteFile::read_rows(std::string_view, ColumnNames, LoadErrors&, const RowSink&) const {}

}  // namespace vecc::tools
