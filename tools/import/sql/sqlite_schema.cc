#include "tools/import/sql/sqlite_schema.h"

#include <map>

#include "tools/import/load/load_errors.h"

namespace vecc::tools::sql {
namespace {

// A text that SQL takes for a value.
std::string quote_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

// With generated columns, which table_info passes over; 1 are hidden ones of virtual tables.
Result<void> read_columns(const SourceEngine& database, Table& table) {
  std::map<std::int64_t, std::uint32_t> key;
  const std::string sql = "SELECT name, type, pk FROM pragma_table_xinfo(" +
                          quote_text(table.name) + ") WHERE hidden <> 1 ORDER BY cid";
  VECC_TRY_VOID(database.query(sql, [&](SqlRow row) -> Result<void> {
    if (row[2].integer > 0) {
      key[row[2].integer] = static_cast<std::uint32_t>(table.columns.size());
    }
    table.columns.push_back({std::string(row[0].text), upper(row[1].text)});
    return {};
  }));
  for (const auto& [position, column] : key) table.primary_key.push_back(column);
  return {};
}

Result<void> read_foreign_keys(const SourceEngine& database, Schema& schema, std::uint32_t t) {
  const std::string& name = schema.tables[t].name;
  const auto dangling = [&](std::string_view parent) {
    return Errors(
        ErrorCode::DanglingReference, database.name + ": table " + escape_terminal(name),
        "declares a foreign key to " + quote(parent) + ", which is no table with such a key");
  };
  std::map<std::int64_t, ForeignKey> keys;
  const std::string sql =
      "SELECT id, seq, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(" +
      quote_text(name) + ") ORDER BY id DESC, seq";
  VECC_TRY_VOID(database.query(sql, [&](SqlRow row) -> Result<void> {
    ForeignKey& key = keys[-row[0].integer];
    key.table = t;
    key.parent = Table::npos;
    for (std::uint32_t p = 0; p < schema.tables.size(); ++p) {
      if (upper(schema.tables[p].name) == upper(row[2].text)) key.parent = p;
    }
    if (key.parent == Table::npos) return dangling(row[2].text);
    const Table& parent = schema.tables[key.parent];
    const auto at = static_cast<std::size_t>(row[1].integer);
    const std::uint32_t to =
        row[4].kind != SqlValue::Kind::Null
            ? find_declared(parent, row[4].text)
            : (at < parent.primary_key.size() ? parent.primary_key[at] : Table::npos);
    const std::uint32_t from = find_declared(schema.tables[t], row[3].text);
    if (to == Table::npos || from == Table::npos) return dangling(row[2].text);
    key.columns.push_back(from);
    key.parent_columns.push_back(to);
    return {};
  }));
  for (auto& [id, key] : keys) schema.foreign_keys.push_back(std::move(key));
  return {};
}

}  // namespace

Result<Schema> read_sqlite_schema(const SourceEngine& database) {
  Schema schema;
  VECC_TRY_VOID(database.query(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE "
      "'\\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
      [&](SqlRow row) -> Result<void> {
        schema.tables.push_back({std::string(row[0].text), {}, {}});
        return {};
      }));
  for (Table& table : schema.tables) VECC_TRY_VOID(read_columns(database, table));
  for (std::uint32_t t = 0; t < schema.tables.size(); ++t) {
    VECC_TRY_VOID(read_foreign_keys(database, schema, t));
  }
  return schema;
}

}  // namespace vecc::tools::sql
