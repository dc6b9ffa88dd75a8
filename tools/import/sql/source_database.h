// A database to import: an SQLite file, or a folder of CSV files that SQLite holds in memory.
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

/// A value as SQLite stores it, whatever its column was declared to hold.
struct SqlValue {
  enum class Kind : std::uint8_t { Null, Integer, Real, Text, Blob };
  Kind kind = Kind::Null;
  std::int64_t integer = 0;
  double real = 0;        ///< Integer and Real
  std::string_view text;  ///< all but Null; holds until the next row
};
using SqlRow = std::span<const SqlValue>;

/// `name` as SQL's quoted identifier: `"a ""b"""`. Never part of SQL otherwise.
[[nodiscard]] std::string quote_name(std::string_view name);

class SourceDatabase {
 public:
  /// Errors: FileUnreadable, BadTable (no database; a CSV file that does not parse), NotBuiltIn
  /// (without SQLite; PostgreSQL and Parquet, with the way out).
  [[nodiscard]] static Result<SourceDatabase> open(const std::string& path);
  SourceDatabase(SourceDatabase&&) noexcept;
  SourceDatabase& operator=(SourceDatabase&&) noexcept;
  ~SourceDatabase();

  /// Of the file or folder, for places; escaped.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Calls `take` for each row; it may stop the reading with its errors. Error BadTable: what
  /// SQLite says.
  [[nodiscard]] Result<void> query(const std::string& sql,
                                   const std::function<Result<void>(SqlRow)>& take) const;
  /// All rows of a table, in the order in which they are stored: the same in each call.
  [[nodiscard]] Result<void> scan(std::string_view table, std::span<const std::string> columns,
                                  const std::function<Result<void>(SqlRow)>& take) const;

 private:
  SourceDatabase(void* database, std::string name) : database_(database), name_(std::move(name)) {}
  Result<void> load_csv(const std::string& folder);
  Result<void> load_csv_file(const std::string& path, const std::string& table);

  void* database_ = nullptr;  ///< sqlite3
  std::string name_;
};

/// Refuses by name what is no SQLite file and no folder of CSV files.
[[nodiscard]] Result<void> refuse_other_sources(const std::string& path);

}  // namespace vecc::tools::sql
