// A template from a source that has its imports in it. Private to this folder.
#pragma once

#include <string_view>

#include "tools/ground/language/parse.h"
#include "tools/ground/language/source.h"
#include "tools/import/load/load_errors.h"

namespace vecc::tools::language {

/// What an import line begins with.
inline constexpr std::string_view kImport = "import ";

/// What could be read; the errors say what could not.
[[nodiscard]] Template parse_template(const Source& source, const Limits& limits,
                                      LoadErrors& errors);

}  // namespace vecc::tools::language
