#include "tools/duckdb/duckdb_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "vecc/escape.h"

namespace vecc::tools::duckdb {
namespace {

// What the user names.
std::string own_paths() {
  const char* const own = std::getenv("VECC_DUCKDB");
  return own == nullptr ? "" : own;
}

// The last one; those before it are for its symbols.
void* open_libraries(std::string_view paths, std::string& message) {
  void* library = nullptr;
  while (true) {
    const std::size_t colon = paths.find(':');
    const bool is_last = colon == std::string_view::npos;
    const std::string path(paths.substr(0, colon));
    library = ::dlopen(path.c_str(), is_last ? RTLD_LAZY | RTLD_LOCAL : RTLD_LAZY | RTLD_GLOBAL);
    if (library == nullptr) {
      const char* const why = ::dlerror();
      message = why == nullptr ? path : why;
      return nullptr;
    }
    if (is_last) return library;
    paths.remove_prefix(colon + 1);
  }
}

template <class Call>
bool load_call(void* library, const char* name, Call& call, std::string& message) {
  call = reinterpret_cast<Call>(::dlsym(library, name));
  if (call == nullptr && message.empty()) message = std::string("has no ") + name;
  return call != nullptr;
}

bool load_queries(void* library, Library& out, std::string& message) {
  const auto load = [&](const char* name, auto& call) {
    return load_call(library, name, call, message);
  };
  return load("duckdb_create_config", out.create_config) &&
         load("duckdb_set_config", out.set_config) &&
         load("duckdb_destroy_config", out.destroy_config) &&
         load("duckdb_open_ext", out.open_ext) && load("duckdb_close", out.close) &&
         load("duckdb_free", out.free) && load("duckdb_connect", out.connect) &&
         load("duckdb_disconnect", out.disconnect) && load("duckdb_query", out.query) &&
         load("duckdb_prepare", out.prepare) && load("duckdb_prepare_error", out.prepare_error) &&
         load("duckdb_destroy_prepare", out.destroy_prepare) &&
         load("duckdb_execute_prepared_streaming", out.execute_prepared_streaming) &&
         load("duckdb_destroy_result", out.destroy_result) &&
         load("duckdb_result_error", out.result_error) &&
         load("duckdb_column_count", out.column_count) &&
         load("duckdb_column_name", out.column_name) &&
         load("duckdb_column_type", out.column_type) &&
         load("duckdb_fetch_chunk", out.fetch_chunk) &&
         load("duckdb_data_chunk_get_size", out.data_chunk_get_size) &&
         load("duckdb_data_chunk_get_vector", out.data_chunk_get_vector) &&
         load("duckdb_destroy_data_chunk", out.destroy_data_chunk) &&
         load("duckdb_vector_get_data", out.vector_get_data) &&
         load("duckdb_vector_get_validity", out.vector_get_validity);
}

bool load_table_functions(void* library, Library& out, std::string& message) {
  const auto load = [&](const char* name, auto& call) {
    return load_call(library, name, call, message);
  };
  return load("duckdb_create_table_function", out.create_table_function) &&
         load("duckdb_destroy_table_function", out.destroy_table_function) &&
         load("duckdb_table_function_set_name", out.table_function_set_name) &&
         load("duckdb_table_function_add_parameter", out.table_function_add_parameter) &&
         load("duckdb_table_function_set_extra_info", out.table_function_set_extra_info) &&
         load("duckdb_table_function_set_bind", out.table_function_set_bind) &&
         load("duckdb_table_function_set_init", out.table_function_set_init) &&
         load("duckdb_table_function_set_function", out.table_function_set_function) &&
         load("duckdb_register_table_function", out.register_table_function) &&
         load("duckdb_bind_get_extra_info", out.bind_get_extra_info) &&
         load("duckdb_bind_get_parameter", out.bind_get_parameter) &&
         load("duckdb_bind_add_result_column", out.bind_add_result_column) &&
         load("duckdb_bind_set_bind_data", out.bind_set_bind_data) &&
         load("duckdb_bind_set_cardinality", out.bind_set_cardinality) &&
         load("duckdb_bind_set_error", out.bind_set_error) &&
         load("duckdb_init_set_init_data", out.init_set_init_data) &&
         load("duckdb_init_set_error", out.init_set_error) &&
         load("duckdb_function_get_bind_data", out.function_get_bind_data) &&
         load("duckdb_function_get_init_data", out.function_get_init_data) &&
         load("duckdb_get_int64", out.get_int64) && load("duckdb_destroy_value", out.destroy_value);
}

bool load_scalar_functions(void* library, Library& out, std::string& message) {
  const auto load = [&](const char* name, auto& call) {
    return load_call(library, name, call, message);
  };
  return load("duckdb_create_scalar_function", out.create_scalar_function) &&
         load("duckdb_destroy_scalar_function", out.destroy_scalar_function) &&
         load("duckdb_scalar_function_set_name", out.scalar_function_set_name) &&
         load("duckdb_scalar_function_add_parameter", out.scalar_function_add_parameter) &&
         load("duckdb_scalar_function_set_varargs", out.scalar_function_set_varargs) &&
         load("duckdb_scalar_function_set_return_type", out.scalar_function_set_return_type) &&
         load("duckdb_scalar_function_set_extra_info", out.scalar_function_set_extra_info) &&
         load("duckdb_scalar_function_set_function", out.scalar_function_set_function) &&
         load("duckdb_register_scalar_function", out.register_scalar_function) &&
         load("duckdb_scalar_function_get_extra_info", out.scalar_function_get_extra_info) &&
         load("duckdb_data_chunk_get_column_count", out.data_chunk_get_column_count) &&
         load("duckdb_bind_int64", out.bind_int64) &&
         load("duckdb_create_logical_type", out.create_logical_type) &&
         load("duckdb_destroy_logical_type", out.destroy_logical_type) &&
         load("duckdb_data_chunk_set_size", out.data_chunk_set_size);
}

}  // namespace

Result<Library> load_library(const std::string& place, const std::string& needed,
                             const std::string& way_out) {
  const std::string own = own_paths();
  const std::string words = own.empty() ? "libduckdb.so" : own;
  std::string message;
  Library out{};
  void* const library = open_libraries(words, message);
  const bool is_loaded = library != nullptr && load_queries(library, out, message) &&
                         load_table_functions(library, out, message) &&
                         load_scalar_functions(library, out, message);
  if (is_loaded) return out;
  return Errors(ErrorCode::NotBuiltIn, place,
                needed + ", and " + escape_terminal(words, 400) +
                    " cannot be used: " + escape_terminal(message, 400) +
                    "; set VECC_DUCKDB to libduckdb.so of duckdb.org, or " + way_out);
}

}  // namespace vecc::tools::duckdb
