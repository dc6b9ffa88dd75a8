// A database to import: an SQLite file, a folder of CSV files that SQLite holds in memory, a folder
// of Parquet files that DuckDB reads, or a PostgreSQL server.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"

namespace vecc::tools::sql {

/// A value as the database stores it: in SQLite whatever its column was declared to hold.
struct SqlValue {
  enum class Kind : std::uint8_t { Null, Integer, Real, Text, Blob };
  Kind kind = Kind::Null;
  std::int64_t integer = 0;
  double real = 0;  ///< Integer and Real
  /// Text and Blob, and of numbers what the source writes, if anything; holds until the next row.
  std::string_view text;
};
using SqlRow = std::span<const SqlValue>;

/// `name` as SQL's quoted identifier: `"a ""b"""`. Never part of SQL otherwise.
[[nodiscard]] std::string quote_name(std::string_view name);

class SourceEngine;

class SourceDatabase {
 public:
  /// Errors: FileUnreadable (also a server that does not answer), BadTable (no database; a CSV file
  /// that does not parse), NotBuiltIn (without SQLite, libpq, DuckDB; with the way out).
  [[nodiscard]] static Result<SourceDatabase> open(const std::string& path);
  SourceDatabase(SourceDatabase&&) noexcept;
  SourceDatabase& operator=(SourceDatabase&&) noexcept;
  ~SourceDatabase();

  /// Of the file, folder or database, for places; escaped.
  [[nodiscard]] const std::string& name() const;
  /// Calls `take` for each row; it may stop the reading with its errors. Errors: BadTable, what the
  /// database says; FileUnreadable, the server went away.
  [[nodiscard]] Result<void> query(const std::string& sql,
                                   const std::function<Result<void>(SqlRow)>& take) const;
  /// All rows of a table, in the order in which they are stored: the same in each call.
  [[nodiscard]] Result<void> scan(std::string_view table, std::span<const std::string> columns,
                                  const std::function<Result<void>(SqlRow)>& take) const;
  [[nodiscard]] const SourceEngine& engine() const { return *engine_; }

 private:
  explicit SourceDatabase(std::unique_ptr<SourceEngine> engine);
  std::unique_ptr<SourceEngine> engine_;
};

/// Whether a source is the address of a server.
[[nodiscard]] bool is_address(std::string_view source);
/// A source as it may be shown: an address without its password and options.
[[nodiscard]] std::string shown_source(const std::string& source);
}  // namespace vecc::tools::sql
