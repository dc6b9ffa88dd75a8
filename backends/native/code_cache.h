// Compiled code on disk, by what it was compiled from.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "vecc/error.h"

namespace vecc::native {

/// What a cache keeps unless something else is said: some ten thousand kernels.
inline constexpr std::uint64_t kCodeCacheBytes = std::uint64_t{512} << 20;

/// Everything that decides what code comes out: the unit's text, compiler, flags, CPU. The file is
/// named by its hash, and holds all of it: two keys that share a hash take the place of each other,
/// never are taken for each other.
class CodeKey {
 public:
  explicit CodeKey(std::string text);
  [[nodiscard]] const std::string& text() const { return text_; }
  /// 32 hexadecimal digits.
  [[nodiscard]] const std::string& hash() const { return hash_; }
  /// The hash and ".so".
  [[nodiscard]] const std::string& file_name() const { return file_name_; }
  /// The hash and ".in": the file that says in which library the code is.
  [[nodiscard]] std::string place_name() const;

 private:
  std::string text_;
  std::string hash_;
  std::string file_name_;
};

/// A folder of entries: the library's bytes, the key, and a trailer with their sizes and hash (a
/// loader of ELF files ignores what follows its sections). Any number of processes may use it: an
/// entry appears whole, by rename; of two that store the same, the last one stays. No file in it is
/// trusted: one that is a link, belongs to another user, may be written by others, or does not hash
/// to what it says is as if it was not there.
class CodeCache {
 public:
  using Warn = std::function<void(const std::string&)>;

  /// `folder`: made private; empty: the user's (cache_folder("code")). If it cannot be used,
  /// `warn` is told why, and the cache stays empty.
  CodeCache(const std::string& folder, std::uint64_t max_bytes, Warn warn);

  /// The path of a library that was checked, and now counts as used last; none.
  [[nodiscard]] std::optional<std::string> find(const CodeKey& key) const;
  /// Keeps the library; its path, or none (then `warn` was told, once).
  std::optional<std::string> store(const CodeKey& key, std::string_view library);
  /// The same for a key whose code stands in a library with that of others: one whose own key
  /// begins with the first `common` characters of this one, and has the others behind them.
  [[nodiscard]] std::optional<std::string> find_shared(const CodeKey& key, std::size_t common);
  /// Says that the code of `key` is in the library of another key that was stored.
  void store_shared(const CodeKey& key, const CodeKey& library);
  /// Removes what was used longest ago until no more than `max_bytes` are left, and what
  /// interrupted processes left; not the files named in `kept`.
  void trim(const std::unordered_set<std::string>& kept) const;

 private:
  void give_up(const std::string& why);
  bool write(const std::string& path, std::string_view bytes, std::string_view end);

  std::string folder_;  // empty: no cache
  std::uint64_t max_bytes_;
  Warn warn_;
  std::unordered_map<std::string, std::string> key_of_library_;  // that find_shared() has checked
};

/// For `warn` of a cache: logs the first warning of the process. Each executable has a cache of its
/// own, of the same folder.
void warn_uncached(const std::string& text);

}  // namespace vecc::native
