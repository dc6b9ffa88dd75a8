#include "src/graph_io/file_sink.h"

#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "src/graph_io/wire_format.h"
#include "vecc/escape.h"

namespace vecc::graph_io {
namespace {

constexpr std::uint32_t kGzipLevel = 6;
constexpr std::uint32_t kZstdLevel = 9;
constexpr std::uint32_t kMostGzipLevel = 9;
constexpr std::uint32_t kMostThreads = 8;  // each holds a few windows of bytes

std::uint32_t most_zstd_level() {
  return static_cast<std::uint32_t>(ZSTD_maxCLevel());
}

int threads_of(const Encoding& encoding) {
  const std::uint32_t wanted =
      encoding.threads > 0 ? encoding.threads : std::thread::hardware_concurrency();
  return static_cast<int>(std::clamp<std::uint32_t>(wanted, 1, kMostThreads));
}

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
  GzipEncoder(AtomicFile& file, std::uint32_t level) : Encoder(file), block_(kCompressionBlock) {
    VECC_CHECK(deflateInit2(&stream_, static_cast<int>(level > 0 ? level : kGzipLevel), Z_DEFLATED,
                            MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK,
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
  ZstdEncoder(AtomicFile& file, const Encoding& encoding)
      : Encoder(file),
        block_(kCompressionBlock),
        stream_(ZSTD_createCStream()),
        workers_(threads_of(encoding)) {
    VECC_CHECK(stream_ != nullptr, "zstd starts");
    const std::uint32_t level = encoding.level > 0 ? encoding.level : kZstdLevel;
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_compressionLevel, static_cast<int>(level));
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
    // One worker and many make the same bytes, no worker makes others: so there is always one. A
    // library without threads refuses this, and compresses on the caller's.
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_nbWorkers, workers_);
  }
  ~ZstdEncoder() override { ZSTD_freeCStream(stream_); }

  bool encode(std::string_view bytes, bool last) override {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    const ZSTD_EndDirective mode = last ? ZSTD_e_end : ZSTD_e_continue;
    while (true) {
      ZSTD_outBuffer output{block_.data(), block_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(stream_, &output, &input, mode);
      if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) {
        take_one_worker();
        continue;
      }
      VECC_CHECK(ZSTD_isError(left) == 0, ZSTD_getErrorName(left));
      has_begun_ = true;
      if (!file_.write({block_.data(), output.pos})) return false;
      if (last ? left == 0 : input.pos == input.size) return true;
    }
  }

 private:
  // High levels need gigabytes for each worker, and they are taken at the first bytes; a thread
  // that the system does not start is told as the same.
  void take_one_worker() {
    if (has_begun_ || workers_ == 1) throw std::bad_alloc();
    workers_ = 1;
    ZSTD_CCtx_reset(stream_, ZSTD_reset_session_only);
    ZSTD_CCtx_setParameter(stream_, ZSTD_c_nbWorkers, workers_);
  }

  std::vector<char> block_;
  ZSTD_CStream* stream_;
  int workers_;
  bool has_begun_ = false;
};

FileSink::FileSink(std::string path, AtomicFile file, const Encoding& encoding)
    : path_(std::move(path)), file_(std::move(file)) {
  switch (encoding.compression) {
    case Compression::None: encoder_ = std::make_unique<PlainEncoder>(file_); break;
    case Compression::Gzip: encoder_ = std::make_unique<GzipEncoder>(file_, encoding.level); break;
    case Compression::Zstd: encoder_ = std::make_unique<ZstdEncoder>(file_, encoding); break;
  }
}

Result<std::unique_ptr<FileSink>> FileSink::create(const std::string& path,
                                                   const Encoding& encoding) {
  if (const std::string problem = find_level_problem(encoding); !problem.empty()) {
    return Errors(ErrorCode::Usage, escape_terminal(path),
                  "compression level " + std::to_string(encoding.level) + ": " + problem);
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return Errors(ErrorCode::CannotWrite, escape_terminal(path), "is a directory");
  }
  std::optional<AtomicFile> file = AtomicFile::create(path);
  if (file) return std::unique_ptr<FileSink>(new FileSink(path, std::move(*file), encoding));
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

Result<void> FileSink::end() {
  if (encoder_ && !encoder_->encode({}, true)) return failure();
  encoder_.reset();
  return {};
}

Result<void> FileSink::seal() {
  VECC_TRY_VOID(end());
  if (!file_.seal()) return failure();
  return {};
}

Result<void> FileSink::commit() {
  VECC_TRY_VOID(end());
  if (!file_.commit()) return failure();
  return {};
}

}  // namespace vecc::graph_io

namespace vecc {

std::string find_level_problem(const Encoding& encoding) {
  if (encoding.level == 0) return {};
  const std::string gzip = "gzip has levels 1 to " + std::to_string(graph_io::kMostGzipLevel);
  const std::string most_zstd = std::to_string(graph_io::most_zstd_level());
  switch (encoding.compression) {
    case Compression::Gzip: return encoding.level > graph_io::kMostGzipLevel ? gzip : "";
    case Compression::Zstd:
      return encoding.level > graph_io::most_zstd_level() ? "zstd has levels 1 to " + most_zstd
                                                          : "";
    case Compression::None: break;
  }
  return "the output is not compressed; " + gzip + ", zstd 1 to " + most_zstd;
}

}  // namespace vecc
