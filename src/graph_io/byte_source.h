// Where the bytes of a graph come from: a file, memory, or a decompressor over one of them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "vecc/error.h"

namespace vecc::graph_io {

/// A stream of bytes, read once from the front.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;
  /// Fills `out` with up to `size` (at least 1) bytes; fewer only before the end, 0 at the end.
  /// Errors: FileUnreadable, FileTruncated, BadCompression; their places are empty.
  [[nodiscard]] virtual Result<std::size_t> read(char* out, std::size_t size) = 0;
};

/// Opens a file. Error FileUnreadable: it does not exist, may not be read, is a directory.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_file(const std::string& path);
/// Reads `bytes`, which must live as long as the source.
[[nodiscard]] std::unique_ptr<ByteSource> open_memory(std::string_view bytes);

}  // namespace vecc::graph_io
