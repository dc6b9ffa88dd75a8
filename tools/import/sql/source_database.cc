#include "tools/import/sql/source_database.h"

#include <utility>

#include "tools/import/load/text_file.h"
#include "tools/import/sql/source_engine.h"

namespace vecc::tools::sql {
namespace {

// Refuses by name what is no SQLite file and no folder of CSV or Parquet files.
Result<void> refuse_other_sources(const std::string& path) {
  if (path.ends_with(".parquet")) {
    return Errors(ErrorCode::FileUnreadable, escape_path(path),
                  "is one table: give the folder of Parquet files, one a table");
  }
  if (is_folder(path)) {
    VECC_TRY(const std::vector<std::string> csv, list_files(path, ".csv"));
    VECC_TRY(const std::vector<std::string> parquet, list_files(path, ".parquet"));
    if (csv.empty() && parquet.empty()) {
      return Errors(ErrorCode::FileUnreadable, escape_path(path),
                    "has no *.csv and no *.parquet: expected one file a table");
    }
    if (!csv.empty() && !parquet.empty()) {
      return Errors(ErrorCode::FileUnreadable, escape_path(path),
                    "has both *.csv and *.parquet: expected a folder of one kind");
    }
  } else if (!is_file(path)) {
    return Errors(ErrorCode::FileUnreadable, escape_path(path),
                  "is not there: expected an SQLite file or a folder of CSV or Parquet files");
  }
  return {};
}

}  // namespace

std::string quote_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

bool is_address(std::string_view source) {
  return source.starts_with("postgres://") || source.starts_with("postgresql://");
}

std::string shown_source(const std::string& source) {
  if (!is_address(source)) return source;
  std::string shown = source.substr(0, source.find('?'));
  const std::size_t host = shown.find("//") + 2;
  const std::size_t at = shown.rfind('@');
  const std::size_t colon = shown.find(':', host);
  if (at == std::string::npos || colon == std::string::npos || colon > at) return shown;
  return shown.erase(colon, at - colon);
}

Result<SourceDatabase> SourceDatabase::open(const std::string& path) {
  if (is_address(path)) {
    VECC_TRY(auto engine, open_postgres(path));
    return SourceDatabase(std::move(engine));
  }
  VECC_TRY_VOID(refuse_other_sources(path));
  bool has_parquet = false;
  if (is_folder(path)) {
    VECC_TRY(const std::vector<std::string> parquet, list_files(path, ".parquet"));
    has_parquet = !parquet.empty();
  }
  VECC_TRY(auto engine, has_parquet ? open_parquet(path) : open_sqlite(path));
  return SourceDatabase(std::move(engine));
}

SourceDatabase::SourceDatabase(std::unique_ptr<SourceEngine> engine) : engine_(std::move(engine)) {}
SourceDatabase::SourceDatabase(SourceDatabase&&) noexcept = default;
SourceDatabase& SourceDatabase::operator=(SourceDatabase&&) noexcept = default;
SourceDatabase::~SourceDatabase() = default;

const std::string& SourceDatabase::name() const {
  return engine_->name;
}

Result<void> SourceDatabase::query(const std::string& sql,
                                   const std::function<Result<void>(SqlRow)>& take) const {
  return engine_->query(sql, take);
}

Result<void> SourceDatabase::scan(std::string_view table, std::span<const std::string> columns,
                                  const std::function<Result<void>(SqlRow)>& take) const {
  std::string sql;
  for (const std::string& column : columns) sql += (sql.empty() ? "" : ", ") + quote_name(column);
  if (sql.empty()) sql = "1";
  return query("SELECT " + sql + " " + engine_->from(table), take);
}

}  // namespace vecc::tools::sql
