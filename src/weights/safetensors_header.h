// The header of a safetensors file: JSON between the 8 bytes of its length and the data.
//
//   {"__metadata__": {"k": "v"}, "w": {"dtype": "F32", "shape": [2, 1], "data_offsets": [0, 8]}}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vecc/weights.h"

namespace vecc::weights {

inline constexpr std::string_view kMetadataKey = "__metadata__";
/// What vecc's own files state of all their bytes, first of the metadata: their CRC-32, computed
/// with zeros as its digits. Other writers' files have none.
inline constexpr std::string_view kChecksumKey = "vecc.crc32";
/// How the header of a file that states it begins, up to the digits.
inline constexpr std::string_view kChecksumMark = R"({"__metadata__":{"vecc.crc32":")";
/// The format's own limit.
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

struct HeaderTensor {
  std::string name;
  ElementType type = ElementType::F64;
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;  ///< in the data
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<HeaderTensor> tensors;  ///< in the order of their data
};

/// `tensor "w"`, escaped.
[[nodiscard]] std::string describe_tensor(std::string_view name);

/// Parses and checks: the tensors fill all `data_bytes`, one behind another without gap or overlap,
/// and each has the bytes that its type and shape need. Errors: BadWeightFile, UnreadWeights,
/// DuplicateName, FileTruncated.
[[nodiscard]] Result<SafetensorsHeader> parse_safetensors_header(std::string_view json,
                                                                 std::uint64_t data_bytes);

}  // namespace vecc::weights
