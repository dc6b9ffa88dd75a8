// gzip and zstd, recognised by their first bytes.
#pragma once

#include <memory>

#include "src/graph_io/byte_source.h"

namespace vecc::graph_io {

/// The source itself, or a decompressor over it where its first bytes are those of gzip (1f 8b) or
/// zstd (28 b5 2f fd). Several members or frames one after another are one stream. Memory stays
/// fixed however far the data expands; the reader above counts the bytes.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_compressed(
    std::unique_ptr<ByteSource> source);

}  // namespace vecc::graph_io
