// What stands for SQLite when vecc is built without it.
#include <utility>

#include "tools/import/load/text_file.h"
#include "tools/import/sql/source_database.h"

namespace vecc::tools::sql {

Result<SourceDatabase> SourceDatabase::open(const std::string& path) {
  return Errors(ErrorCode::NotBuiltIn, escape_path(path),
                "databases are read by SQLite, and vecc was built without it: install "
                "libsqlite3-dev and configure with -DVECC_SQLITE=ON");
}

SourceDatabase::SourceDatabase(SourceDatabase&&) noexcept = default;
SourceDatabase& SourceDatabase::operator=(SourceDatabase&&) noexcept = default;
SourceDatabase::~SourceDatabase() = default;

Result<void> SourceDatabase::query(const std::string&,
                                   const std::function<Result<void>(SqlRow)>&) const {
  return {};
}
Result<void> SourceDatabase::scan(std::string_view, std::span<const std::string>,
                                  const std::function<Result<void>(SqlRow)>&) const {
  return {};
}

}  // namespace vecc::tools::sql
