// The calls of DuckDB's C API that vecc makes, from a library that is loaded when it is needed.
#pragma once

#include <cstdint>
#include <string>

#include "vecc/error.h"

namespace vecc::tools::sql::duckdb {

/// `duckdb_result` of duckdb.h: what it holds is the library's.
struct QueryResult {
  std::uint64_t counts[3];
  void* columns;
  char* message;
  void* internal;
};

/// `duckdb_type` of duckdb.h, as far as columns are read by it.
enum class Type : int {
  Boolean = 1,
  TinyInt = 2,
  SmallInt = 3,
  Integer = 4,
  BigInt = 5,
  UTinyInt = 6,
  USmallInt = 7,
  UInteger = 8,
  UBigInt = 9,
  Float = 10,
  Double = 11,
  Timestamp = 12,
  Date = 13,
  HugeInt = 16,
  Varchar = 17,
  Blob = 18,
  TimestampSeconds = 20,
  TimestampMilliseconds = 21,
  TimestampNanoseconds = 22,
  TimestampZone = 31,
};

/// Handles are pointers of the library; calls that return an int give 0 for success.
struct Library {
  int (*create_config)(void** config);
  int (*set_config)(void* config, const char* name, const char* value);
  void (*destroy_config)(void** config);
  int (*open_ext)(const char* path, void** database, void* config, char** message);
  void (*close)(void** database);
  void (*free)(void* memory);
  int (*connect)(void* database, void** connection);
  void (*disconnect)(void** connection);
  int (*query)(void* connection, const char* sql, QueryResult* result);
  int (*prepare)(void* connection, const char* sql, void** statement);
  const char* (*prepare_error)(void* statement);
  void (*destroy_prepare)(void** statement);
  int (*execute_prepared_streaming)(void* statement, QueryResult* result);
  void (*destroy_result)(QueryResult* result);
  const char* (*result_error)(QueryResult* result);
  std::uint64_t (*column_count)(QueryResult* result);
  const char* (*column_name)(QueryResult* result, std::uint64_t column);
  int (*column_type)(QueryResult* result, std::uint64_t column);
  void* (*fetch_chunk)(QueryResult result);
  std::uint64_t (*data_chunk_get_size)(void* chunk);
  void* (*data_chunk_get_vector)(void* chunk, std::uint64_t column);
  void (*destroy_data_chunk)(void** chunk);
  void* (*vector_get_data)(void* vector);
  std::uint64_t* (*vector_get_validity)(void* vector);
};

/// `VECC_DUCKDB` (a path; libraries that it needs before it, with colons between), else
/// libduckdb.so as the loader finds it. It stays loaded. Error NotBuiltIn, at `place`, with the way
/// out.
[[nodiscard]] Result<Library> load_library(const std::string& place);

}  // namespace vecc::tools::sql::duckdb
