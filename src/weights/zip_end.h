// The record that ends a zip archive, and zip64's before it: where the directory is.
#pragma once

#include <cstdint>

#include "src/weights/input_file.h"

namespace vecc::weights {

/// In a 32-bit field: the value is in a zip64 field.
inline constexpr std::uint64_t kIn64Bits = 0xFFFFFFFF;

struct ZipEnd {
  std::uint64_t entries = 0;
  std::uint64_t directory_at = 0;
  std::uint64_t directory_bytes = 0;
};

/// The directory ends where the record begins: nothing is before the archive, and nothing between.
/// Errors: FileTruncated if there is no such record, BadWeightFile, UnreadWeights (several disks).
[[nodiscard]] Result<ZipEnd> find_zip_end(const InputFile& input);

}  // namespace vecc::weights
