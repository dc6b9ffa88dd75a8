#include "src/graph_io/file_sink.h"

#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "src/graph_io/wire_format.h"
#include "vecc/escape.h"

namespace vecc::graph_io {
namespace {

constexpr int kZstdLevel = 9;

}  // namespace

/// Turns written bytes into the file's; false after a failed write (errno tells).
class FileSink::Encoder {
 public:
  explicit Encoder(AtomicFile& file) : file_(file) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;
  [[nodiscard]] virtual bool encode(std::string_view bytes, bool last) = 0;

 protected:
  AtomicFile& file_;
};

class FileSink::PlainEncoder : public FileSink::Encoder {
 public:
  using Encoder::Encoder;
  bool encode(std::string_view bytes, bool) override { return file_.write(bytes); }
};

class FileSink::GzipEncoder : public FileSink::Encoder {
 public:
  explicit GzipEncoder(AtomicFile& file) : Encoder(file), block_(kCompressionBlock) {
    VECC_CHECK(deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8,
                            Z_DEFAULT_STRATEGY) == Z_OK,
               "zlib starts");
  }
  ~GzipEncoder() override { deflateEnd(&stream_); }

  bool encode(std::string_view bytes, bool last) override {
    do {
      // zlib counts in 32 bits.
      const std::size_t taken = std::min(bytes.size(), std::size_t{1} << 30);
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<uInt>(taken);
      bytes.remove_prefix(taken);
      const int flush = last && bytes.empty() ? Z_FINISH : Z_NO_FLUSH;
      do {
        stream_.next_out = reinterpret_cast<Bytef*>(block_.data());
        stream_.avail_out = static_cast<uInt>(block_.size());
        (void)deflate(&stream_, flush);
        if (!file_.write({block_.data(), block_.size() - stream_.avail_out})) return false;
      } while (stream_.avail_out == 0);
    } while (!bytes.empty());
    return true;
  }

 private:
  std::vector<char> block_;
  z_stream stream_{};
};

class FileSink::ZstdEncoder : public FileSink::Encoder {
 public:
  explicit ZstdEncoder(AtomicFile& file)
      : Encoder(file), block_(kCompressionBlock), stream_(ZSTD_createCStream()) {
    VECC_CHECK(stream_ != nullptr, "zstd starts");
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_compressionLevel, kZstdLevel);
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ~ZstdEncoder() override { ZSTD_freeCStream(stream_); }

  bool encode(std::string_view bytes, bool last) override {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    const ZSTD_EndDirective mode = last ? ZSTD_e_end : ZSTD_e_continue;
    while (true) {
      ZSTD_outBuffer output{block_.data(), block_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(stream_, &output, &input, mode);
      VECC_CHECK(ZSTD_isError(left) == 0, ZSTD_getErrorName(left));
      if (!file_.write({block_.data(), output.pos})) return false;
      if (last ? left == 0 : input.pos == input.size) return true;
    }
  }

 private:
  std::vector<char> block_;
  ZSTD_CStream* stream_;
};

FileSink::FileSink(std::string path, AtomicFile file, Compression compression)
    : path_(std::move(path)), file_(std::move(file)) {
  switch (compression) {
    case Compression::None: encoder_ = std::make_unique<PlainEncoder>(file_); break;
    case Compression::Gzip: encoder_ = std::make_unique<GzipEncoder>(file_); break;
    case Compression::Zstd: encoder_ = std::make_unique<ZstdEncoder>(file_); break;
  }
}

Result<std::unique_ptr<FileSink>> FileSink::create(const std::string& path,
                                                   Compression compression) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return Errors(ErrorCode::CannotWrite, escape_terminal(path), "is a directory");
  }
  std::optional<AtomicFile> file = AtomicFile::create(path);
  if (file) return std::unique_ptr<FileSink>(new FileSink(path, std::move(*file), compression));
  return Errors(ErrorCode::CannotWrite, escape_terminal(path),
                std::string("cannot be created: ") + std::strerror(errno));
}

FileSink::~FileSink() = default;

Errors FileSink::failure() const {
  return Errors(ErrorCode::CannotWrite, escape_terminal(path_),
                std::string("cannot be written: ") + std::strerror(errno));
}

Result<void> FileSink::write(std::string_view bytes) {
  if (!encoder_->encode(bytes, false)) return failure();
  return {};
}

Result<void> FileSink::commit() {
  if (!encoder_->encode({}, true) || !file_.commit()) return failure();
  return {};
}

}  // namespace vecc::graph_io
