// Files of a cache folder: which are to be trusted, and which go when there are too many.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

namespace vecc {

/// Opens an entry for reading; -1 if it is not there (errno: ENOENT), or not to be trusted: a link,
/// no regular file, of another user, one that others may write in. Waits for nothing.
[[nodiscard]] int open_own_entry(const std::string& path);
/// The entry counts as used last: trim_entries() will keep it longer.
void touch_entry(int file);

/// Removes what was used longest ago until the entries of a folder, which end in one of `endings`,
/// have no more than `max_bytes`; and what else is there for an hour: interrupted processes left
/// it. Not the files named in `kept`.
void trim_entries(const std::string& folder, std::span<const std::string_view> endings,
                  std::uint64_t max_bytes, const std::unordered_set<std::string>& kept);

}  // namespace vecc
