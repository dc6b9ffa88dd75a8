// Reading safetensors.
#pragma once

#include <cstdint>
#include <string>

#include "src/weights/input_file.h"
#include "vecc/weights.h"

namespace vecc::weights {

enum class Checksum : std::uint8_t {
  IfStated,  ///< files of other writers state none
  Required,
};

/// A CRC-32 that the file states is compared first (WrongChecksum), and is not in the metadata.
[[nodiscard]] Result<WeightFile> read_safetensors(const InputFile& input,
                                                  Checksum checksum = Checksum::IfStated);

/// Of a file that vecc wrote to read again, a checkpoint: read_weights() that reads safetensors
/// with a CRC-32 only.
[[nodiscard]] Result<WeightFile> read_own_weights(const std::string& path);

}  // namespace vecc::weights
