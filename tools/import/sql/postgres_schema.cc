#include "tools/import/sql/postgres_schema.h"

#include <map>

#include "tools/import/load/load_errors.h"

namespace vecc::tools::sql {
namespace {

// Tables by oid; columns by their number there, which has gaps where one was dropped.
struct Numbers {
  std::map<std::int64_t, std::uint32_t> table_of;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> column_of;
};

Result<void> read_tables(const SourceEngine& database, Schema& schema, Numbers& numbers) {
  return database.query(
      "SELECT oid, relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND "
      "pg_table_is_visible(oid) AND relnamespace NOT IN (SELECT oid FROM pg_namespace WHERE "
      "nspname "
      "IN ('pg_catalog', 'information_schema')) ORDER BY relname COLLATE \"C\"",
      [&](SqlRow row) -> Result<void> {
        numbers.table_of[row[0].integer] = static_cast<std::uint32_t>(schema.tables.size());
        schema.tables.push_back({std::string(row[1].text), {}, {}});
        return {};
      });
}

Result<void> read_columns_of_all(const SourceEngine& database, Schema& schema, Numbers& numbers) {
  return database.query(
      "SELECT attrelid, attnum, attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE "
      "attnum > 0 AND NOT attisdropped ORDER BY attrelid, attnum",
      [&](SqlRow row) -> Result<void> {
        const auto table = numbers.table_of.find(row[0].integer);
        if (table == numbers.table_of.end()) return {};
        std::vector<Column>& columns = schema.tables[table->second].columns;
        numbers.column_of[{row[0].integer, row[1].integer}] =
            static_cast<std::uint32_t>(columns.size());
        columns.push_back({std::string(row[2].text), upper(row[3].text)});
        return {};
      });
}

Result<void> read_primary_keys(const SourceEngine& database, Schema& schema,
                               const Numbers& numbers) {
  return database.query(
      "SELECT c.conrelid, k.attnum FROM pg_constraint AS c CROSS JOIN unnest(c.conkey) WITH "
      "ORDINALITY AS k(attnum, at) WHERE c.contype = 'p' ORDER BY c.conrelid, k.at",
      [&](SqlRow row) -> Result<void> {
        const auto table = numbers.table_of.find(row[0].integer);
        if (table == numbers.table_of.end()) return {};
        schema.tables[table->second].primary_key.push_back(
            numbers.column_of.at({row[0].integer, row[1].integer}));
        return {};
      });
}

Result<void> read_foreign_keys_of_all(const SourceEngine& database, Schema& schema,
                                      const Numbers& numbers) {
  std::int64_t last = -1;
  return database.query(
      "SELECT c.oid, c.conrelid, c.confrelid, k.child, k.parent, c.confrelid::regclass::text FROM "
      "pg_constraint AS c JOIN pg_class AS t ON t.oid = c.conrelid CROSS JOIN unnest(c.conkey, "
      "c.confkey) WITH ORDINALITY AS k(child, parent, at) WHERE c.contype = 'f' AND c.conparentid "
      "= "
      "0 ORDER BY t.relname COLLATE \"C\", c.conkey, c.oid, k.at",
      [&](SqlRow row) -> Result<void> {
        const auto table = numbers.table_of.find(row[1].integer);
        if (table == numbers.table_of.end()) return {};
        const auto parent = numbers.table_of.find(row[2].integer);
        if (parent == numbers.table_of.end()) {
          return Errors(
              ErrorCode::DanglingReference,
              database.name + ": table " + escape_terminal(schema.tables[table->second].name),
              "declares a foreign key to " + quote(row[5].text) +
                  ", which is no table of the search path");
        }
        if (row[0].integer != last) {
          schema.foreign_keys.push_back({table->second, {}, parent->second, {}});
        }
        last = row[0].integer;
        ForeignKey& key = schema.foreign_keys.back();
        key.columns.push_back(numbers.column_of.at({row[1].integer, row[3].integer}));
        key.parent_columns.push_back(numbers.column_of.at({row[2].integer, row[4].integer}));
        return {};
      });
}

}  // namespace

Result<Schema> read_postgres_schema(const SourceEngine& database) {
  Schema schema;
  Numbers numbers;
  VECC_TRY_VOID(read_tables(database, schema, numbers));
  VECC_TRY_VOID(read_columns_of_all(database, schema, numbers));
  VECC_TRY_VOID(read_primary_keys(database, schema, numbers));
  VECC_TRY_VOID(read_foreign_keys_of_all(database, schema, numbers));
  return schema;
}

}  // namespace vecc::tools::sql
