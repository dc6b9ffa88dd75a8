// Files read and written whole.
#pragma once

#include <string>
#include <string_view>

#include "vecc/error.h"

namespace vecc {

/// The file's bytes. Errors: FileUnreadable with the path as place.
[[nodiscard]] Result<std::string> read_whole_file(const std::string& path);

/// Writes a temporary file beside `path`, syncs it and renames it to `path`: after a failure an old
/// file is as it was. Errors: CannotWrite with the path as place.
[[nodiscard]] Result<void> write_whole_file(const std::string& path, std::string_view bytes);

}  // namespace vecc
