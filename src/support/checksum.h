// The CRC-32 that a file states of itself, against damage on a disk or on the way, not against
// forgery. It is zlib's, as in graph.pb: Python and Java compute it without another
// package.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vecc {

/// Its text: 8 hexadecimal digits, lower-case.
inline constexpr std::size_t kChecksumDigits = 8;
/// What stands in place of the digits while the CRC-32 of the whole is computed.
inline constexpr std::string_view kNoChecksum = "00000000";

/// Of `bytes`, going on from the CRC-32 of those before them.
[[nodiscard]] std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);
/// The same, as if kNoChecksum stood at bytes[at].
[[nodiscard]] std::uint32_t crc32_without_digits(std::string_view bytes, std::size_t at,
                                                 std::uint32_t before = 0);
[[nodiscard]] std::string checksum_text(std::uint32_t crc32);

/// Writes the CRC-32 of all of `bytes` over the kNoChecksum that begins at bytes[at].
void state_checksum(std::string& bytes, std::size_t at);
/// `its bytes have the CRC-32 1a2b3c4d, expected 5e6f7a8b: it is damaged; ` and the way out; empty
/// if both are equal.
[[nodiscard]] std::string compare_checksum(std::uint32_t found, std::string_view stated,
                                           std::string_view way_out);

}  // namespace vecc
