#include "tools/import/sql/schema.h"

#include <algorithm>
#include <cctype>

#include "tools/import/load/load_errors.h"
#include "tools/import/sql/source_engine.h"

namespace vecc::tools::sql {
namespace {

std::string columns_text(const Table& table, const std::vector<std::uint32_t>& columns) {
  std::string out;
  for (const std::uint32_t c : columns) {
    out += (out.empty() ? "" : ",") + table.name + "." + table.columns[c].name;
  }
  return escape_terminal(out, 400);
}

std::string names_of(const Schema& schema) {
  std::string out;
  for (const Table& table : schema.tables) out += (out.empty() ? "" : ", ") + table.name;
  return escape_terminal(out, 400);
}

// Values of a column that the parent lacks; how many there are, and whether the parent has one
// twice.
struct Overlap {
  std::int64_t values = 0;
  std::int64_t missing = 0;
  bool is_unique = false;
};

Result<Overlap> compare(const SourceDatabase& database, const Schema& schema,
                        const ForeignKey& key) {
  const std::string child = quote_name(schema.tables[key.table].name);
  const std::string parent = quote_name(schema.tables[key.parent].name);
  const std::string from = quote_name(schema.tables[key.table].columns[key.columns.front()].name);
  const std::string to =
      quote_name(schema.tables[key.parent].columns[key.parent_columns.front()].name);
  const auto values = [&](const std::string& column, const std::string& table) {
    return "SELECT " + database.engine().comparable(column) + " AS v FROM " + table + " WHERE " +
           column + " IS NOT NULL";
  };
  const std::string keys = values(to, parent);
  Overlap overlap;
  VECC_TRY_VOID(database.query("SELECT count(v), count(DISTINCT v) FROM (" + keys + ") AS p",
                               [&](SqlRow row) -> Result<void> {
                                 overlap.is_unique = row[0].integer == row[1].integer;
                                 return {};
                               }));
  VECC_TRY_VOID(database.query(
      "SELECT count(*), sum(CASE WHEN p.v IS NULL THEN 1 ELSE 0 END) FROM (" + values(from, child) +
          ") AS c LEFT JOIN (SELECT DISTINCT v FROM (" + keys + ") AS k) AS p ON p.v = c.v",
      [&](SqlRow row) -> Result<void> {
        overlap.values = row[0].integer;
        overlap.missing = row[1].integer;
        return {};
      }));
  return overlap;
}

// The column that names rows of a table: its key, or what is called id, or as the table.
std::uint32_t name_column(const Table& table) {
  if (table.primary_key.size() == 1) return table.primary_key.front();
  if (!table.primary_key.empty()) return Table::npos;
  const std::string name = upper(table.name);
  std::vector<std::string> names{"ID", name + "_ID", name + "ID"};
  if (name.ends_with('S')) {
    const std::string one = name.substr(0, name.size() - 1);
    names.insert(names.end(), {one + "_ID", one + "ID"});
  }
  for (const std::string& candidate : names) {
    if (const auto c = find_declared(table, candidate); c != Table::npos) return c;
  }
  return Table::npos;
}

bool may_name(const Table& parent, std::uint32_t key, std::string_view column) {
  const std::string name = upper(column);
  const std::string id = upper(parent.columns[key].name);
  const std::string table = upper(parent.name);
  if (id != "ID" && id != "NAME" && name == id) return true;
  std::vector<std::string> stems{table};
  if (table.ends_with('S')) stems.push_back(table.substr(0, table.size() - 1));
  if (table.ends_with("IES")) stems.push_back(table.substr(0, table.size() - 3) + "Y");
  for (const std::string& stem : stems) {
    if (name == stem + "_" + id || name == stem + id || name == stem) return true;
  }
  return false;
}

// `a.x,a.y`: the columns, and the table that they are of.
Result<std::uint32_t> find_columns(const Schema& schema, const std::string& option,
                                   std::string_view words, std::vector<std::uint32_t>& columns) {
  std::uint32_t table = Table::npos;
  while (true) {
    const std::size_t comma = words.find(',');
    VECC_TRY(const TableColumn found, find_column(schema, option, words.substr(0, comma)));
    if (table != Table::npos && found.table != table) {
      return usage(option + ": found two tables, expected columns of one");
    }
    table = found.table;
    columns.push_back(found.column);
    if (comma == std::string_view::npos) return table;
    words.remove_prefix(comma + 1);
  }
}

}  // namespace

Errors usage(const std::string& message) {
  return {ErrorCode::Usage, "vecc-import sql", message};
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::uint32_t find_declared(const Table& table, std::string_view name) {
  for (std::uint32_t i = 0; i < table.columns.size(); ++i) {
    if (upper(table.columns[i].name) == upper(name)) return i;
  }
  return Table::npos;
}

std::uint32_t Table::find(std::string_view column) const {
  for (std::uint32_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == column) return i;
  }
  return npos;
}

std::uint32_t Schema::find(std::string_view table) const {
  for (std::uint32_t i = 0; i < tables.size(); ++i) {
    if (tables[i].name == table) return i;
  }
  return Table::npos;
}

std::string Schema::text_of(const ForeignKey& key) const {
  return columns_text(tables[key.table], key.columns) + " -> " +
         columns_text(tables[key.parent], key.parent_columns);
}

bool Schema::is_key(std::uint32_t table, std::uint32_t column) const {
  const auto has = [&](const std::vector<std::uint32_t>& columns) {
    return std::ranges::find(columns, column) != columns.end();
  };
  if (has(tables[table].primary_key)) return true;
  return std::ranges::any_of(foreign_keys, [&](const ForeignKey& key) {
    return (key.table == table && has(key.columns)) ||
           (key.parent == table && has(key.parent_columns));
  });
}

std::string Schema::text() const {
  std::string out;
  for (const Table& table : tables) {
    out += "table " + escape_terminal(table.name) + ": " + count_of(table.columns.size(), "column");
    if (!table.primary_key.empty()) out += ", key " + columns_text(table, table.primary_key);
    out += "\n";
  }
  for (const ForeignKey& key : foreign_keys) out += "key " + text_of(key) + "\n";
  return out;
}

Result<Schema> read_schema(const SourceDatabase& database) {
  VECC_TRY(Schema schema, database.engine().schema());
  if (schema.tables.empty()) {
    return Errors(ErrorCode::BadTable, database.name(), "has no tables");
  }
  return schema;
}

Result<TableColumn> find_column(const Schema& schema, const std::string& option,
                                std::string_view words) {
  std::uint32_t table = Table::npos;
  for (std::size_t dot = words.find('.'); dot != std::string_view::npos;
       dot = words.find('.', dot + 1)) {
    const std::uint32_t t = schema.find(words.substr(0, dot));
    if (t == Table::npos) continue;
    table = t;
    const std::uint32_t c = schema.tables[t].find(words.substr(dot + 1));
    if (c != Table::npos) return TableColumn{t, c};
  }
  if (table == Table::npos) {
    return usage(option + ": found " + quote(words) + ", expected TABLE.COLUMN; the tables are " +
                 names_of(schema));
  }
  std::string columns;
  for (const Column& column : schema.tables[table].columns) {
    columns += (columns.empty() ? "" : ", ") + column.name;
  }
  return usage(option + ": found " + quote(words) + "; the columns of " +
               escape_terminal(schema.tables[table].name) + " are " +
               escape_terminal(columns, 400));
}

Result<void> add_key(Schema& schema, std::string_view words) {
  std::vector<std::uint32_t> columns;
  VECC_TRY(const std::uint32_t table, find_columns(schema, "--key", words, columns));
  schema.tables[table].primary_key = std::move(columns);
  return {};
}

Result<void> add_foreign_key(Schema& schema, std::string_view words) {
  const std::string option = "--foreign-key";
  const std::size_t colon = words.find(':');
  ForeignKey key;
  if (colon == std::string_view::npos) {
    return usage(option + ": found " + quote(words) + ", expected TABLE.COLUMN:PARENT.COLUMN");
  }
  VECC_TRY(key.table, find_columns(schema, option, words.substr(0, colon), key.columns));
  VECC_TRY(key.parent, find_columns(schema, option, words.substr(colon + 1), key.parent_columns));
  if (key.columns.size() != key.parent_columns.size()) {
    return usage(option + ": found " + count_of(key.columns.size(), "column") + " and " +
                 count_of(key.parent_columns.size(), "column") +
                 ", expected as many on both sides");
  }
  std::vector<std::uint32_t>& known = schema.tables[key.parent].primary_key;
  if (known.empty()) known = key.parent_columns;
  if (std::ranges::find(schema.foreign_keys, key) == schema.foreign_keys.end()) {
    schema.foreign_keys.push_back(std::move(key));
  }
  return {};
}

Result<std::string> infer_keys(const SourceDatabase& database, Schema& schema) {
  std::string report;
  for (std::uint32_t p = 0; p < schema.tables.size(); ++p) {
    const Table& parent = schema.tables[p];
    const std::uint32_t id = name_column(parent);
    if (id == Table::npos) continue;
    for (std::uint32_t t = 0; t < schema.tables.size(); ++t) {
      for (std::uint32_t c = 0; c < schema.tables[t].columns.size(); ++c) {
        if (t == p || !may_name(parent, id, schema.tables[t].columns[c].name)) continue;
        const ForeignKey key{t, {c}, p, {id}};
        const auto& keys = schema.foreign_keys;
        const bool has_one = std::ranges::any_of(keys, [&](const ForeignKey& other) {
          return other.table == t && other.columns == key.columns;
        });
        if (has_one) continue;
        VECC_TRY(const Overlap overlap, compare(database, schema, key));
        std::string words;
        if (!overlap.is_unique) {
          words = "not taken: the parent has a value twice";
        } else if (overlap.values == 0) {
          words = "not taken: no values";
        } else if (overlap.missing > 0) {
          words = "not taken: " + std::to_string(overlap.missing) + " of " +
                  count_of(static_cast<std::uint64_t>(overlap.values), "value") +
                  " are not there; --foreign-key takes it nevertheless";
        } else {
          words =
              count_of(static_cast<std::uint64_t>(overlap.values), "value") + ", all of them there";
          schema.foreign_keys.push_back(key);
          if (schema.tables[p].primary_key.empty()) schema.tables[p].primary_key = {id};
        }
        report += "inferred key " + schema.text_of(key) + ": " + words + "\n";
      }
    }
  }
  return report.empty() ? std::string("inferred no keys\n") : report;
}

}  // namespace vecc::tools::sql
