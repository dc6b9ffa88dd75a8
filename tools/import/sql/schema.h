// What tables a database has, and which rows belong together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/sql/source_database.h"
#include "vecc/error.h"

namespace vecc::tools::sql {

/// A Usage error of this command.
[[nodiscard]] Errors usage(const std::string& message);

struct Column {
  std::string name;
  std::string type;  ///< as declared, in capitals; may be empty
};

/// Rows of `table` name a row of `parent`: columns[i] holds what parent_columns[i] does there.
struct ForeignKey {
  std::uint32_t table = 0;
  std::vector<std::uint32_t> columns;
  std::uint32_t parent = 0;
  std::vector<std::uint32_t> parent_columns;
  bool operator==(const ForeignKey&) const = default;
};

struct Table {
  std::string name;
  std::vector<Column> columns;
  std::vector<std::uint32_t> primary_key;  ///< empty: none
  /// npos if there is no such column.
  [[nodiscard]] std::uint32_t find(std::string_view column) const;
  static constexpr std::uint32_t npos = ~0u;
};

struct Schema {
  std::vector<Table> tables;  ///< by name
  std::vector<ForeignKey> foreign_keys;

  [[nodiscard]] std::uint32_t find(std::string_view table) const;  ///< Table::npos: none
  /// `orders.customer_id -> customers.id`; escaped.
  [[nodiscard]] std::string text_of(const ForeignKey& key) const;
  /// Whether a column is part of a key, and so no feature.
  [[nodiscard]] bool is_key(std::uint32_t table, std::uint32_t column) const;
  /// A line a table and a key, for people.
  [[nodiscard]] std::string text() const;
};

/// As SQL compares names.
[[nodiscard]] std::string upper(std::string_view text);
/// By its name in any case; npos if there is no such column.
[[nodiscard]] std::uint32_t find_declared(const Table& table, std::string_view name);

struct TableColumn {
  std::uint32_t table = 0;
  std::uint32_t column = 0;
};

/// Tables, columns and keys as the database declares them. Errors: BadTable (no table; a foreign
/// key whose parent, or a column of it, is not there).
[[nodiscard]] Result<Schema> read_schema(const SourceDatabase& database);
/// `orders.price`, at the dot that makes both names known. Error Usage, in the name of `option`,
/// with the names that there are.
[[nodiscard]] Result<TableColumn> find_column(const Schema& schema, const std::string& option,
                                              std::string_view words);
/// Adds `a.x:b.y`, with commas between columns of composite keys: `a.x,a.z:b.y,b.w`. One that is
/// there already is not added again. Error Usage.
[[nodiscard]] Result<void> add_foreign_key(Schema& schema, std::string_view words);
/// `a.x` or `a.x,a.y` names the rows of a table, whatever the database declares. Error Usage.
[[nodiscard]] Result<void> add_key(Schema& schema, std::string_view words);
/// Adds a key where a column is called as the parent's key column, or as parent and key (`shop_id`
/// for shops.id), and each of its values is there. The report has a line each, with the rows that
/// were compared, and says why a candidate was left out.
[[nodiscard]] Result<std::string> infer_keys(const SourceDatabase& database, Schema& schema);

}  // namespace vecc::tools::sql
