// Weight files by hand, byte for byte: what tests and fuzzers compare with and damage.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace vecc::test {

/// `count` bytes of a number, the lowest first; zeros behind its eight.
inline std::string little_endian(std::uint64_t value, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i, value >>= 8) bytes += static_cast<char>(value & 0xFF);
  return bytes;
}

/// The numbers as T, in this machine's order.
template <class T>
std::string bytes_as(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A safetensors file: the header's length, the header, the data.
inline std::string safetensors_file(std::string_view header, std::string_view data = "") {
  return little_endian(header.size(), 8) + std::string(header) + std::string(data);
}

/// A .npy file with any header text.
inline std::string npy_file(std::string_view header, std::string_view data, char version = 1) {
  return std::string("\x93NUMPY") + version + '\0' +
         little_endian(header.size(), version == 1 ? 2 : 4) + std::string(header) +
         std::string(data);
}

/// A .npy file as NumPy writes it, but for its padding: `<f8`, `(2, 3)`.
inline std::string npy_array(std::string_view descr, std::string_view shape, std::string_view data,
                             bool fortran_order = false, char version = 1) {
  return npy_file("{'descr': '" + std::string(descr) +
                      "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                      ", 'shape': " + std::string(shape) + ", }\n",
                  data, version);
}

inline std::string deflated(std::string_view bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// An entry of a zip archive; every field can lie.
struct ZipPart {
  std::string name;
  std::string packed;  ///< the bytes that are in the archive
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t bytes = 0;
  std::uint16_t flags = 0;
  bool zip64 = false;  ///< sizes in a zip64 field
};

inline ZipPart zip_part(std::string name, std::string_view bytes, bool deflate = false,
                        bool zip64 = false) {
  const auto crc = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  return {std::move(name),
          deflate ? deflated(bytes) : std::string(bytes),
          static_cast<std::uint16_t>(deflate ? 8 : 0),
          crc,
          bytes.size(),
          0,
          zip64};
}

inline std::string zip_header(const ZipPart& part, bool central, std::uint64_t header_at) {
  std::string extra;
  if (part.zip64) {
    extra = little_endian(part.bytes, 8) + little_endian(part.packed.size(), 8);
    if (central) extra += little_endian(header_at, 8);
    extra = little_endian(1, 2) + little_endian(extra.size(), 2) + extra;
  }
  const auto field = [&](std::uint64_t value) {
    return little_endian(part.zip64 ? 0xFFFFFFFF : value, 4);
  };
  return (central ? std::string("PK\x01\x02") + little_endian(45, 2) : std::string("PK\x03\x04")) +
         little_endian(45, 2) + little_endian(part.flags, 2) + little_endian(part.method, 2) +
         little_endian(0, 4) + little_endian(part.crc, 4) + field(part.packed.size()) +
         field(part.bytes) + little_endian(part.name.size(), 2) + little_endian(extra.size(), 2) +
         (central ? little_endian(0, 10) + field(header_at) : "") + part.name + extra;
}

/// A zip archive; `zip64`: its end too.
inline std::string zip_file(const std::vector<ZipPart>& parts, bool zip64 = false) {
  std::string file;
  std::string directory;
  for (const ZipPart& part : parts) {
    directory += zip_header(part, /*central=*/true, file.size());
    file += zip_header(part, /*central=*/false, 0) + part.packed;
  }
  const std::string count = little_endian(zip64 ? 0xFFFF : parts.size(), 2);
  std::string end = std::string("PK\x05\x06") + little_endian(0, 4) + count + count +
                    little_endian(zip64 ? 0xFFFFFFFF : directory.size(), 4) +
                    little_endian(zip64 ? 0xFFFFFFFF : file.size(), 4) + little_endian(0, 2);
  if (zip64) {
    const std::string wide = little_endian(parts.size(), 8);
    end = std::string("PK\x06\x06") + little_endian(44, 8) + little_endian(0, 12) + wide + wide +
          little_endian(directory.size(), 8) + little_endian(file.size(), 8) +
          std::string("PK\x06\x07") + little_endian(0, 4) +
          little_endian(file.size() + directory.size(), 8) + little_endian(1, 4) + end;
  }
  return file + directory + end;
}

}  // namespace vecc::test
