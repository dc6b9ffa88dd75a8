#include "tools/import/sql/schema_file.h"

#include "tools/import/load/text_file.h"
#include "tools/import/sql/sqlite_handle.h"

namespace vecc::tools::sql {
namespace {

// What CREATE TABLE does, and nothing else: the file may be a stranger's.
int allow_tables(void*, int action, const char* name, const char*, const char*, const char*) {
  const std::string_view words = name == nullptr ? "" : name;
  switch (action) {
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_INDEX:  // of a key
    case SQLITE_REINDEX:
    case SQLITE_READ:  // of its checks and keys
    case SQLITE_FUNCTION: return SQLITE_OK;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      return words == "sqlite_master" || words == "sqlite_sequence" ? SQLITE_OK : SQLITE_DENY;
    default: return SQLITE_DENY;
  }
}

}  // namespace

Result<void> create_declared_tables(sqlite3* database, const std::string& folder) {
  const std::string path = join_path(folder, kSchemaFile);
  if (!is_file(path)) return {};
  VECC_TRY(const TextFile file, read_text_file(path, "CREATE TABLE statements"));
  sqlite3_set_authorizer(database, allow_tables, nullptr);
  const int status = sqlite3_exec(database, file.bytes.c_str(), nullptr, nullptr, nullptr);
  const std::string message = status == SQLITE_OK ? "" : sqlite::message_of(database);
  sqlite3_set_authorizer(database, nullptr, nullptr);
  if (status == SQLITE_OK) return {};
  return Errors(ErrorCode::BadTable, file.text().name,
                message + ": expected CREATE TABLE statements of SQLite's");
}

}  // namespace vecc::tools::sql
