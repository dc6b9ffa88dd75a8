// The directory at the end of a zip archive, with zip64.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/weights/input_file.h"

namespace vecc::weights {

enum class ZipMethod : std::uint16_t { Stored = 0, Deflated = 8 };

struct ZipEntry {
  std::string name;
  ZipMethod method = ZipMethod::Stored;
  std::uint32_t crc32 = 0;  ///< of the unpacked bytes
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t header_at = 0;  ///< the entry's own header in the archive
  std::uint64_t data_at = 0;    ///< its packed bytes
};

/// `entry "w.npy"`, escaped.
[[nodiscard]] std::string describe_entry(std::string_view name);

/// The entries, in the directory's order. What they say of themselves is checked against their own
/// headers and each other: each lies in the archive, none overlaps another, no name comes twice.
/// Errors: FileTruncated, BadWeightFile, UnreadWeights (encrypted, another method, several disks),
/// DuplicateName.
[[nodiscard]] Result<std::vector<ZipEntry>> read_zip_directory(const InputFile& input);

}  // namespace vecc::weights
