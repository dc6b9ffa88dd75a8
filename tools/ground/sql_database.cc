#include "tools/ground/sql_database.h"

#include <sqlite3.h>

#include <cmath>
#include <utility>

#include "tools/ground/atom_module.h"
#include "vecc/escape.h"

namespace vecc::tools::ground {
namespace {

sqlite3* get(void* database) {
  return static_cast<sqlite3*>(database);
}
sqlite3_stmt* statement_of(void* statement) {
  return static_cast<sqlite3_stmt*>(statement);
}

Errors failure(sqlite3* database, const std::string& sql) {
  return Errors(ErrorCode::OutOfMemory, "vecc-ground",
                "SQLite says: " + escape_terminal(sqlite3_errmsg(database)) + ", of " +
                    escape_terminal(sql, 400));
}

// compare(x, y): below 0, 0 or above 0: by value where both constants are numbers, else by text.
void compare(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto& constants = *static_cast<const ConstantTable*>(sqlite3_user_data(context));
  const auto x = static_cast<Constant>(sqlite3_value_int64(arguments[0]));
  const auto y = static_cast<Constant>(sqlite3_value_int64(arguments[1]));
  const std::optional<double> a = constants.number(x);
  const std::optional<double> b = constants.number(y);
  int order = 0;
  if (a && b) {
    order = *a < *b ? -1 : (*a > *b ? 1 : 0);
  } else {
    order = constants.text(x).compare(constants.text(y));
  }
  sqlite3_result_int(context, order);
}

// follows(x, y): both are numbers, and y is x + 1.
void follows(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto& constants = *static_cast<const ConstantTable*>(sqlite3_user_data(context));
  const auto x = constants.number(static_cast<Constant>(sqlite3_value_int64(arguments[0])));
  const auto y = constants.number(static_cast<Constant>(sqlite3_value_int64(arguments[1])));
  sqlite3_result_int(context, x && y && *x + 1 == *y ? 1 : 0);
}

// computes(sign, x, y, z): all are numbers, and `x sign y` is z.
void computes(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto& constants = *static_cast<const ConstantTable*>(sqlite3_user_data(context));
  const auto number = [&](int i) {
    return constants.number(static_cast<Constant>(sqlite3_value_int64(arguments[i])));
  };
  const auto x = number(1);
  const auto y = number(2);
  const auto z = number(3);
  bool holds = x && y && z;
  if (holds) {
    switch (*sqlite3_value_text(arguments[0])) {
      case '+': holds = *x + *y == *z; break;
      case '-': holds = *x - *y == *z; break;
      default: holds = std::fmod(*x, *y) == *z;
    }
  }
  sqlite3_result_int(context, holds ? 1 : 0);
}

// max_card(n, x, y, ...): the constant n is a number, and no more of the others are different.
void max_card(sqlite3_context* context, int count, sqlite3_value** arguments) {
  const auto& constants = *static_cast<const ConstantTable*>(sqlite3_user_data(context));
  const auto most = constants.number(static_cast<Constant>(sqlite3_value_int64(arguments[0])));
  int different = 0;
  for (int i = 1; i < count; ++i) {
    bool is_new = true;
    for (int k = 1; k < i; ++k) {
      is_new &= sqlite3_value_int64(arguments[k]) != sqlite3_value_int64(arguments[i]);
    }
    different += is_new ? 1 : 0;
  }
  sqlite3_result_int(context, most && different <= *most ? 1 : 0);
}

// has_type(x, t): the constant is of type t.
void has_type(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto& constants = *static_cast<const ConstantTable*>(sqlite3_user_data(context));
  const auto x = static_cast<Constant>(sqlite3_value_int64(arguments[0]));
  sqlite3_result_int(context, constants.type(x) == sqlite3_value_int64(arguments[1]) ? 1 : 0);
}

}  // namespace

SqlStatement::SqlStatement(SqlStatement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      sql_(std::move(other.sql_)),
      status_(other.status_) {}

SqlStatement::~SqlStatement() {
  sqlite3_finalize(statement_of(statement_));
}

void SqlStatement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_of(statement_), parameter, value);
}

bool SqlStatement::step() {
  const bool has_ended = status_ != SQLITE_ROW && status_ != SQLITE_OK;
  if (!has_ended) status_ = sqlite3_step(statement_of(statement_));
  return status_ == SQLITE_ROW;
}

std::int64_t SqlStatement::column(int index) const {
  return sqlite3_column_int64(statement_of(statement_), index);
}

Result<void> SqlStatement::check() {
  const bool failed = status_ != SQLITE_DONE && status_ != SQLITE_ROW && status_ != SQLITE_OK;
  if (failed) return failure(sqlite3_db_handle(statement_of(statement_)), sql_);
  sqlite3_reset(statement_of(statement_));
  status_ = SQLITE_OK;
  return {};
}

Result<SqlDatabase> SqlDatabase::open(const ConstantTable& constants,
                                      std::vector<StoredAtoms>& tables) {
  sqlite3* handle = nullptr;
  const int status =
      sqlite3_open_v2(":memory:", &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  SqlDatabase database(handle);
  if (status != SQLITE_OK) return failure(handle, "open");
  if (add_atom_module(handle, tables) != SQLITE_OK) return failure(handle, "atoms");
  const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  // SQLite only hands the table back to the functions, which read it.
  auto* const table = const_cast<ConstantTable*>(&constants);
  const auto add = [&](const char* name, int arguments, auto* function) {
    sqlite3_create_function(handle, name, arguments, flags, table, function, nullptr, nullptr);
  };
  add("compare", 2, compare);
  add("follows", 2, follows);
  add("computes", 4, computes);
  add("max_card", -1, max_card);
  add("has_type", 2, has_type);
  VECC_TRY_VOID(
      database.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
                   "PRAGMA temp_store = MEMORY; PRAGMA automatic_index = OFF; BEGIN"));
  return database;
}

SqlDatabase::SqlDatabase(SqlDatabase&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

SqlDatabase::~SqlDatabase() {
  sqlite3_close(get(database_));
}

Result<void> SqlDatabase::run(const std::string& sql) {
  if (sqlite3_exec(get(database_), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return failure(get(database_), sql);
}

SqlStatement SqlDatabase::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int status = sqlite3_prepare_v3(get(database_), sql.c_str(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  VECC_CHECK(status == SQLITE_OK, std::string(sqlite3_errmsg(get(database_))) + ", of " + sql);
  return {statement, sql};
}

}  // namespace vecc::tools::ground
