// Compiled code in this process.
#pragma once

#include <memory>
#include <string>
#include <unordered_set>

#include "backends/native/code_cache.h"
#include "vecc/error.h"

namespace vecc::cpu {

/// A shared library; unloaded with it. No function of it may run any longer then.
class LoadedUnit {
 public:
  /// Error: the loader's message, as CompilerFailed. Throws std::bad_alloc where memory is out.
  [[nodiscard]] static Result<std::shared_ptr<const LoadedUnit>> open(const std::string& path);
  LoadedUnit(const LoadedUnit&) = delete;
  LoadedUnit& operator=(const LoadedUnit&) = delete;
  ~LoadedUnit();

  /// The address of what the text declares extern "C", visibility("default"); null.
  [[nodiscard]] void* symbol(const char* name) const;

 private:
  explicit LoadedUnit(void* handle) : handle_(handle) {}
  void* handle_;
};

/// The unit of this key that is loaded in this process; null. Threads may call it.
[[nodiscard]] std::shared_ptr<const LoadedUnit> find_loaded(const native::CodeKey& key);
/// Lets find_loaded() find it. If it finds one already (two threads loaded the same), returns that.
/// `file_name`: of its library in the cache.
[[nodiscard]] std::shared_ptr<const LoadedUnit> share_loaded(
    const native::CodeKey& key, const std::string& file_name,
    std::shared_ptr<const LoadedUnit> unit);
/// The file names of libraries that are loaded.
[[nodiscard]] std::unordered_set<std::string> loaded_file_names();

}  // namespace vecc::cpu
