// Arrays as bytes: the side file's form, and the digests of text and side file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vecc {

/// A stable 64-bit hash of bytes: the same in every build and on every machine, since it stands in
/// texts that are compared. Not for hostile collisions.
[[nodiscard]] std::uint64_t digest_bytes(std::string_view bytes);

/// `digits` lower-case hexadecimal digits of the upper bits.
[[nodiscard]] std::string digest_text(std::uint64_t digest, std::size_t digits);

/// Little-endian, 4 or 8 bytes an element.
void append_bytes(std::string& bytes, std::uint32_t value);
void append_bytes(std::string& bytes, double value);
/// The element that begins at bytes[at].
[[nodiscard]] std::uint32_t read_word(std::string_view bytes, std::size_t at);
[[nodiscard]] double read_double(std::string_view bytes, std::size_t at);

}  // namespace vecc
