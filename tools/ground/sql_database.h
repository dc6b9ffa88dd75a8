// A small SQL database over the atoms, inside the process: SQLite.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ground/constant_table.h"
#include "tools/ground/stored_atoms.h"
#include "vecc/error.h"

namespace vecc::tools::ground {

/// A query that is compiled once. Parameters are ?1, ?2, ...
class SqlStatement {
 public:
  SqlStatement(SqlStatement&& other) noexcept;
  SqlStatement& operator=(SqlStatement&&) = delete;
  ~SqlStatement();

  void bind(int parameter, std::int64_t value);
  /// The next row; false after the last, and after a failure, until check(), which reports it.
  bool step();
  [[nodiscard]] std::int64_t column(int index) const;
  /// Back to before the first row. Error: OutOfMemory (what SQLite says).
  [[nodiscard]] Result<void> check();

 private:
  friend class SqlDatabase;
  SqlStatement(void* statement, std::string sql) : statement_(statement), sql_(std::move(sql)) {}
  void* statement_;
  std::string sql_;
  int status_ = 0;
};

class SqlDatabase {
 public:
  /// `CREATE VIRTUAL TABLE t USING atoms(2)` is tables[2]. Both must outlive it. Errors:
  /// NotBuiltIn, OutOfMemory.
  [[nodiscard]] static Result<SqlDatabase> open(const ConstantTable& constants,
                                                std::vector<StoredAtoms>& tables);
  SqlDatabase(SqlDatabase&& other) noexcept;
  SqlDatabase& operator=(SqlDatabase&&) = delete;
  ~SqlDatabase();

  /// Several statements, for their effect.
  [[nodiscard]] Result<void> run(const std::string& sql);
  /// A statement that does not compile is a bug of vecc's.
  [[nodiscard]] SqlStatement prepare(const std::string& sql);

 private:
  explicit SqlDatabase(void* database) : database_(database) {}
  void* database_;
};

}  // namespace vecc::tools::ground
