#include "tools/import/sql/duckdb_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "vecc/escape.h"

namespace vecc::tools::sql::duckdb {
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

bool load_calls(void* library, Library& out, std::string& message) {
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

}  // namespace

Result<Library> load_library(const std::string& place) {
  const std::string own = own_paths();
  const std::string words = own.empty() ? "libduckdb.so" : own;
  std::string message;
  Library out{};
  void* const library = open_libraries(words, message);
  if (library != nullptr && load_calls(library, out, message)) return out;
  return Errors(ErrorCode::NotBuiltIn, place,
                "Parquet is read by DuckDB's library, and " + escape_terminal(words, 400) +
                    " cannot be used: " + escape_terminal(message, 400) +
                    "; set VECC_DUCKDB to libduckdb.so of duckdb.org, or write each table as CSV "
                    "(`duckdb -c \"copy 'orders.parquet' to 'orders.csv'\"`) and give the folder");
}

}  // namespace vecc::tools::sql::duckdb
