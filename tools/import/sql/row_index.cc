#include "tools/import/sql/row_index.h"

#include <algorithm>
#include <charconv>

#include "tools/import/load/load_errors.h"
#include "tools/import/sql/column_code.h"

namespace vecc::tools::sql {

std::string place_of(const SourceDatabase& database, const Schema& schema, TableColumn at,
                     std::uint64_t row) {
  const Table& table = schema.tables[at.table];
  const std::string name = escape_terminal(table.name);
  const std::string column = escape_terminal(table.columns[at.column].name);
  return Place{database.name(), row, 0, column, name, "row"}.text();
}

namespace {

bool has_null(SqlRow key) {
  return std::ranges::any_of(key, [](const SqlValue& v) { return v.kind == SqlValue::Kind::Null; });
}

// A key of one whole number, also one that is written as a text or a real number: `7`, not `07`.
std::optional<std::int64_t> whole_key(SqlRow key) {
  if (key.size() != 1) return {};
  const SqlValue& value = key[0];
  if (value.kind == SqlValue::Kind::Integer) return value.integer;
  const std::string text = text_of(value);
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, whole);
  if (read.ptr != end || read.ec != std::errc{} || std::to_string(whole) != text) return {};
  return whole;
}

std::string bytes_of(SqlRow key) {
  std::string bytes;
  for (const SqlValue& value : key) {
    const std::string text = text_of(value);
    bytes += std::to_string(text.size()) + ':' + text;
  }
  return bytes;
}

}  // namespace

std::uint32_t& RowIndex::row_of(SqlRow key, std::uint32_t row) {
  if (const auto whole = whole_key(key)) return whole_.try_emplace(*whole, row).first->second;
  return rows_.try_emplace(bytes_of(key), row).first->second;
}

Result<RowIndex> RowIndex::build(const SourceDatabase& database, const Schema& schema,
                                 std::uint32_t table, const std::vector<std::uint32_t>& columns) {
  RowIndex index;
  std::vector<std::string> names;
  for (const std::uint32_t c : columns) names.push_back(schema.tables[table].columns[c].name);
  std::uint32_t row = 0;
  VECC_TRY_VOID(database.scan(schema.tables[table].name, names, [&](SqlRow key) -> Result<void> {
    if (!has_null(key) && index.row_of(key, row) != row) {
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
  if (has_null(key)) return {};
  if (const auto whole = whole_key(key)) {
    const auto found = whole_.find(*whole);
    return found == whole_.end() ? std::nullopt : std::optional(found->second);
  }
  const auto found = rows_.find(bytes_of(key));
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace vecc::tools::sql
