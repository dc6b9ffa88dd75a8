// What readers of SQLite files share.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "vecc/error.h"
#include "vecc/escape.h"

namespace vecc::tools::sqlite {

struct CloseStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

inline sqlite3* get(void* database) {
  return static_cast<sqlite3*>(database);
}

/// Null if the text does not compile; the database has the message.
inline Statement prepare(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  return Statement(statement);
}

inline std::string message_of(sqlite3* database) {
  return "SQLite says: " + escape_terminal(sqlite3_errmsg(database));
}

/// The file may be hostile: its schema runs no function that does more than compute.
inline void distrust_file(sqlite3* database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_exec(database, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr);
  sqlite3_exec(database, "PRAGMA mmap_size = 0", nullptr, nullptr, nullptr);
}

/// What sqlite3_open_v2() returned of a file. Opening reads nothing; this does. Errors:
/// FileUnreadable, BadTable.
inline Result<void> check_opened(sqlite3* database, int status, const std::string& path) {
  if (status != SQLITE_OK) {
    return Errors(ErrorCode::FileUnreadable, escape_path(path),
                  "cannot be opened: " + message_of(database));
  }
  distrust_file(database);
  const Statement schema = prepare(database, "SELECT count(*) FROM sqlite_schema");
  if (!schema || sqlite3_step(schema.get()) != SQLITE_ROW) {
    return Errors(ErrorCode::BadTable, escape_path(path),
                  "cannot be read as a database: " + message_of(database));
  }
  return {};
}

}  // namespace vecc::tools::sqlite
