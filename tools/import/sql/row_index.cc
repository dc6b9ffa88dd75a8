#include "tools/import/sql/row_index.h"

#include "tools/import/load/load_errors.h"

namespace vecc::tools::sql {

std::string place_of(const SourceDatabase& database, const Schema& schema, TableColumn at,
                     std::uint64_t row) {
  const Table& table = schema.tables[at.table];
  const std::string name = escape_terminal(table.name);
  const std::string column = escape_terminal(table.columns[at.column].name);
  return Place{database.name(), row, 0, column, name, "row"}.text();
}

Result<RowIndex> RowIndex::build(const SourceDatabase& database, const Schema& schema,
                                 std::uint32_t table, const std::vector<std::uint32_t>& columns) {
  RowIndex index;
  std::vector<std::string> names;
  for (const std::uint32_t c : columns) names.push_back(schema.tables[table].columns[c].name);
  std::uint32_t row = 0;
  VECC_TRY_VOID(database.scan(schema.tables[table].name, names, [&](SqlRow key) -> Result<void> {
    std::string bytes;
    bool is_null = false;
    for (const SqlValue& value : key) {
      is_null |= value.kind == SqlValue::Kind::Null;
      bytes += text_of(value) + '\0';
    }
    if (!is_null && !index.rows_.try_emplace(std::move(bytes), row).second) {
      return Errors(
          ErrorCode::DuplicateId, place_of(database, schema, {table, columns.front()}, row + 1),
          "found " + quote(text_of(key[0])) + " a second time, expected a key: rows refer to it");
    }
    ++row;
    return {};
  }));
  return index;
}

std::optional<std::uint32_t> RowIndex::find(SqlRow key) const {
  std::string bytes;
  for (const SqlValue& value : key) {
    if (value.kind == SqlValue::Kind::Null) return {};
    bytes += text_of(value) + '\0';
  }
  const auto found = rows_.find(bytes);
  if (found == rows_.end()) return {};
  return found->second;
}

}  // namespace vecc::tools::sql
