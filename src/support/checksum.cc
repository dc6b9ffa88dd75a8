#include "src/support/checksum.h"

#include <zlib.h>

#include "vecc/error.h"
#include "vecc/escape.h"

namespace vecc {

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) {
  if (bytes.empty()) return before;
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t crc32_without_digits(std::string_view bytes, std::size_t at, std::uint32_t before) {
  const std::uint32_t zeros = crc32_of(kNoChecksum, crc32_of(bytes.substr(0, at), before));
  return crc32_of(bytes.substr(at + kChecksumDigits), zeros);
}

std::string checksum_text(std::uint32_t crc32) {
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[crc32 >> shift & 0xF];
  return text;
}

void state_checksum(std::string& bytes, std::size_t at) {
  VECC_CHECK(bytes.compare(at, kChecksumDigits, kNoChecksum) == 0, "a place for the CRC-32");
  bytes.replace(at, kChecksumDigits, checksum_text(crc32_of(bytes)));
}

std::string compare_checksum(std::uint32_t found, std::string_view stated,
                             std::string_view way_out) {
  const std::string text = checksum_text(found);
  if (text == stated) return {};
  return "its bytes have the CRC-32 " + text + ", expected " + escape_terminal(stated) +
         ": it is damaged; " + std::string(way_out);
}

}  // namespace vecc
