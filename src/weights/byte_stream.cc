#include "src/weights/byte_stream.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

namespace vecc::weights {
namespace {

constexpr std::uint64_t kInflateBlock = std::uint64_t{1} << 16;
constexpr std::uint64_t kInflatePart = std::uint64_t{1} << 30;  // zlib counts in 32 bits

class PlainStream : public ByteStream {
 public:
  PlainStream(const InputFile& input, std::uint64_t at, std::uint64_t size)
      : ByteStream(size), input_(input), at_(at) {}

 private:
  Result<void> read_part(char* out, std::uint64_t count) override {
    VECC_TRY_VOID(input_.read(at_, out, count));
    at_ += count;
    return {};
  }

  const InputFile& input_;
  std::uint64_t at_;
};

class InflateStream : public ByteStream {
 public:
  InflateStream(const InputFile& input, const ZipEntry& entry)
      : ByteStream(entry.bytes),
        input_(input),
        at_(entry.data_at),
        packed_(entry.packed_bytes),
        block_(kInflateBlock) {
    // Negative: no header, as in zip.
    VECC_CHECK(inflateInit2(&stream_, -MAX_WBITS) == Z_OK, "zlib starts");
  }
  ~InflateStream() override { inflateEnd(&stream_); }

 private:
  Result<void> read_part(char* out, std::uint64_t count) override {
    while (count > 0) {
      const auto part = static_cast<uInt>(std::min(count, kInflatePart));
      stream_.next_out = reinterpret_cast<Bytef*>(out);
      stream_.avail_out = part;
      VECC_TRY_VOID(inflate_some());
      const std::uint64_t got = part - stream_.avail_out;
      if (got == 0 && ended_) {
        return damaged("ends " + std::to_string(count) + " bytes before the size it has");
      }
      out += got;
      count -= got;
    }
    return {};
  }

  /// The end mark, and nothing behind it.
  Result<void> finish() override {
    char more = 0;
    stream_.next_out = reinterpret_cast<Bytef*>(&more);
    stream_.avail_out = 1;
    while (!ended_ && stream_.avail_out == 1) VECC_TRY_VOID(inflate_some());
    if (stream_.avail_out == 0) return damaged("goes on behind the size it has");
    if (stream_.avail_in > 0 || packed_ > 0) return damaged("ends before its packed bytes do");
    return {};
  }

  Result<void> inflate_some() {
    if (stream_.avail_in == 0) {
      const std::uint64_t size = std::min<std::uint64_t>(packed_, block_.size());
      VECC_TRY_VOID(input_.read(at_, block_.data(), size));
      at_ += size;
      packed_ -= size;
      stream_.next_in = reinterpret_cast<Bytef*>(block_.data());
      stream_.avail_in = static_cast<uInt>(size);
    }
    const int status = inflate(&stream_, Z_NO_FLUSH);
    ended_ = status == Z_STREAM_END;
    if (ended_ || status == Z_OK) return {};
    if (status == Z_BUF_ERROR) return damaged("ends without an end mark");
    return damaged(stream_.msg != nullptr ? stream_.msg : "no valid code");
  }

  static Errors damaged(const std::string& reason) {
    return Errors(ErrorCode::BadCompression, "", "deflated data is damaged: " + reason);
  }

  const InputFile& input_;
  std::uint64_t at_;
  std::uint64_t packed_;
  std::vector<char> block_;
  z_stream stream_{};
  bool ended_ = false;
};

class CheckedStream : public ByteStream {
 public:
  CheckedStream(std::unique_ptr<ByteStream> bytes, std::uint32_t expected)
      : ByteStream(bytes->remaining()), bytes_(std::move(bytes)), expected_(expected) {}

 private:
  Result<void> read_part(char* out, std::uint64_t count) override {
    VECC_TRY_VOID(bytes_->read(out, count));
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(out), count);
    return {};
  }

  Result<void> finish() override {
    if (crc_ == expected_) return {};
    return Errors(ErrorCode::WrongChecksum, "",
                  "its bytes have the CRC-32 " + std::to_string(crc_) + ", expected " +
                      std::to_string(expected_));
  }

  std::unique_ptr<ByteStream> bytes_;
  std::uint64_t crc_ = 0;
  std::uint32_t expected_;
};

}  // namespace

Result<void> ByteStream::read(char* out, std::uint64_t count) {
  VECC_CHECK(count <= remaining_, "bytes that are there");
  VECC_TRY_VOID(read_part(out, count));
  remaining_ -= count;
  if (remaining_ == 0 && count > 0) VECC_TRY_VOID(finish());
  return {};
}

std::unique_ptr<ByteStream> stream_file(const InputFile& input) {
  return std::make_unique<PlainStream>(input, 0, input.size());
}

std::unique_ptr<ByteStream> stream_entry(const InputFile& input, const ZipEntry& entry) {
  std::unique_ptr<ByteStream> bytes;
  if (entry.method == ZipMethod::Deflated) {
    bytes = std::make_unique<InflateStream>(input, entry);
  } else {
    bytes = std::make_unique<PlainStream>(input, entry.data_at, entry.bytes);
  }
  return std::make_unique<CheckedStream>(std::move(bytes), entry.crc32);
}

}  // namespace vecc::weights
