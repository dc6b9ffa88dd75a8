// Values of a database as texts that tests compare.
#pragma once

#include <string>
#include <vector>

#include "tools/import/sql/source_database.h"

namespace vecc::test {

/// All values of a query, row by row: its kind's first letter before a number or a text (`i12`,
/// `r0.500000`, `tyes`), or `null`, `blob`.
[[nodiscard]] Result<std::vector<std::string>> texts_of_values(
    const tools::sql::SourceDatabase& database, const std::string& query);

}  // namespace vecc::test
