// Rows of relational tables, wherever they are.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "tools/import/load/load_errors.h"
#include "tools/import/load/text_file.h"

namespace vecc::tools {

/// A row's values for the columns that were asked for; NULL is empty.
struct TableRow {
  Place place;
  std::span<const std::string_view> values;
};
using RowSink = std::function<void(const TableRow&)>;
using ColumnNames = std::span<const std::string_view>;

/// The rows of a CSV text, which begins with the names of its columns, in any order. Errors:
/// FileEmpty (no rows), BadTable.
void read_csv_rows(const Text& text, ColumnNames columns, LoadErrors& errors, const RowSink& sink);

/// An SQLite database, open for reading. Without SQLite, open() says that it is not built in.
class SqliteFile {
 public:
  /// Errors, with the path as place: FileUnreadable, BadTable, NotBuiltIn.
  [[nodiscard]] static Result<SqliteFile> open(const std::string& path);

  SqliteFile(SqliteFile&&) noexcept;
  SqliteFile& operator=(SqliteFile&&) noexcept;
  ~SqliteFile();

  /// The rows of a table or view, as they are stored. Errors: FileEmpty (no rows), BadTable.
  void read_rows(std::string_view table, ColumnNames columns, LoadErrors& errors,
                 const RowSink& sink) const;

 private:
  SqliteFile(void* database, std::string name) : database_(database), name_(std::move(name)) {}

  [[maybe_unused]] void* database_ = nullptr;  ///< sqlite3
  std::string name_;                           ///< of the file, without its folder; escaped
};

/// Whether a file begins as SQLite's do.
[[nodiscard]] bool starts_like_sqlite(std::string_view bytes);

}  // namespace vecc::tools
