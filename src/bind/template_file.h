// How a saved program is told from other weight files.
#pragma once

#include <string_view>

namespace vecc::binding {

/// The key of the metadata that only saved programs have.
inline constexpr std::string_view kTemplateFormatKey = "vecc.template.format";

}  // namespace vecc::binding
