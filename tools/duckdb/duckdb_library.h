// The calls of DuckDB's C API that vecc makes, from a library that is loaded when it is needed.
#pragma once

#include <cstdint>
#include <string>

#include "vecc/error.h"

namespace vecc::tools::duckdb {

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
  int (*bind_int64)(void* statement, std::uint64_t parameter, std::int64_t value);
  void* (*create_logical_type)(int type);
  void (*destroy_logical_type)(void** type);
  void (*data_chunk_set_size)(void* chunk, std::uint64_t size);

  // Functions of SQL that are the caller's: of a table's rows,
  void* (*create_table_function)();
  void (*destroy_table_function)(void** function);
  void (*table_function_set_name)(void* function, const char* name);
  void (*table_function_add_parameter)(void* function, void* type);
  void (*table_function_set_extra_info)(void* function, void* info, void (*destroy)(void*));
  void (*table_function_set_bind)(void* function, void (*bind)(void* info));
  void (*table_function_set_init)(void* function, void (*init)(void* info));
  void (*table_function_set_function)(void* function, void (*rows)(void* info, void* chunk));
  int (*register_table_function)(void* connection, void* function);
  void* (*bind_get_extra_info)(void* info);
  void* (*bind_get_parameter)(void* info, std::uint64_t index);
  void (*bind_add_result_column)(void* info, const char* name, void* type);
  void (*bind_set_bind_data)(void* info, void* data, void (*destroy)(void*));
  void (*bind_set_cardinality)(void* info, std::uint64_t rows, bool is_exact);
  void (*bind_set_error)(void* info, const char* message);
  void (*init_set_init_data)(void* info, void* data, void (*destroy)(void*));
  void (*init_set_error)(void* info, const char* message);
  void* (*function_get_bind_data)(void* info);
  void* (*function_get_init_data)(void* info);
  std::int64_t (*get_int64)(void* value);
  void (*destroy_value)(void** value);

  // and of values.
  void* (*create_scalar_function)();
  void (*destroy_scalar_function)(void** function);
  void (*scalar_function_set_name)(void* function, const char* name);
  void (*scalar_function_add_parameter)(void* function, void* type);
  void (*scalar_function_set_varargs)(void* function, void* type);
  void (*scalar_function_set_return_type)(void* function, void* type);
  void (*scalar_function_set_extra_info)(void* function, void* info, void (*destroy)(void*));
  void (*scalar_function_set_function)(void* function,
                                       void (*compute)(void* info, void* chunk, void* vector));
  int (*register_scalar_function)(void* connection, void* function);
  void* (*scalar_function_get_extra_info)(void* info);
  std::uint64_t (*data_chunk_get_column_count)(void* chunk);
};

/// `VECC_DUCKDB` (a path; libraries that it needs before it, with colons between), else
/// libduckdb.so as the loader finds it. It stays loaded. Error NotBuiltIn, at `place`: what the
/// library is `needed` for, and the way out, behind "set VECC_DUCKDB to libduckdb.so of
/// duckdb.org, or".
[[nodiscard]] Result<Library> load_library(const std::string& place, const std::string& needed,
                                           const std::string& way_out);

}  // namespace vecc::tools::duckdb
