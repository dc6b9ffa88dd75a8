// What stands for libpq when vecc is built without it.
#include "tools/import/sql/source_engine.h"

namespace vecc::tools::sql {

Result<std::unique_ptr<SourceEngine>> open_postgres(const std::string& /*address*/) {
  return Errors(ErrorCode::NotBuiltIn, "SOURCE",
                "PostgreSQL is read by libpq, and vecc was built without it: install libpq-dev and "
                "configure with -DVECC_POSTGRES=ON; or write each table as CSV (`psql -c \"\\copy "
                "orders to 'orders.csv' csv header\"`) and give the folder");
}

}  // namespace vecc::tools::sql
