#include "src/graph_io/field_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "src/graph_io/wire_format.h"
#include "src/support/list_threads.h"

namespace vecc::graph_io {
namespace {

constexpr std::size_t kReadBlock = std::size_t{64} << 10;
constexpr std::size_t kLongRead = std::size_t{1} << 20;  // whose CRC-32 threads share
constexpr std::uint64_t kProgressStep = std::uint64_t{4} << 20;
// A buffer that one large field left behind is given back.
constexpr std::size_t kKeptContent = std::size_t{64} << 20;

std::string at_byte(std::uint64_t offset) {
  return "byte " + std::to_string(offset);
}

// Of bytes after others that have this CRC-32. Of many by all threads (ListThreads).
std::uint32_t crc_after(std::uint32_t before, const char* bytes, std::size_t size) {
  const auto crc_of = [&](std::uint32_t start, std::size_t begin, std::size_t end) {
    const auto* first = reinterpret_cast<const Bytef*>(bytes + begin);
    return static_cast<std::uint32_t>(crc32_z(start, first, end - begin));
  };
  if (size < kLongRead) return crc_of(before, 0, size);
  std::vector<std::uint32_t> of_range(ListThreads::ranges_of(size));
  std::vector<std::size_t> sizes(of_range.size());
  ListThreads::for_numbered_ranges(size,
                                   [&](std::size_t range, std::size_t begin, std::size_t end) {
                                     of_range[range] = crc_of(range == 0 ? before : 0, begin, end);
                                     sizes[range] = end - begin;
                                   });
  std::uint32_t crc = of_range[0];
  for (std::size_t range = 1; range < of_range.size(); ++range) {
    crc = static_cast<std::uint32_t>(
        crc32_combine(crc, of_range[range], static_cast<z_off_t>(sizes[range])));
  }
  return crc;
}

}  // namespace

FieldReader::FieldReader(std::unique_ptr<ByteSource> source, std::uint64_t max_bytes,
                         std::function<void(std::uint64_t)> progress)
    : source_(std::move(source)),
      max_bytes_(max_bytes),
      progress_(std::move(progress)),
      next_progress_(kProgressStep),
      block_(kReadBlock) {}

Errors FieldReader::truncated(std::string message) const {
  return Errors(ErrorCode::FileTruncated, at_byte(offset_), std::move(message));
}

void FieldReader::take(const char* bytes, std::size_t size) {
  crc_ = crc_after(crc_, bytes, size);
  offset_ += size;
  if (offset_ >= next_progress_ && progress_) {
    progress_(offset_);
    next_progress_ = offset_ + kProgressStep;
  }
}

// Reads more bytes after those not yet taken; false at the end of the source.
Result<bool> FieldReader::fill() {
  std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  VECC_TRY(const std::size_t got, source_->read(block_.data() + end_, block_.size() - end_));
  end_ += got;
  return got > 0;
}

Result<std::string_view> FieldReader::peek(std::size_t count) {
  while (end_ - begin_ < count) {
    VECC_TRY(const bool more, fill());
    if (!more) break;
  }
  return std::string_view(block_.data() + begin_, std::min(count, end_ - begin_));
}

Result<std::size_t> FieldReader::read_some(char* out, std::size_t size) {
  if (offset_ >= max_bytes_) {
    return Errors(ErrorCode::LimitBytes, "",
                  "has more than " + std::to_string(max_bytes_) + " uncompressed bytes, the limit");
  }
  size = static_cast<std::size_t>(std::min<std::uint64_t>(size, max_bytes_ - offset_));
  std::size_t got = std::min(size, end_ - begin_);
  if (got > 0) {
    std::memcpy(out, block_.data() + begin_, got);
    begin_ += got;
  } else {
    VECC_TRY(got, source_->read(out, size));
  }
  take(out, got);
  return got;
}

Result<std::uint64_t> FieldReader::read_varint(std::string_view what) {
  const std::uint64_t start = offset_;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (begin_ == end_) VECC_TRY_VOID(fill());
    char byte = 0;
    VECC_TRY(const std::size_t got, read_some(&byte, 1));
    if (got == 0) {
      return truncated("the file ends inside a field's " + std::string(what) +
                       ", expected the End record");
    }
    const auto bits = static_cast<std::uint64_t>(static_cast<unsigned char>(byte));
    if (shift == 63 && bits > 1) break;
    value |= (bits & 0x7F) << shift;
    if (bits < 0x80) return value;
  }
  return Errors(ErrorCode::MalformedField, at_byte(start),
                "a field's " + std::string(what) + " is longer than 64 bits");
}

Result<void> FieldReader::read_content(std::uint64_t length) {
  if (content_.capacity() > kKeptContent) std::string().swap(content_);
  content_.clear();
  while (content_.size() < length) {
    const std::size_t size = content_.size();
    const std::uint64_t step = std::min<std::uint64_t>(length - size, std::max(size, kReadBlock));
    content_.resize(size + static_cast<std::size_t>(step));
    VECC_TRY(const std::size_t got, read_some(content_.data() + size, content_.size() - size));
    content_.resize(size + got);
    if (got == 0) {
      return truncated("the file ends after " + std::to_string(size) +
                       " bytes of a field, expected " + std::to_string(length));
    }
  }
  return {};
}

Result<std::optional<Field>> FieldReader::next() {
  VECC_TRY(const std::string_view ahead, peek(1));
  if (ahead.empty()) return std::optional<Field>();
  Field field;
  field.offset = offset_;
  field.crc_before = crc_;
  VECC_TRY(const std::uint64_t tag, read_varint("tag"));
  field.number = static_cast<std::uint32_t>(tag >> 3);
  std::uint64_t length = 0;
  switch (tag & 7) {
    case 0: {
      field.type = WireType::Varint;
      VECC_TRY_VOID(read_varint("value"));
      break;
    }
    case 1:
      field.type = WireType::Fixed64;
      length = 8;
      break;
    case 2: {
      field.type = WireType::Bytes;
      VECC_TRY(length, read_varint("length"));
      break;
    }
    case 5:
      field.type = WireType::Fixed32;
      length = 4;
      break;
    default:
      return Errors(
          ErrorCode::MalformedField, at_byte(field.offset),
          "a field has wire type " + std::to_string(tag & 7) + ", expected 2 (length-delimited)");
  }
  if (tag >> 3 == 0 || tag >> 32 != 0) {
    return Errors(ErrorCode::MalformedField, at_byte(field.offset),
                  "a field has number " + std::to_string(tag >> 3) + ", expected 1 to 536870911");
  }
  if (length > kMaxFieldBytes) {
    return Errors(ErrorCode::MalformedField, at_byte(field.offset),
                  "field " + std::to_string(field.number) + " claims " + std::to_string(length) +
                      " bytes, expected at most " + std::to_string(kMaxFieldBytes));
  }
  VECC_TRY_VOID(read_content(length));
  field.bytes = content_;
  return std::optional<Field>(field);
}

}  // namespace vecc::graph_io
