// How a model of vecc learn (tools/learn/model_file.h) is told from other weight files.
#pragma once

#include <string>
#include <string_view>

namespace vecc::tools {

/// The key of the metadata that only models have.
inline constexpr std::string_view kModelFormatKey = "vecc.model.format";

/// Whether a file begins as models do; false also where it cannot be read.
[[nodiscard]] bool looks_like_model(const std::string& path);

}  // namespace vecc::tools
