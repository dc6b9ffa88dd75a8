#include "backends/cpu/load_code.h"

#include <chrono>
#include <filesystem>
#include <string_view>
#include <unordered_map>

#include "backends/cpu/cpu_identity.h"
#include "backends/cpu/host_compiler.h"
#include "backends/native/code_cache.h"
#include "src/support/temporary_folder.h"
#include "src/support/whole_file.h"

namespace vecc::cpu {
namespace {

using Units = std::vector<std::shared_ptr<const LoadedUnit>>;

// Another number for entries of another meaning: what kernels and their callers agree on that is
// not in the text.
constexpr std::string_view kCodeVersion = "vecc code 1";

// What stands before the text in every key.
std::string key_begin(const HostCompiler& compiler) {
  std::string begin(kCodeVersion);
  begin += "\ncompiler: " + compiler.identity + "\nflags:";
  for (const std::string& flag : compile_flags()) begin += " " + flag;
  for (const char* flag : link_flags()) begin += std::string(" ") + flag;
  return begin + "\ncpu: " + cpu_identity() + "\n\n";
}

// The texts without repetition, and where each unit's is.
struct DistinctTexts {
  std::vector<const std::string*> texts;
  std::vector<std::size_t> of_unit;
};

DistinctTexts distinct_texts(std::span<const CodeUnit> units) {
  DistinctTexts distinct;
  std::unordered_map<std::string_view, std::size_t> positions;
  for (const CodeUnit& unit : units) {
    const auto [found, is_new] = positions.try_emplace(unit.text, distinct.texts.size());
    if (is_new) distinct.texts.push_back(&unit.text);
    distinct.of_unit.push_back(found->second);
  }
  return distinct;
}

std::shared_ptr<const LoadedUnit> load_existing(const native::CodeKey& key,
                                                const native::CodeCache& cache) {
  if (auto unit = find_loaded(key)) return unit;
  const std::optional<std::string> path = cache.find(key);
  if (!path) return nullptr;
  // Another process may just have removed it, or its folder forbids execution: as if not there.
  auto unit = LoadedUnit::open(*path);
  return unit ? share_loaded(key, std::move(*unit)) : nullptr;
}

// Keeps and loads a library that was just compiled; from the cache if it can.
Result<std::shared_ptr<const LoadedUnit>> load_new(const native::CodeKey& key,
                                                   const std::string& library,
                                                   native::CodeCache& cache) {
  VECC_TRY(const std::string bytes, read_whole_file(library));
  if (const std::optional<std::string> path = cache.store(key, bytes)) {
    if (auto unit = LoadedUnit::open(*path)) return share_loaded(key, std::move(*unit));
  }
  VECC_TRY(auto unit, LoadedUnit::open(library));
  return share_loaded(key, std::move(unit));
}

Result<TemporaryFolder> make_compile_folder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) {
    return Errors(ErrorCode::CannotWrite, "temporary folder",
                  error.message() + "; set TMPDIR to another folder");
  }
  return TemporaryFolder::create(std::filesystem::absolute(parent).string(), "vecc-code");
}

// Fills in the units that are null.
Result<void> compile_missing(const HostCompiler& compiler,
                             std::span<const std::string* const> texts,
                             std::span<const native::CodeKey> keys, const LoadOptions& options,
                             native::CodeCache& cache, Units& units) {
  std::vector<std::size_t> missing;
  std::vector<const std::string*> missing_texts;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i] != nullptr) continue;
    missing.push_back(i);
    missing_texts.push_back(texts[i]);
  }
  if (missing.empty()) return {};
  VECC_TRY(const TemporaryFolder folder, make_compile_folder());
  std::size_t compiled = 0;
  const auto done = [&](std::size_t i) -> Result<void> {
    VECC_TRY(units[missing[i]], load_new(keys[missing[i]], library_path(folder.path(), i), cache));
    if (options.progress) options.progress(++compiled, missing.size());
    return {};
  };
  const auto result = compile_units(compiler, missing_texts, folder.path(), options.compile, done);
  cache.trim(loaded_file_names());
  return result;
}

}  // namespace

Result<Units> load_code(std::span<const CodeUnit> units, const LoadOptions& options,
                        CodeCounts* counts) {
  const auto begin = std::chrono::steady_clock::now();
  VECC_TRY(const HostCompiler compiler, find_host_compiler());
  native::CodeCache cache(options.cache_folder, options.cache_bytes, options.warn);
  const DistinctTexts distinct = distinct_texts(units);
  const std::string before = key_begin(compiler);
  std::vector<native::CodeKey> keys;
  Units loaded;
  CodeCounts count;
  for (const std::string* text : distinct.texts) {
    keys.emplace_back(before + *text);
    loaded.push_back(load_existing(keys.back(), cache));
    ++(loaded.back() != nullptr ? count.cached : count.compiled);
  }
  VECC_TRY_VOID(compile_missing(compiler, distinct.texts, keys, options, cache, loaded));
  Units result;
  for (const std::size_t position : distinct.of_unit) result.push_back(loaded[position]);
  count.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (counts != nullptr) *counts = count;
  return result;
}

}  // namespace vecc::cpu
