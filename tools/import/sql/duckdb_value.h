// Values of DuckDB's vectors.
#pragma once

#include <cstdint>
#include <string>

#include "tools/duckdb/duckdb_library.h"
#include "tools/import/sql/source_database.h"

namespace vecc::tools::sql {

/// Whether value_at() reads columns of a type.
[[nodiscard]] bool is_read(duckdb::Type type);
/// Row `row` of a vector that is not NULL there. `text`: room for times, as `2020-01-31 12:30:00`;
/// NaN and infinity are texts, as they are no numbers.
[[nodiscard]] SqlValue value_at(duckdb::Type type, const void* data, std::uint64_t row,
                                std::string& text);

}  // namespace vecc::tools::sql
