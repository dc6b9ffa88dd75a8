// What values of categories are called in templates.
#pragma once

#include <string>
#include <vector>

#include "tools/import/sql/column_code.h"

namespace vecc::tools::sql {

/// The constants of a column's categories, by number: a value that the language takes for a
/// constant (`brno`, `-7`, `0.5`) is itself. Others, NULL and unknown are `#3` by their number,
/// which is no value of a template.
[[nodiscard]] std::vector<std::string> category_words(const ColumnCode& code);

}  // namespace vecc::tools::sql
