#include "src/graph_io/decompress.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "src/graph_io/wire_format.h"

namespace vecc::graph_io {
namespace {

Errors damaged(std::string_view format, std::string_view reason) {
  return Errors(ErrorCode::BadCompression, "",
                std::string(format) + " data is damaged: " + std::string(reason));
}

Errors ends_early(std::string_view format) {
  return Errors(ErrorCode::FileTruncated, "",
                std::string(format) + " data ends early, expected its end mark");
}

/// A source with some bytes put back before it.
class PrefixedSource : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  Result<std::size_t> read(char* out, std::size_t size) override {
    if (position_ == prefix_.size()) return rest_->read(out, size);
    const std::size_t taken = std::min(size, prefix_.size() - position_);
    std::memcpy(out, prefix_.data() + position_, taken);
    position_ += taken;
    return taken;
  }

 private:
  std::string prefix_;
  std::size_t position_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), block_(kCompressionBlock) {
    // 16: gzip's header and trailer, not zlib's.
    const int status = inflateInit2(&stream_, MAX_WBITS + 16);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    VECC_CHECK(status == Z_OK, "zlib starts");
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  Result<std::size_t> read(char* out, std::size_t size) override {
    const auto wanted = static_cast<uInt>(std::min<std::size_t>(size, std::size_t{1} << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = wanted;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0) {
        VECC_TRY(const std::size_t got, source_->read(block_.data(), block_.size()));
        if (got == 0) {
          if (between_members_) return std::size_t{0};
          return ends_early("gzip");
        }
        stream_.next_in = reinterpret_cast<Bytef*>(block_.data());
        stream_.avail_in = static_cast<uInt>(got);
      }
      between_members_ = false;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();  // its window comes with the first bytes
      if (status == Z_STREAM_END) {
        between_members_ = true;
        inflateReset(&stream_);
      } else if (status != Z_OK) {
        return damaged("gzip", stream_.msg != nullptr ? stream_.msg : "unknown code");
      }
    }
    return static_cast<std::size_t>(wanted - stream_.avail_out);
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<char> block_;
  z_stream stream_{};
  bool between_members_ = false;
};

class ZstdSource : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), block_(kCompressionBlock), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

  Result<std::size_t> read(char* out, std::size_t size) override {
    ZSTD_outBuffer output{out, size, 0};
    while (output.pos == 0) {
      if (input_.pos == input_.size && !flush_) {
        VECC_TRY(const std::size_t got, source_->read(block_.data(), block_.size()));
        if (got == 0) {
          if (between_frames_) return std::size_t{0};
          return ends_early("zstd");
        }
        input_ = {block_.data(), got, 0};
      }
      const std::size_t status = ZSTD_decompressStream(stream_, &output, &input_);
      if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) throw std::bad_alloc();
      if (ZSTD_isError(status) != 0) return damaged("zstd", ZSTD_getErrorName(status));
      between_frames_ = status == 0;
      // A full output buffer may hide decoded bytes that need no more input.
      flush_ = output.pos == output.size && !between_frames_;
    }
    return output.pos;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<char> block_;
  ZSTD_DStream* stream_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool between_frames_ = false;
  bool flush_ = false;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_compressed(std::unique_ptr<ByteSource> source) {
  std::string start(4, '\0');
  std::size_t size = 0;
  while (size < start.size()) {
    VECC_TRY(const std::size_t got, source->read(start.data() + size, start.size() - size));
    if (got == 0) break;
    size += got;
  }
  start.resize(size);
  const bool gzip = start.starts_with("\x1f\x8b");
  const bool zstd = start == "\x28\xb5\x2f\xfd";
  std::unique_ptr<ByteSource> whole =
      std::make_unique<PrefixedSource>(std::move(start), std::move(source));
  if (gzip) return std::unique_ptr<ByteSource>(std::make_unique<GzipSource>(std::move(whole)));
  if (zstd) return std::unique_ptr<ByteSource>(std::make_unique<ZstdSource>(std::move(whole)));
  return whole;
}

}  // namespace vecc::graph_io
