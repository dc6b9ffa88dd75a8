// Tables of an SQLite file.
#include <filesystem>
#include <utility>
#include <vector>

#include "tools/import/load/sqlite_handle.h"
#include "tools/import/load/table_rows.h"

namespace vecc::tools {
namespace {

using sqlite::get, sqlite::message_of, sqlite::prepare, sqlite::Statement;

// The names are ours, not the file's. Brackets, as "name" may also mean a string.
std::string select_of(std::string_view table, ColumnNames columns) {
  std::string sql;
  for (const std::string_view column : columns) {
    sql += (sql.empty() ? "SELECT [" : ", [") + std::string(column) + "]";
  }
  return sql + " FROM [" + std::string(table) + "]";
}

// Rows in the order of the file; a view, or a table without row numbers, in that of its first
// column.
Statement prepare_select(sqlite3* database, std::string_view table, ColumnNames columns) {
  const std::string sql = select_of(table, columns);
  Statement statement = prepare(database, sql + " ORDER BY rowid");
  return statement ? std::move(statement) : prepare(database, sql + " ORDER BY 1");
}

std::string_view value_of(sqlite3_stmt* row, int column) {
  const unsigned char* text = sqlite3_column_text(row, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
}

}  // namespace

Result<SqliteFile> SqliteFile::open(const std::string& path) {
  sqlite3* database = nullptr;
  const int status =
      sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteFile file(database, escape_path(std::filesystem::path(path).filename().string()));
  VECC_TRY_VOID(sqlite::check_opened(database, status, path));
  return file;
}

SqliteFile::SqliteFile(SqliteFile&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)), name_(std::move(other.name_)) {}

SqliteFile& SqliteFile::operator=(SqliteFile&& other) noexcept {
  std::swap(database_, other.database_);
  std::swap(name_, other.name_);
  return *this;
}

SqliteFile::~SqliteFile() {
  sqlite3_close(get(database_));
}

void SqliteFile::read_rows(std::string_view table, ColumnNames columns, LoadErrors& errors,
                           const RowSink& sink) const {
  const Statement statement = prepare_select(get(database_), table, columns);
  Place place{name_, 0, 0, {}, table, "row"};
  const auto fail = [&] {
    errors.add(ErrorCode::BadTable, place,
               [&] { return "cannot be read: " + message_of(get(database_)); });
  };
  if (!statement) return fail();
  std::vector<std::string_view> values(columns.size());
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(statement.get())) == SQLITE_ROW) {
    ++place.line;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = value_of(statement.get(), static_cast<int>(i));
    }
    sink({place, values});
  }
  if (status != SQLITE_DONE) return fail();
  if (place.line > 0) return;
  errors.add(ErrorCode::FileEmpty, place, [] { return std::string("has no rows"); });
}

}  // namespace vecc::tools
