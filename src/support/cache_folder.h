// The user's folder for what can be made again: calibrations, tuned choices, compiled code.
#pragma once

#include <string>
#include <string_view>

#include "vecc/error.h"

namespace vecc {

/// $VECC_CACHE_DIR, else $XDG_CACHE_HOME/vecc, else ~/.cache/vecc, and in it the folder `part`
/// ("cost"), both as make_private_folder() makes them. Error: CannotWrite.
[[nodiscard]] Result<std::string> cache_folder(std::string_view part);

/// Makes a folder with mode 0700; one that is there must be this user's, and no other may write in
/// it. Error: CannotWrite.
[[nodiscard]] Result<void> make_private_folder(const std::string& path);

/// A name for a file in it: letters, digits, '.', '-' of `text` stay, anything else becomes '_'; at
/// most 100 characters.
[[nodiscard]] std::string cache_name(std::string_view text);

}  // namespace vecc
