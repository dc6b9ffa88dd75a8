// The constants of the wire format that its reader and its writer share (proto/vecc/graph.proto).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace vecc::graph_io {

inline constexpr std::uint32_t kMagicValue = 0x43434556;  // "VECC"
inline constexpr std::uint32_t kSchemaVersion = 1;
/// Of a file that has vocabularies.
inline constexpr std::uint32_t kVocabularySchemaVersion = 2;
/// Of one top-level field: protobuf's own limit for a message; chunks are far below it.
inline constexpr std::uint64_t kMaxFieldBytes = (std::uint64_t{1} << 31) - 1;
/// Both sides of the shape of a sample without a target.
inline constexpr std::uint32_t kNoTargetSide = std::numeric_limits<std::uint32_t>::max();
/// What (de)compression works on at a time.
inline constexpr std::size_t kCompressionBlock = std::size_t{256} << 10;

}  // namespace vecc::graph_io
