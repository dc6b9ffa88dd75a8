// What stands for SQLite when vecc is built without it.
#include "tools/ground/sql_database.h"

namespace vecc::tools::ground {

Result<SqlDatabase> SqlDatabase::open(const ConstantTable&, std::vector<StoredAtoms>&) {
  return Errors(ErrorCode::NotBuiltIn, "vecc-ground",
                "grounds with SQLite, and vecc was built without it: install libsqlite3-dev and "
                "configure with -DVECC_SQLITE=ON");
}

SqlStatement::SqlStatement(SqlStatement&&) noexcept = default;
SqlStatement::~SqlStatement() = default;
void SqlStatement::bind(int, std::int64_t) {}
bool SqlStatement::step() {
  return false;
}
std::int64_t SqlStatement::column(int) const {
  return 0;
}
Result<void> SqlStatement::check() {
  return {};
}

SqlDatabase::SqlDatabase(SqlDatabase&&) noexcept = default;
SqlDatabase::~SqlDatabase() = default;
Result<void> SqlDatabase::run(const std::string&) {
  return {};
}
SqlStatement SqlDatabase::prepare(const std::string& sql) {
  return {nullptr, sql};
}

}  // namespace vecc::tools::ground
