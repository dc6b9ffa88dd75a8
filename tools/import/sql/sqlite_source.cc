// SQLite files, and folders of CSV files, which SQLite holds in memory.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "tools/import/load/csv_reader.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/load/text_file.h"
#include "tools/import/sql/schema.h"
#include "tools/import/sql/schema_file.h"
#include "tools/import/sql/source_engine.h"
#include "tools/import/sql/sqlite_handle.h"
#include "tools/import/sql/sqlite_schema.h"

namespace vecc::tools::sql {
namespace {

using sqlite::message_of, sqlite::prepare, sqlite::Statement;

SqlValue value_of(sqlite3_stmt* row, int column) {
  SqlValue value;
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: return value;
    case SQLITE_INTEGER:
      value.kind = SqlValue::Kind::Integer;
      value.integer = sqlite3_column_int64(row, column);
      value.real = static_cast<double>(value.integer);
      return value;
    case SQLITE_FLOAT:
      value.kind = SqlValue::Kind::Real;
      value.real = sqlite3_column_double(row, column);
      return value;
    case SQLITE_TEXT: value.kind = SqlValue::Kind::Text; break;
    default: value.kind = SqlValue::Kind::Blob;
  }
  const unsigned char* text = sqlite3_column_text(row, column);
  if (text != nullptr) {
    value.text = {reinterpret_cast<const char*>(text),
                  static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
  }
  return value;
}

// A field of a CSV file: nothing is NULL; what a number is written like is one, 007 is not.
void bind_field(sqlite3_stmt* statement, int at, std::string_view field) {
  const char* end = field.data() + field.size();
  std::int64_t whole = 0;
  double real = 0;
  if (field.empty()) {
    sqlite3_bind_null(statement, at);
  } else if (std::from_chars(field.data(), end, whole).ptr == end &&
             std::to_string(whole) == field) {
    sqlite3_bind_int64(statement, at, whole);
  } else if (field.find_first_of(".eE") != std::string_view::npos &&
             std::from_chars(field.data(), end, real).ptr == end && std::isfinite(real)) {
    sqlite3_bind_double(statement, at, real);
  } else {
    sqlite3_bind_text(statement, at, field.data(), static_cast<int>(field.size()),
                      SQLITE_TRANSIENT);
  }
}

class SqliteSource final : public SourceEngine {
 public:
  SqliteSource(sqlite3* database, const std::string& path) : database_(database) {
    name = escape_path(std::filesystem::path(path).filename().string());
  }
  SqliteSource(const SqliteSource&) = delete;
  SqliteSource& operator=(const SqliteSource&) = delete;
  ~SqliteSource() override { sqlite3_close(database_); }

  [[nodiscard]] Result<void> query(const std::string& sql,
                                   const std::function<Result<void>(SqlRow)>& take) const override;
  [[nodiscard]] std::string from(std::string_view table) const override {
    // An index would give the rows in its own order.
    return "FROM " + quote_name(table) + " NOT INDEXED";
  }
  [[nodiscard]] std::string comparable(const std::string& column) const override { return column; }
  [[nodiscard]] Result<Schema> schema() const override { return read_sqlite_schema(*this); }

  Result<void> load_csv(const std::string& folder);

 private:
  Result<void> load_csv_file(const std::string& path, const std::string& table, bool is_declared);

  sqlite3* database_;
};

Result<void> SqliteSource::load_csv(const std::string& folder) {
  VECC_TRY_VOID(create_declared_tables(database_, folder));
  VECC_TRY(const Schema declared, read_sqlite_schema(*this));
  std::set<std::string> missing;
  for (const Table& table : declared.tables) missing.insert(upper(table.name));
  VECC_TRY(const std::vector<std::string> files, list_files(folder, ".csv"));
  for (const std::string& file : files) {
    const std::string table = file.substr(0, file.size() - 4);
    const bool is_declared = missing.erase(upper(table)) > 0;
    VECC_TRY_VOID(load_csv_file(join_path(folder, file), table, is_declared));
  }
  if (missing.empty()) return {};
  return Errors(ErrorCode::BadTable, escape_path(join_path(folder, kSchemaFile)),
                "declares table " + quote(*missing.begin()) + ", which has no file");
}

Result<void> SqliteSource::load_csv_file(const std::string& path, const std::string& table,
                                         bool is_declared) {
  VECC_TRY(const TextFile file, read_text_file(path, "a line of column names"));
  const Text text = file.text();
  LoadErrors errors;
  CsvReader reader(text, errors);
  sqlite3* database = database_;
  if (!reader.next()) return errors.errors();
  std::string columns;
  std::string marks;
  const std::size_t width = reader.fields().size();
  std::set<std::string> seen;
  for (const std::string_view field : reader.fields()) {
    if (field.empty() || !seen.insert(std::string(field)).second) {
      return Errors(ErrorCode::BadTable, Place{text.name, 1}.text(),
                    found_expected(field, "the names of the columns, each once"));
    }
    columns += (columns.empty() ? "" : ", ") + quote_name(field);
    marks += marks.empty() ? "?" : ", ?";
  }
  const std::string create = "CREATE TABLE " + quote_name(table) + " (" + columns + ")";
  const std::string insert =
      "INSERT INTO " + quote_name(table) + " (" + columns + ") VALUES (" + marks + ")";
  if (!is_declared &&
      sqlite3_exec(database, create.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return Errors(ErrorCode::BadTable, text.name, message_of(database));
  }
  const Statement statement = prepare(database, insert);
  if (!statement) return Errors(ErrorCode::BadTable, text.name, message_of(database));
  sqlite3_exec(database, "BEGIN", nullptr, nullptr, nullptr);
  while (reader.next()) {
    if (reader.fields().size() != width) {
      errors.add(ErrorCode::BadTable, Place{text.name, reader.line()}, [&] {
        return "found " + count_of(reader.fields().size(), "field") + ", expected " +
               std::to_string(width) + " as in the first line";
      });
      continue;
    }
    for (std::size_t i = 0; i < width; ++i) {
      bind_field(statement.get(), static_cast<int>(i + 1), reader.fields()[i]);
    }
    if (sqlite3_step(statement.get()) != SQLITE_DONE) {
      return Errors(ErrorCode::BadTable, Place{text.name, reader.line()}.text(),
                    message_of(database));
    }
    sqlite3_reset(statement.get());
  }
  sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr);
  if (!errors.empty()) return errors.errors();
  return {};
}

Result<void> SqliteSource::query(const std::string& sql,
                                 const std::function<Result<void>(SqlRow)>& take) const {
  const auto failed = [&] {
    return Errors(ErrorCode::BadTable, name,
                  message_of(database_) + ", of " + escape_terminal(sql, 400));
  };
  const Statement statement = prepare(database_, sql);
  if (!statement) return failed();
  std::vector<SqlValue> values(static_cast<std::size_t>(sqlite3_column_count(statement.get())));
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(statement.get())) == SQLITE_ROW) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = value_of(statement.get(), static_cast<int>(i));
    }
    VECC_TRY_VOID(take(values));
  }
  if (status != SQLITE_DONE) return failed();
  return {};
}

}  // namespace

Result<std::unique_ptr<SourceEngine>> open_sqlite(const std::string& path) {
  const bool folder = is_folder(path);
  sqlite3* database = nullptr;
  const int flags = folder ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const int status = sqlite3_open_v2(folder ? ":memory:" : path.c_str(), &database,
                                     flags | SQLITE_OPEN_NOMUTEX, nullptr);
  auto source = std::make_unique<SqliteSource>(database, path);
  VECC_TRY_VOID(sqlite::check_opened(database, status, path));
  if (folder) VECC_TRY_VOID(source->load_csv(path));
  return std::unique_ptr<SourceEngine>(std::move(source));
}

Result<Schema> read_declared_schema(const std::string& folder) {
  sqlite3* database = nullptr;
  const int status =
      sqlite3_open_v2(":memory:", &database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  const SqliteSource source(database, folder);
  VECC_TRY_VOID(sqlite::check_opened(database, status, folder));
  VECC_TRY_VOID(create_declared_tables(database, folder));
  return read_sqlite_schema(source);
}

}  // namespace vecc::tools::sql
