// SQLite as the engine that grounds.
#include <sqlite3.h>

#include <array>
#include <utility>

#include "tools/ground/atom_module.h"
#include "tools/ground/special_functions.h"
#include "tools/ground/sql_database.h"
#include "vecc/escape.h"

namespace vecc::tools::ground {
namespace {

Errors failure(sqlite3* database, const std::string& sql) {
  return Errors(ErrorCode::OutOfMemory, "vecc-ground",
                "SQLite says: " + escape_terminal(sqlite3_errmsg(database)) + ", of " +
                    escape_terminal(sql, 400));
}

void call(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto& bound = *static_cast<const BoundFunction*>(sqlite3_user_data(context));
  std::array<std::int64_t, 128> arguments;  // SQLite's own limit is 127
  const auto size = std::min(static_cast<std::size_t>(count), arguments.size());
  for (std::size_t i = 0; i < size; ++i) arguments[i] = sqlite3_value_int64(values[i]);
  sqlite3_result_int64(context,
                       bound.function->compute(*bound.constants, std::span(arguments).first(size)));
}

class SqliteStatement final : public SqlStatement {
 public:
  SqliteStatement(sqlite3_stmt* statement, std::string sql)
      : statement_(statement), sql_(std::move(sql)) {}
  ~SqliteStatement() override { sqlite3_finalize(statement_); }

  void bind(int parameter, std::int64_t value) override {
    sqlite3_bind_int64(statement_, parameter, value);
  }

  bool step() override {
    const bool has_ended = status_ != SQLITE_ROW && status_ != SQLITE_OK;
    if (!has_ended) status_ = sqlite3_step(statement_);
    return status_ == SQLITE_ROW;
  }

  [[nodiscard]] std::int64_t column(int index) const override {
    return sqlite3_column_int64(statement_, index);
  }

  Result<void> check() override {
    const bool failed = status_ != SQLITE_DONE && status_ != SQLITE_ROW && status_ != SQLITE_OK;
    if (failed) return failure(sqlite3_db_handle(statement_), sql_);
    sqlite3_reset(statement_);
    status_ = SQLITE_OK;
    return {};
  }

 private:
  sqlite3_stmt* statement_;
  std::string sql_;
  int status_ = SQLITE_OK;
};

class SqliteDatabase final : public SqlDatabase {
 public:
  ~SqliteDatabase() override { sqlite3_close(handle_); }

  Result<void> open(const ConstantTable& constants, StoredTables& tables) {
    const int status =
        sqlite3_open_v2(":memory:", &handle_,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
    if (status != SQLITE_OK) return failure(handle_, "open");
    if (add_atom_module(handle_, tables) != SQLITE_OK) return failure(handle_, "atoms");
    functions_.reserve(special_functions().size());
    for (const SpecialFunction& function : special_functions()) {
      functions_.push_back({&function, &constants});
      sqlite3_create_function(handle_, function.name, function.arguments,
                              SQLITE_UTF8 | SQLITE_DETERMINISTIC, &functions_.back(), call, nullptr,
                              nullptr);
    }
    return run(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
        "PRAGMA temp_store = MEMORY; PRAGMA automatic_index = OFF; BEGIN");
  }

  [[nodiscard]] bool has_threads() const override { return sqlite3_threadsafe() != 0; }

  Result<void> run(const std::string& sql) override {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
    return failure(handle_, sql);
  }

  std::unique_ptr<SqlStatement> prepare(const std::string& sql) override {
    sqlite3_stmt* statement = nullptr;
    const int status = sqlite3_prepare_v3(handle_, sql.c_str(), static_cast<int>(sql.size()),
                                          SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    VECC_CHECK(status == SQLITE_OK, std::string(sqlite3_errmsg(handle_)) + ", of " + sql);
    return std::make_unique<SqliteStatement>(statement, sql);
  }

 private:
  sqlite3* handle_ = nullptr;
  std::vector<BoundFunction> functions_;  // stay where they are: SQLite points to them
};

}  // namespace

Result<std::unique_ptr<SqlDatabase>> open_sqlite(const ConstantTable& constants,
                                                 StoredTables& tables) {
  auto database = std::make_unique<SqliteDatabase>();
  VECC_TRY_VOID(database->open(constants, tables));
  return std::unique_ptr<SqlDatabase>(std::move(database));
}

}  // namespace vecc::tools::ground
