// The JSON of a safetensors header, event by event: nothing is built that the format does not have.
#pragma once

#include <string_view>

#include "src/weights/safetensors_header.h"

namespace vecc::weights {

/// The header as it is written; offsets and shapes are not compared yet. Errors: BadWeightFile (no
/// JSON, another structure), UnreadWeights (an unknown dtype), DuplicateName.
[[nodiscard]] Result<SafetensorsHeader> parse_safetensors_json(std::string_view json);

}  // namespace vecc::weights
