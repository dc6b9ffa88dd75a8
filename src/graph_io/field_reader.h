// A file as a stream of protobuf fields, read one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph_io/byte_source.h"

namespace vecc::graph_io {

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// One field: number, type and content; `bytes` (little-endian for the fixed types, empty for a
/// varint) is valid until the next field is read.
struct Field {
  std::uint32_t number = 0;
  WireType type = WireType::Varint;
  std::uint64_t offset = 0;      ///< of its tag in the uncompressed file
  std::uint32_t crc_before = 0;  ///< zlib's CRC-32 of everything before its tag
  std::string_view bytes;
};

/// Reads fields and keeps count of bytes and their CRC-32. A claimed length never sizes an
/// allocation: content is read in steps that double what has been read.
class FieldReader {
 public:
  /// `progress` (may be empty) is called now and then with the bytes read so far.
  FieldReader(std::unique_ptr<ByteSource> source, std::uint64_t max_bytes,
              std::function<void(std::uint64_t)> progress);

  /// Up to `count` bytes (at most 16) that come next, without taking them.
  [[nodiscard]] Result<std::string_view> peek(std::size_t count);
  /// The next field; none at the end. Errors: FileTruncated, MalformedField, LimitBytes and the
  /// source's.
  [[nodiscard]] Result<std::optional<Field>> next();
  /// Bytes taken so far.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  [[nodiscard]] Result<bool> fill();
  [[nodiscard]] Result<std::uint64_t> read_varint(std::string_view what);
  [[nodiscard]] Result<void> read_content(std::uint64_t length);
  [[nodiscard]] Result<std::size_t> read_some(char* out, std::size_t size);
  [[nodiscard]] Errors truncated(std::string message) const;
  void take(const char* bytes, std::size_t size);

  std::unique_ptr<ByteSource> source_;
  std::uint64_t max_bytes_;
  std::function<void(std::uint64_t)> progress_;
  std::uint64_t next_progress_ = 0;
  std::vector<char> block_;
  std::size_t begin_ = 0;  // block_[begin_, end_) was read and not taken
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  std::uint32_t crc_ = 0;
  std::string content_;
};

}  // namespace vecc::graph_io
