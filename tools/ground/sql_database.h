// A small SQL database over the atoms, inside the process: SQLite, or DuckDB where its library is.
// Both see the atoms where they lie, as virtual tables, and give the rows of a query in one order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/ground/constant_table.h"
#include "tools/ground/rule_query.h"
#include "tools/ground/stored_atoms.h"
#include "vecc/error.h"

namespace vecc::tools::ground {

/// A query that is compiled once. Its parameters are numbered from 1.
class SqlStatement {
 public:
  SqlStatement() = default;
  SqlStatement(const SqlStatement&) = delete;
  SqlStatement& operator=(const SqlStatement&) = delete;
  virtual ~SqlStatement() = default;

  virtual void bind(int parameter, std::int64_t value) = 0;
  /// The next row; false after the last, and after a failure, until check(), which reports it.
  virtual bool step() = 0;
  [[nodiscard]] virtual std::int64_t column(int index) const = 0;
  /// Back to before the first row. Error: OutOfMemory (what the engine says).
  [[nodiscard]] virtual Result<void> check() = 0;
};

class SqlDatabase {
 public:
  SqlDatabase() = default;
  SqlDatabase(const SqlDatabase&) = delete;
  SqlDatabase& operator=(const SqlDatabase&) = delete;
  virtual ~SqlDatabase() = default;

  /// Whether threads may use several databases at once, one each.
  [[nodiscard]] virtual bool has_threads() const = 0;
  /// Several statements, for their effect.
  [[nodiscard]] virtual Result<void> run(const std::string& sql) = 0;
  /// A statement that does not compile is a bug of vecc's.
  [[nodiscard]] virtual std::unique_ptr<SqlStatement> prepare(const std::string& sql) = 0;
};

/// `atoms(2)` is tables[2]. Both must outlive the database. Errors: NotBuiltIn, OutOfMemory.
[[nodiscard]] Result<std::unique_ptr<SqlDatabase>> open_sqlite(const ConstantTable& constants,
                                                               StoredTables& tables);
[[nodiscard]] Result<std::unique_ptr<SqlDatabase>> open_duckdb(const ConstantTable& constants,
                                                               StoredTables& tables);

}  // namespace vecc::tools::ground
