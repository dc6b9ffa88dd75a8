#include "tools/import/load/text_file.h"
#include "tools/import/sql/source_database.h"

namespace vecc::tools::sql {

std::string quote_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

Result<void> refuse_other_sources(const std::string& path) {
  if (path.starts_with("postgres://") || path.starts_with("postgresql://")) {
    return Errors(
        ErrorCode::NotBuiltIn, "SOURCE",
        "PostgreSQL is not built in: write each table as CSV (`psql -c \"\\copy orders to "
        "'orders.csv' csv header\"`) and give the folder");
  }
  const auto parquet = [&](std::string_view name) {
    return Errors(ErrorCode::NotBuiltIn, escape_path(name),
                  "Parquet is not built in: write each table as CSV (`duckdb -c \"copy "
                  "'orders.parquet' to 'orders.csv'\"`) and give the folder");
  };
  if (path.ends_with(".parquet")) return parquet(path);
  if (is_folder(path)) {
    VECC_TRY(const std::vector<std::string> csv, list_files(path, ".csv"));
    if (csv.empty()) {
      VECC_TRY(const std::vector<std::string> found, list_files(path, ".parquet"));
      if (!found.empty()) return parquet(join_path(path, found.front()));
      return Errors(ErrorCode::FileUnreadable, escape_path(path),
                    "has no *.csv: expected one file a table, with a line of column names");
    }
  } else if (!is_file(path)) {
    return Errors(ErrorCode::FileUnreadable, escape_path(path),
                  "is not there: expected an SQLite file or a folder of CSV files");
  }
  return {};
}

}  // namespace vecc::tools::sql
