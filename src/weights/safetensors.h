// Reading safetensors.
#pragma once

#include "src/weights/input_file.h"
#include "vecc/weights.h"

namespace vecc {

[[nodiscard]] Result<WeightFile> read_safetensors(const InputFile& input);

}  // namespace vecc
