// PostgreSQL servers, by libpq.
#include <libpq-fe.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/import/load/load_errors.h"
#include "tools/import/sql/postgres_schema.h"
#include "tools/import/sql/postgres_value.h"
#include "tools/import/sql/source_engine.h"

namespace vecc::tools::sql {
namespace {

constexpr int kRowsAtOnce = 4096;

struct FreeResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using PgResult = std::unique_ptr<PGresult, FreeResult>;
using Connection = std::unique_ptr<PGconn, CloseConnection>;

// What a server says, in one line.
std::string message_of(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at)) {
    text.replace(at, 1, "; ");
  }
  return escape_terminal(text, 400);
}

class PostgresSource final : public SourceEngine {
 public:
  explicit PostgresSource(Connection connection) : connection_(std::move(connection)) {
    const char* database = PQdb(connection_.get());
    name = escape_terminal(database == nullptr ? "" : database, 400);
  }

  // Reads see one state of the database, however long they take, and nothing is ever written.
  // Tables come in the order in which they are stored, and numbers and times in one way of writing,
  // whatever the server's own settings are.
  Result<void> begin() const {
    for (const char* const command :
         {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "SET LOCAL synchronize_seqscans = off",
          "SET LOCAL max_parallel_workers_per_gather = 0", "SET LOCAL enable_indexonlyscan = off",
          "SET LOCAL DateStyle = 'ISO, YMD'", "SET LOCAL TimeZone = 'UTC'",
          "SET LOCAL extra_float_digits = 3"}) {
      VECC_TRY(const PgResult done, run(command));
    }
    VECC_TRY_VOID(query("SELECT oid, typcategory FROM pg_type WHERE typcategory IN ('A', 'C', 'R')",
                        [&](SqlRow row) -> Result<void> {
                          nested_.insert(static_cast<std::uint32_t>(row[0].integer));
                          return {};
                        }));
    return {};
  }

  [[nodiscard]] Result<void> query(const std::string& sql,
                                   const std::function<Result<void>(SqlRow)>& take) const override {
    const std::string cursor = "vecc_" + std::to_string(cursors_++);
    VECC_TRY(const PgResult opened, run("DECLARE " + cursor + " NO SCROLL CURSOR FOR " + sql, sql));
    const std::string fetch = "FETCH " + std::to_string(kRowsAtOnce) + " FROM " + cursor;
    std::vector<SqlValue> values;
    while (true) {
      VECC_TRY(const PgResult rows, run(fetch, sql));
      const int count = PQntuples(rows.get());
      values.resize(static_cast<std::size_t>(PQnfields(rows.get())));
      for (int row = 0; row < count; ++row) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] = value_at(rows.get(), row, static_cast<int>(i));
        }
        VECC_TRY_VOID(take(values));
      }
      if (count < kRowsAtOnce) break;
    }
    VECC_TRY(const PgResult closed, run("CLOSE " + cursor, sql));
    return {};
  }
  [[nodiscard]] std::string from(std::string_view table) const override {
    return "FROM " + quote_name(table);
  }
  [[nodiscard]] std::string comparable(const std::string& column) const override {
    return column + "::text";
  }
  [[nodiscard]] Result<Schema> schema() const override { return read_postgres_schema(*this); }

 private:
  // One command: the extended protocol takes no second one behind it. `sql`: what it is for.
  Result<PgResult> run(const std::string& command, const std::string& sql = {}) const {
    PgResult result(PQexecParams(connection_.get(), command.c_str(), 0, nullptr, nullptr, nullptr,
                                 nullptr, /*resultFormat=*/0));
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return result;
    std::string message = message_of(PQerrorMessage(connection_.get()));
    if (PQstatus(connection_.get()) != CONNECTION_OK) {
      return Errors(ErrorCode::FileUnreadable, name, "the server went away: " + message);
    }
    if (!sql.empty()) message += ", of " + escape_terminal(sql, 400);
    return Errors(ErrorCode::BadTable, name, message);
  }

  SqlValue value_at(PGresult* rows, int row, int column) const {
    if (PQgetisnull(rows, row, column) != 0) return {};
    const auto length = static_cast<std::size_t>(PQgetlength(rows, row, column));
    const auto type = static_cast<std::uint32_t>(PQftype(rows, column));
    return postgres_value({PQgetvalue(rows, row, column), length}, type, nested_.contains(type));
  }

  Connection connection_;
  mutable std::atomic<std::uint64_t> cursors_ = 0;
  mutable std::set<std::uint32_t> nested_;  // types of arrays, rows and ranges
};

}  // namespace

Result<std::unique_ptr<SourceEngine>> open_postgres(const std::string& address) {
  // What the address itself says counts. A server that is gone without a word is noticed.
  constexpr std::array kNames{"connect_timeout",
                              "keepalives_idle",
                              "keepalives_interval",
                              "keepalives_count",
                              "client_encoding",
                              "application_name",
                              "dbname"};
  const std::array values{"10", "30", "10", "3", "UTF8", "vecc", address.c_str()};
  static_assert(kNames.size() == values.size());
  std::array<const char*, kNames.size() + 1> names_end{};
  std::array<const char*, kNames.size() + 1> values_end{};
  std::copy(kNames.begin(), kNames.end(), names_end.begin());
  std::copy(values.begin(), values.end(), values_end.begin());
  Connection connection(
      PQconnectdbParams(names_end.data(), values_end.data(), /*expand_dbname=*/1));
  if (connection == nullptr || PQstatus(connection.get()) != CONNECTION_OK) {
    const char* message = connection == nullptr ? "no memory" : PQerrorMessage(connection.get());
    return Errors(
        ErrorCode::FileUnreadable, escape_terminal(shown_source(address), 400),
        message_of(message) + ": expected a server, as in postgresql://user@host/database");
  }
  PQsetNoticeProcessor(
      connection.get(), [](void*, const char*) {}, nullptr);
  auto source = std::make_unique<PostgresSource>(std::move(connection));
  VECC_TRY_VOID(source->begin());
  return std::unique_ptr<SourceEngine>(std::move(source));
}

}  // namespace vecc::tools::sql
