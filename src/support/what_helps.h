// What helps where memory is short, of the step that was chosen.
#pragma once

#include <string_view>

#include "vecc/error.h"

namespace vecc {

/// The errors with one more clause in the first line of the first one, if that is OutOfMemory; as
/// they are otherwise.
[[nodiscard]] Errors say_what_helps(const Errors& errors, std::string_view way);

}  // namespace vecc
