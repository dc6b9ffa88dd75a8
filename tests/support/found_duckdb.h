// A real DuckDB for tests: VECC_DUCKDB, or the one inside Python's package `duckdb`.
#pragma once

#include <string>

namespace vecc::test {

/// What VECC_DUCKDB is or has to be, which it sets; empty: there is none.
std::string use_duckdb();

}  // namespace vecc::test
