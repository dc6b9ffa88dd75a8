#include "backends/cpu/loaded_unit.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

#include "vecc/escape.h"

namespace vecc::cpu {
namespace {

struct SharedUnit {
  std::string file_name;
  std::weak_ptr<const LoadedUnit> unit;
};

struct LoadedUnits {
  std::mutex mutex;
  std::unordered_map<std::string, SharedUnit> by_key;  // the key's text
};

LoadedUnits& loaded_units() {
  static LoadedUnits& units = *new LoadedUnits;  // outlives every static that holds a unit
  return units;
}

}  // namespace

Result<std::shared_ptr<const LoadedUnit>> LoadedUnit::open(const std::string& path) {
  void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    // Not a matter of this file: another compiler run or copy of it would have no memory either.
    if (reason != nullptr && std::strstr(reason, std::strerror(ENOMEM)) != nullptr) {
      throw std::bad_alloc();
    }
    return Errors(ErrorCode::CompilerFailed, escape_terminal(path, 4096),
                  "compiled code does not load: " +
                      escape_terminal(reason != nullptr ? reason : "no reason given", 400));
  }
  return std::shared_ptr<const LoadedUnit>(new LoadedUnit(handle));
}

LoadedUnit::~LoadedUnit() {
  ::dlclose(handle_);
}

void* LoadedUnit::symbol(const char* name) const {
  return ::dlsym(handle_, name);
}

std::shared_ptr<const LoadedUnit> find_loaded(const native::CodeKey& key) {
  LoadedUnits& units = loaded_units();
  const std::lock_guard lock(units.mutex);
  const auto found = units.by_key.find(key.text());
  return found == units.by_key.end() ? nullptr : found->second.unit.lock();
}

std::shared_ptr<const LoadedUnit> share_loaded(const native::CodeKey& key,
                                               const std::string& file_name,
                                               std::shared_ptr<const LoadedUnit> unit) {
  LoadedUnits& units = loaded_units();
  const std::lock_guard lock(units.mutex);
  SharedUnit& shared = units.by_key[key.text()];
  if (auto earlier = shared.unit.lock()) return earlier;
  shared = {file_name, unit};
  return unit;
}

std::unordered_set<std::string> loaded_file_names() {
  LoadedUnits& units = loaded_units();
  const std::lock_guard lock(units.mutex);
  std::erase_if(units.by_key, [](const auto& entry) { return entry.second.unit.expired(); });
  std::unordered_set<std::string> names;
  for (const auto& [key, shared] : units.by_key) names.insert(shared.file_name);
  return names;
}

}  // namespace vecc::cpu
