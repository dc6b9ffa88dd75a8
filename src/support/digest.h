// A digest of many bytes, for names of files and against damage: by blocks, which any threads may
// take.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vecc/error.h"

namespace vecc {

struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Digest&) const = default;
  /// 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;
};

inline constexpr std::size_t kDigestBlock = std::size_t{1} << 20;

/// Of one block: four streams of Hash128, about 10 GB/s of a core. The same on every machine. Not
/// for hostile collisions.
[[nodiscard]] Digest digest_block(std::string_view bytes);
/// Of bytes in blocks of kDigestBlock, from their digests in order.
[[nodiscard]] Digest digest_of_blocks(std::span<const Digest> blocks);

/// What changes when a file is written or replaced: device, number, size, time. Empty: none is
/// there.
[[nodiscard]] std::string file_state(const std::string& path);
/// Of a regular file, read by `threads` threads (0: as many as there are cores); the result does
/// not depend on them. Errors, with the path as place: FileUnreadable (also of what is no regular
/// file, and of a file that is changed meanwhile).
[[nodiscard]] Result<Digest> digest_file(const std::string& path, std::uint32_t threads);

/// Fills `to` from `offset` on of an open file; false if that fails, or the file has fewer bytes.
[[nodiscard]] bool read_fully(int file, std::uint64_t offset, std::span<char> to);

}  // namespace vecc
