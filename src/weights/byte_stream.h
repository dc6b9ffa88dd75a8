// Bytes read once from the front, and the two places that an array comes from: a file as it is, an
// entry of a zip archive.
#pragma once

#include <cstdint>
#include <memory>

#include "src/weights/input_file.h"
#include "src/weights/zip_directory.h"

namespace vecc::weights {

class ByteStream {
 public:
  ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  virtual ~ByteStream() = default;
  /// Bytes that are still to come.
  [[nodiscard]] std::uint64_t remaining() const { return remaining_; }
  /// All `count` bytes; the caller has compared with remaining(). The last byte proves the checksum
  /// where there is one. Errors: the file's, BadCompression, WrongChecksum.
  [[nodiscard]] Result<void> read(char* out, std::uint64_t count);

 protected:
  explicit ByteStream(std::uint64_t size) : remaining_(size) {}

 private:
  [[nodiscard]] virtual Result<void> read_part(char* out, std::uint64_t count) = 0;
  /// All bytes were read.
  [[nodiscard]] virtual Result<void> finish() { return {}; }

  std::uint64_t remaining_ = 0;
};

/// `input` must outlive the stream.
[[nodiscard]] std::unique_ptr<ByteStream> stream_file(const InputFile& input);
[[nodiscard]] std::unique_ptr<ByteStream> stream_entry(const InputFile& input,
                                                       const ZipEntry& entry);

}  // namespace vecc::weights
