// What a SourceDatabase reads by: SQLite, DuckDB, or a PostgreSQL server.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tools/import/sql/source_database.h"
#include "vecc/error.h"

namespace vecc::tools::sql {

struct Schema;

class SourceEngine {
 public:
  virtual ~SourceEngine() = default;
  /// As SourceDatabase's.
  [[nodiscard]] virtual Result<void> query(
      const std::string& sql, const std::function<Result<void>(SqlRow)>& take) const = 0;
  /// `FROM "t"`, so that each reading gives the rows in the same order.
  [[nodiscard]] virtual std::string from(std::string_view table) const = 0;
  /// What two columns of other types are compared by: the column, or its text.
  [[nodiscard]] virtual std::string comparable(const std::string& column) const = 0;
  /// Tables, columns and keys as they are declared.
  [[nodiscard]] virtual Result<Schema> schema() const = 0;
  /// Of the database, for places; escaped.
  std::string name;
};

/// An SQLite file, or a folder of CSV files. Errors: SourceDatabase::open()'s.
[[nodiscard]] Result<std::unique_ptr<SourceEngine>> open_sqlite(const std::string& path);
/// A folder of Parquet files, by DuckDB's library. Errors: SourceDatabase::open()'s.
[[nodiscard]] Result<std::unique_ptr<SourceEngine>> open_parquet(const std::string& folder);
/// What schema.sql of a folder declares; no table where there is no such file. Errors: BadTable;
/// NotBuiltIn, without SQLite.
[[nodiscard]] Result<Schema> read_declared_schema(const std::string& folder);
/// postgresql://user@host/database, by libpq: one transaction, which reads only and sees one state.
[[nodiscard]] Result<std::unique_ptr<SourceEngine>> open_postgres(const std::string& address);

}  // namespace vecc::tools::sql
