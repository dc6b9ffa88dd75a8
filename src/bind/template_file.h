// The metadata by which a weight file is a saved program.
#pragma once

#include <string_view>

namespace vecc::binding {

/// The key of the metadata that only saved programs have.
inline constexpr std::string_view kTemplateFormatKey = "vecc.template.format";
/// Groups, functions, shapes and tables, as text.
inline constexpr std::string_view kTextKey = "vecc.template";
/// Of all else in the file.
inline constexpr std::string_view kDigestKey = "vecc.template.digest";

}  // namespace vecc::binding
