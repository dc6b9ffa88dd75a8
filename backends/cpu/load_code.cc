#include "backends/cpu/load_code.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <numeric>
#include <queue>
#include <string_view>
#include <unordered_map>
#include <utility>

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

// What stands before the unit's text in every key.
std::string key_begin(const HostCompiler& compiler) {
  std::string begin(kCodeVersion);
  begin += "\ncompiler: " + compiler.identity + "\nflags:";
  for (const std::string& flag : compile_flags()) begin += " " + flag;
  for (const char* flag : link_flags()) begin += std::string(" ") + flag;
  return begin + "\ncpu: " + cpu_identity() + "\n\n";
}

// The texts without repetition, and where each part's is.
struct DistinctTexts {
  std::vector<std::string_view> texts;
  std::vector<std::size_t> of_part;
};

DistinctTexts distinct_texts(std::span<const CodePart> parts) {
  DistinctTexts distinct;
  std::unordered_map<std::string_view, std::size_t> positions;
  for (const CodePart& part : parts) {
    const auto [found, is_new] = positions.try_emplace(part.text, distinct.texts.size());
    if (is_new) distinct.texts.push_back(part.text);
    distinct.of_part.push_back(found->second);
  }
  return distinct;
}

// The parts of each unit: units of about the same length, so that compilers end at about the same
// time. A few parts have units of their own.
std::vector<std::vector<std::size_t>> share_out(std::span<const std::string_view> texts,
                                                const CompileOptions& options) {
  const std::size_t units = std::max(2 * job_count(options), texts.size() / kPartsOfUnit);
  std::vector<std::size_t> by_length(texts.size());
  std::iota(by_length.begin(), by_length.end(), 0);
  std::ranges::stable_sort(by_length, std::ranges::greater(),
                           [&](std::size_t part) { return texts[part].size(); });
  std::vector<std::vector<std::size_t>> shared(std::min(units, texts.size()));
  using Length = std::pair<std::size_t, std::size_t>;  // of a unit, and its number
  std::priority_queue<Length, std::vector<Length>, std::greater<>> shortest;
  for (std::size_t u = 0; u < shared.size(); ++u) shortest.push({0, u});
  for (const std::size_t part : by_length) {
    const auto [length, unit] = shortest.top();
    shortest.pop();
    shared[unit].push_back(part);
    shortest.push({length + texts[part].size(), unit});
  }
  return shared;
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

// Finds and makes the code of texts behind what is common to them.
class CodeLoader {
 public:
  CodeLoader(const HostCompiler& compiler, std::string_view common, const LoadOptions& options)
      : compiler_(compiler),
        common_(common),
        before_(key_begin(compiler) + std::string(common)),
        options_(options),
        cache_(options.cache_folder, options.cache_bytes, options.warn) {}

  Result<Units> load(std::span<const std::string_view> texts, CodeCounts& count) {
    Units units;
    std::vector<std::size_t> missing;
    for (const std::string_view text : texts) {
      units.push_back(find(key_of(text)));
      if (units.back() == nullptr) missing.push_back(units.size() - 1);
    }
    count.compiled = static_cast<std::uint32_t>(missing.size());
    count.cached = static_cast<std::uint32_t>(texts.size() - missing.size());
    if (!missing.empty()) VECC_TRY_VOID(compile(texts, missing, units, count));
    return units;
  }

 private:
  [[nodiscard]] native::CodeKey key_of(std::string_view text) const {
    return native::CodeKey(before_ + std::string(text));
  }

  std::shared_ptr<const LoadedUnit> find(const native::CodeKey& key) {
    if (auto unit = find_loaded(key)) return unit;
    std::optional<std::string> path = cache_.find(key);
    if (!path) path = cache_.find_shared(key, before_.size());
    if (!path) return nullptr;
    // Another process may just have removed it, or its folder forbids execution: as if not there.
    auto unit = LoadedUnit::open(*path);
    if (!unit) return nullptr;
    return share_loaded(key, std::filesystem::path(*path).filename(), std::move(*unit));
  }

  // Fills in the units that are null.
  Result<void> compile(std::span<const std::string_view> texts,
                       std::span<const std::size_t> missing, Units& units, CodeCounts& count) {
    VECC_TRY(const TemporaryFolder folder, make_compile_folder());
    std::vector<std::string_view> missing_texts;
    for (const std::size_t i : missing) missing_texts.push_back(texts[i]);
    const auto shared = share_out(missing_texts, options_.compile);
    std::vector<CompileUnit> sources;
    for (const std::vector<std::size_t>& parts : shared) {
      CompileUnit& source = sources.emplace_back(CompileUnit{std::string(common_), parts.size()});
      for (const std::size_t part : parts) source.text += missing_texts[part];
    }
    count.units = static_cast<std::uint32_t>(sources.size());
    std::size_t compiled = 0;
    const auto done = [&](std::size_t u) -> Result<void> {
      std::vector<native::CodeKey> keys;
      for (const std::size_t part : shared[u]) keys.push_back(key_of(missing_texts[part]));
      const native::CodeKey whole =
          key_of(std::string_view(sources[u].text).substr(common_.size()));
      VECC_TRY(const auto unit, load_new(keys, whole, library_path(folder.path(), u)));
      for (std::size_t k = 0; k < keys.size(); ++k) {
        units[missing[shared[u][k]]] = share_loaded(keys[k], whole.file_name(), unit);
      }
      compiled += keys.size();
      if (options_.progress) options_.progress(compiled, missing.size());
      return {};
    };
    const auto result = compile_units(compiler_, sources, folder.path(), options_.compile, done);
    cache_.trim(loaded_file_names());
    return result;
  }

  // Keeps and loads a library that was just compiled; from the cache if it can.
  Result<std::shared_ptr<const LoadedUnit>> load_new(std::span<const native::CodeKey> keys,
                                                     const native::CodeKey& whole,
                                                     const std::string& library) {
    VECC_TRY(const std::string bytes, read_whole_file(library));
    if (const std::optional<std::string> path = cache_.store(whole, bytes)) {
      for (const native::CodeKey& key : keys) {
        if (keys.size() > 1) cache_.store_shared(key, whole);
      }
      if (auto unit = LoadedUnit::open(*path)) return unit;
    }
    return LoadedUnit::open(library);
  }

  const HostCompiler& compiler_;
  std::string_view common_;
  std::string before_;  // of every key
  const LoadOptions& options_;
  native::CodeCache cache_;
};

}  // namespace

Result<Units> load_code(std::string_view common, std::span<const CodePart> parts,
                        const LoadOptions& options, CodeCounts* counts) {
  const auto begin = std::chrono::steady_clock::now();
  VECC_TRY(const HostCompiler compiler, find_host_compiler());
  const DistinctTexts distinct = distinct_texts(parts);
  CodeCounts count;
  VECC_TRY(const Units loaded, CodeLoader(compiler, common, options).load(distinct.texts, count));
  Units result;
  for (const std::size_t position : distinct.of_part) result.push_back(loaded[position]);
  count.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (counts != nullptr) *counts = count;
  return result;
}

}  // namespace vecc::cpu
