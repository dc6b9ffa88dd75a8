// Files read and written whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vecc/error.h"

namespace vecc {

/// Of what is no regular file (a pipe, a device) and is held in memory whole: it may never end.
inline constexpr std::uint64_t kMaxPipeBytes = std::uint64_t{1} << 30;

/// The file's bytes. Errors: FileUnreadable with the path as place; LimitBytes, if it is no regular
/// file and has more than kMaxPipeBytes.
[[nodiscard]] Result<std::string> read_whole_file(const std::string& path);

/// The message of that limit.
[[nodiscard]] std::string pipe_limit_text();

/// Writes a temporary file beside `path`, syncs it and renames it to `path`: after a failure an old
/// file is as it was. Errors: CannotWrite with the path as place.
[[nodiscard]] Result<void> write_whole_file(const std::string& path, std::string_view bytes);

}  // namespace vecc
