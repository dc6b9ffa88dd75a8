#include "backends/native/code_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "backends/native/code_entry.h"
#include "src/support/atomic_file.h"
#include "src/support/cache_entries.h"
#include "src/support/cache_folder.h"
#include "src/support/digest.h"
#include "src/support/file_handle.h"
#include "src/support/hash128.h"
#include "src/support/log.h"
#include "vecc/escape.h"

namespace vecc::native {
namespace {

constexpr std::string_view kEntryEnding = ".so";
constexpr std::string_view kPlaceEnding = ".in";

// The bytes of a file, which then counts as used last if `is_valid(bytes)`; else none.
template <class IsValid>
std::optional<std::string> read_entry(const std::string& path, std::uint64_t max_bytes,
                                      IsValid&& is_valid) {
  const FileHandle file(open_own_entry(path));
  if (!file.is_open()) return std::nullopt;
  struct stat status {};
  std::optional<std::string> bytes;
  if (::fstat(file.get(), &status) == 0 &&
      static_cast<std::uint64_t>(status.st_size) <= max_bytes) {
    bytes.emplace(static_cast<std::size_t>(status.st_size), '\0');
    if (!read_fully(file.get(), 0, *bytes) || !is_valid(*bytes)) bytes.reset();
  }
  if (bytes) touch_entry(file.get());
  return bytes;
}

// As CodeKey names one: digits, and nothing that leads to another folder.
bool is_library_name(std::string_view name) {
  return name.size() == 32 + kEntryEnding.size() && name.ends_with(kEntryEnding) &&
         name.find_first_not_of("0123456789abcdef") == name.size() - kEntryEnding.size();
}

}  // namespace

CodeKey::CodeKey(std::string text) : text_(std::move(text)) {
  Hash128 hash;
  hash.add(std::string_view(text_));
  hash_ = hexadecimal_text(hash.high(), hash.low());
  file_name_ = hash_ + std::string(kEntryEnding);
}

std::string CodeKey::place_name() const {
  return hash_ + std::string(kPlaceEnding);
}

CodeCache::CodeCache(const std::string& folder, std::uint64_t max_bytes, Warn warn)
    : folder_(folder), max_bytes_(max_bytes), warn_(std::move(warn)) {
  Result<void> usable;
  if (!folder.empty()) {
    usable = make_private_folder(folder);
  } else if (Result<std::string> users = cache_folder("code")) {
    folder_ = *users;
  } else {
    usable = users.error();
  }
  if (!usable)
    give_up(usable.error().list().front().place + ": " + usable.error().list().front().message);
}

void CodeCache::give_up(const std::string& why) {
  if (warn_) warn_("compiled code is not kept: " + why);
  folder_.clear();
}

std::optional<std::string> CodeCache::find(const CodeKey& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::string path = folder_ + "/" + key.file_name();
  const auto is_valid = [&](const std::string& bytes) {
    return key_of_code_entry(bytes) == std::string_view(key.text());
  };
  if (!read_entry(path, max_bytes_, is_valid)) return std::nullopt;
  return path;
}

std::optional<std::string> CodeCache::find_shared(const CodeKey& key, std::size_t common) {
  if (folder_.empty()) return std::nullopt;
  const std::string place = folder_ + "/" + key.place_name();
  const std::optional<std::string> name = read_entry(place, max_bytes_, is_library_name);
  if (!name) return std::nullopt;
  const std::string path = folder_ + "/" + *name;
  const auto checked = key_of_library_.try_emplace(*name);
  std::string& library_key = checked.first->second;
  if (checked.second) {
    (void)read_entry(path, max_bytes_, [&](const std::string& bytes) {
      const auto found = key_of_code_entry(bytes);
      if (found) library_key = *found;
      return found.has_value();
    });
  }
  const std::string_view whole = library_key;
  const std::string_view own = key.text();
  const bool has_it = whole.substr(0, common) == own.substr(0, common) &&
                      whole.find(own.substr(common), common) != std::string_view::npos;
  if (!has_it) return std::nullopt;
  return path;
}

bool CodeCache::write(const std::string& path, std::string_view bytes, std::string_view end) {
  ::unlink(path.c_str());  // a damaged entry or a link: AtomicFile would write where it leads
  std::optional<AtomicFile> file = AtomicFile::create(path, 0600);
  if (file && file->write(bytes) && file->write(end) && file->commit()) return true;
  give_up(escape_terminal(path, 4096) + " cannot be written: " + std::strerror(errno));
  return false;
}

std::optional<std::string> CodeCache::store(const CodeKey& key, std::string_view library) {
  if (folder_.empty()) return std::nullopt;
  const std::string path = folder_ + "/" + key.file_name();
  if (!write(path, library, code_entry_end(library, key.text()))) return std::nullopt;
  return path;
}

void CodeCache::store_shared(const CodeKey& key, const CodeKey& library) {
  if (folder_.empty()) return;
  (void)write(folder_ + "/" + key.place_name(), library.file_name(), {});
}

void CodeCache::trim(const std::unordered_set<std::string>& kept) const {
  if (folder_.empty()) return;
  trim_entries(folder_, std::array{kEntryEnding, kPlaceEnding}, max_bytes_, kept);
}

void warn_uncached(const std::string& text) {
  static std::atomic_flag is_told;
  if (!is_told.test_and_set()) log_warning(text);
}

}  // namespace vecc::native
