// Folders of Parquet files, which DuckDB reads: a view a file, one thread, so that rows come in the
// order of the file.
#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "tools/duckdb/duckdb_library.h"
#include "tools/import/load/load_errors.h"
#include "tools/import/load/text_file.h"
#include "tools/import/sql/duckdb_value.h"
#include "tools/import/sql/schema.h"
#include "tools/import/sql/source_engine.h"

namespace vecc::tools::sql {
namespace {

constexpr std::string_view kEnding = ".parquet";

// A path as text of SQL.
std::string quote_path(const std::string& path) {
  std::string out = "'";
  for (const char c : path) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

// What a column of a type that value_at() does not read is cast to; empty: it is read as it is.
std::string_view cast_of(std::string_view type) {
  constexpr std::array kReadAsItIs{
      "BOOLEAN",     "TINYINT",      "SMALLINT",     "INTEGER",   "BIGINT",
      "UTINYINT",    "USMALLINT",    "FLOAT",        "DOUBLE",    "UINTEGER",
      "UBIGINT",     "HUGEINT",      "VARCHAR",      "BLOB",      "DATE",
      "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"};
  for (const std::string_view known : kReadAsItIs) {
    if (type == known) return {};
  }
  if (type.starts_with("DECIMAL") || type == "UHUGEINT") return "DOUBLE";
  return "VARCHAR";
}

// Lists, structs and maps are texts that are no feature, as those of a server are.
bool is_nested(std::string_view type) {
  return type.ends_with(']') || type.starts_with("STRUCT") || type.starts_with("MAP") ||
         type.starts_with("UNION");
}

// Adds types and keys that are declared of the tables and columns that are there. Error BadTable: a
// table or column that is not.
Result<void> take_declared(const Schema& declared, Schema& schema, const std::string& place) {
  std::vector<std::uint32_t> tables;
  const auto refuse = [&](const std::string& what) {
    return Errors(ErrorCode::BadTable, place, "declares " + what + ", which is not there");
  };
  for (const Table& from : declared.tables) {
    const auto same = [&](const Table& table) { return upper(table.name) == upper(from.name); };
    const auto to = std::ranges::find_if(schema.tables, same);
    if (to == schema.tables.end()) return refuse("table " + quote(from.name));
    tables.push_back(static_cast<std::uint32_t>(to - schema.tables.begin()));
    for (const Column& column : from.columns) {
      const std::uint32_t c = find_declared(*to, column.name);
      if (c == Table::npos) return refuse("column " + quote(from.name + "." + column.name));
      if (!column.type.empty()) to->columns[c].type = column.type;
    }
    for (const std::uint32_t c : from.primary_key) {
      to->primary_key.push_back(find_declared(*to, from.columns[c].name));
    }
  }
  const auto column_of = [&](std::uint32_t table, std::uint32_t column) {
    return find_declared(schema.tables[tables[table]], declared.tables[table].columns[column].name);
  };
  for (const ForeignKey& from : declared.foreign_keys) {
    ForeignKey key;
    key.table = tables[from.table];
    key.parent = tables[from.parent];
    for (const std::uint32_t c : from.columns) key.columns.push_back(column_of(from.table, c));
    for (const std::uint32_t c : from.parent_columns) {
      key.parent_columns.push_back(column_of(from.parent, c));
    }
    schema.foreign_keys.push_back(std::move(key));
  }
  return {};
}

class DuckDbSource final : public SourceEngine {
 public:
  DuckDbSource(const duckdb::Library& library, const std::string& folder) : library_(library) {
    name = escape_path(std::filesystem::path(folder).filename().string());
  }
  DuckDbSource(const DuckDbSource&) = delete;
  DuckDbSource& operator=(const DuckDbSource&) = delete;
  ~DuckDbSource() override {
    if (connection_ != nullptr) library_.disconnect(&connection_);
    if (database_ != nullptr) library_.close(&database_);
  }

  [[nodiscard]] Result<void> open(const std::string& folder);
  [[nodiscard]] Result<void> query(const std::string& sql,
                                   const std::function<Result<void>(SqlRow)>& take) const override;
  [[nodiscard]] std::string from(std::string_view table) const override {
    return "FROM " + quote_name(table);
  }
  [[nodiscard]] std::string comparable(const std::string& column) const override {
    return "CAST(" + column + " AS VARCHAR)";
  }
  [[nodiscard]] Result<Schema> schema() const override { return schema_; }

 private:
  [[nodiscard]] Result<void> connect();
  [[nodiscard]] Result<void> run(const std::string& sql) const;
  [[nodiscard]] Result<void> add_table(const std::string& path, const std::string& table);
  [[nodiscard]] Result<void> take_rows(duckdb::QueryResult& result, const std::string& sql,
                                       const std::function<Result<void>(SqlRow)>& take) const;
  [[nodiscard]] Errors failed(const char* message, const std::string& sql) const {
    const std::string_view words = message == nullptr ? "no message" : message;
    return {ErrorCode::BadTable, name,
            "DuckDB says: " + escape_terminal(words, 1000) + ", of " + escape_terminal(sql, 400)};
  }

  duckdb::Library library_;
  void* database_ = nullptr;
  void* connection_ = nullptr;
  Schema schema_;
};

Result<void> DuckDbSource::connect() {
  void* config = nullptr;
  // Nothing is fetched from a network, and nothing written beside the files.
  constexpr std::array<std::pair<const char*, const char*>, 4> kSettings{
      {{"threads", "1"},
       {"temp_directory", ""},
       {"autoinstall_known_extensions", "false"},
       {"autoload_known_extensions", "false"}}};
  bool is_good = library_.create_config(&config) == 0;
  for (const auto& [setting, value] : kSettings) {
    is_good = is_good && library_.set_config(config, setting, value) == 0;
  }
  char* message = nullptr;
  is_good = is_good && library_.open_ext(":memory:", &database_, config, &message) == 0 &&
            library_.connect(database_, &connection_) == 0;
  library_.destroy_config(&config);
  Errors errors = failed(message, "open");
  if (message != nullptr) library_.free(message);
  if (!is_good) return errors;
  return {};
}

Result<void> DuckDbSource::run(const std::string& sql) const {
  duckdb::QueryResult result{};
  const bool is_good = library_.query(connection_, sql.c_str(), &result) == 0;
  Errors errors = failed(is_good ? nullptr : library_.result_error(&result), sql);
  library_.destroy_result(&result);
  if (!is_good) return errors;
  return {};
}

Result<void> DuckDbSource::add_table(const std::string& path, const std::string& table) {
  const std::string rows = "read_parquet(" + quote_path(path) + ", hive_partitioning = false)";
  Table& added = schema_.tables.emplace_back();
  added.name = table;
  std::string columns;
  VECC_TRY_VOID(query("DESCRIBE SELECT * FROM " + rows, [&](SqlRow row) -> Result<void> {
    const std::string column(row[0].text);
    std::string type(row[1].text);
    const std::string_view cast = cast_of(type);
    const std::string words = quote_name(column);
    columns += columns.empty() ? "" : ", ";
    if (is_nested(type)) {
      columns += "encode(CAST(" + words + " AS VARCHAR)) AS " + words;
    } else if (!cast.empty()) {
      columns += "CAST(" + words + " AS " + std::string(cast) + ") AS " + words;
    } else {
      columns += words;
    }
    added.columns.push_back({column, upper(type)});
    return {};
  }));
  return run("CREATE VIEW " + quote_name(table) + " AS SELECT " + columns + " FROM " + rows);
}

Result<void> DuckDbSource::open(const std::string& folder) {
  VECC_TRY_VOID(connect());
  const std::string place = std::filesystem::absolute(folder).string();
  VECC_TRY(const std::vector<std::string> files, list_files(place, std::string(kEnding)));
  for (const std::string& file : files) {
    if (const std::string path = join_path(place, file); path.find_first_of("*?[") != path.npos) {
      return Errors(ErrorCode::FileUnreadable, escape_path(path),
                    "has one of *, ? and [ in its path, a pattern to DuckDB: rename it");
    }
    VECC_TRY_VOID(add_table(join_path(place, file), file.substr(0, file.size() - kEnding.size())));
  }
  VECC_TRY(const Schema declared, read_declared_schema(place));
  VECC_TRY_VOID(take_declared(declared, schema_, escape_path(join_path(place, "schema.sql"))));
  // A query of --task reads the folder, and does nothing else.
  return run("SET allowed_directories = [" + quote_path(join_path(place, "")) +
             "]; SET enable_external_access = false; SET lock_configuration = true");
}

Result<void> DuckDbSource::query(const std::string& sql,
                                 const std::function<Result<void>(SqlRow)>& take) const {
  void* statement = nullptr;
  if (library_.prepare(connection_, sql.c_str(), &statement) != 0) {
    Errors errors = failed(statement == nullptr ? nullptr : library_.prepare_error(statement), sql);
    library_.destroy_prepare(&statement);
    return errors;
  }
  duckdb::QueryResult result{};
  const bool is_good = library_.execute_prepared_streaming(statement, &result) == 0;
  const Result<void> done = is_good ? take_rows(result, sql, take)
                                    : Result<void>(failed(library_.result_error(&result), sql));
  library_.destroy_result(&result);
  library_.destroy_prepare(&statement);
  return done;
}

Result<void> DuckDbSource::take_rows(duckdb::QueryResult& result, const std::string& sql,
                                     const std::function<Result<void>(SqlRow)>& take) const {
  const std::uint64_t width = library_.column_count(&result);
  std::vector<duckdb::Type> types;
  for (std::uint64_t i = 0; i < width; ++i) {
    types.push_back(static_cast<duckdb::Type>(library_.column_type(&result, i)));
    if (is_read(types.back())) continue;
    return failed((std::string("column ") + library_.column_name(&result, i) +
                   " is of a type that is not read: cast it to BIGINT, DOUBLE or VARCHAR")
                      .c_str(),
                  sql);
  }
  std::vector<SqlValue> values(width);
  std::vector<std::string> texts(width);
  std::vector<const void*> data(width);
  std::vector<const std::uint64_t*> valid(width);
  while (void* chunk = library_.fetch_chunk(result)) {
    Result<void> taken;
    for (std::uint64_t i = 0; i < width; ++i) {
      void* const vector = library_.data_chunk_get_vector(chunk, i);
      data[i] = library_.vector_get_data(vector);
      valid[i] = library_.vector_get_validity(vector);
    }
    const std::uint64_t count = library_.data_chunk_get_size(chunk);
    for (std::uint64_t row = 0; row < count && taken; ++row) {
      for (std::uint64_t i = 0; i < width; ++i) {
        const bool is_null = valid[i] != nullptr && (valid[i][row / 64] >> row % 64 & 1) == 0;
        values[i] = is_null ? SqlValue() : value_at(types[i], data[i], row, texts[i]);
      }
      taken = take(values);
    }
    library_.destroy_data_chunk(&chunk);
    if (!taken) return taken.error();
    if (count == 0) break;
  }
  const char* const message = library_.result_error(&result);
  if (message != nullptr && *message != '\0') return failed(message, sql);
  return {};
}

}  // namespace

Result<std::unique_ptr<SourceEngine>> open_parquet(const std::string& folder) {
  VECC_TRY(const duckdb::Library library,
           duckdb::load_library(escape_path(folder), "Parquet is read by DuckDB's library",
                                "write each table as CSV (`duckdb -c \"copy "
                                "'orders.parquet' to 'orders.csv'\"`) and give the folder"));
  auto source = std::make_unique<DuckDbSource>(library, folder);
  VECC_TRY_VOID(source->open(folder));
  return std::unique_ptr<SourceEngine>(std::move(source));
}

}  // namespace vecc::tools::sql
