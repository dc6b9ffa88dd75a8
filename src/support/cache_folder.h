// The user's folder for what can be made again: calibrations, tuned choices, compiled code.
#pragma once

#include <string>
#include <string_view>

#include "vecc/error.h"

namespace vecc {

/// $VECC_CACHE_DIR, else $XDG_CACHE_HOME/vecc, else ~/.cache/vecc, and in it the folder `part`
/// ("cost"), made with mode 0700. Errors: CannotWrite, if it cannot be made, is no folder, belongs
/// to somebody else, or others may write in it.
[[nodiscard]] Result<std::string> cache_folder(std::string_view part);

/// A name for a file in it: letters, digits, '.', '-' of `text` stay, anything else becomes '_'; at
/// most 100 characters.
[[nodiscard]] std::string cache_name(std::string_view text);

}  // namespace vecc
