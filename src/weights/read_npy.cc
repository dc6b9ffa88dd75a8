#include <algorithm>
#include <numeric>

#include "src/weights/element_type.h"
#include "src/weights/npy.h"
#include "src/weights/npy_header.h"

namespace vecc::weights {
namespace {

constexpr std::size_t kVersionBytes = 2;
constexpr std::size_t kMaxNpyHeader = 1 << 16;

/// Takes `count` bytes, of which an array has at least so many.
Result<std::string> take_bytes(ByteStream& stream, std::uint64_t count) {
  if (count > stream.remaining()) {
    return Errors(
        ErrorCode::FileTruncated, "",
        "ends within the array's header, which has " + std::to_string(count) + " more bytes");
  }
  std::string bytes(count, '\0');
  VECC_TRY_VOID(stream.read(bytes.data(), count));
  return bytes;
}

Result<std::string> take_header(ByteStream& stream) {
  VECC_TRY(const std::string start, take_bytes(stream, kNpyMark.size() + kVersionBytes));
  const int major = static_cast<unsigned char>(start[kNpyMark.size()]);
  const int minor = static_cast<unsigned char>(start[kNpyMark.size() + 1]);
  if (!start.starts_with(kNpyMark)) {
    return Errors(ErrorCode::BadWeightFile, "", "is no .npy array: it begins with another mark");
  }
  if (major < 1 || major > 3 || minor != 0) {
    return Errors(ErrorCode::UnreadWeights, "",
                  "is .npy version " + std::to_string(major) + "." + std::to_string(minor) +
                      ", expected 1.0, 2.0 or 3.0");
  }
  // Version 1 has a length of two bytes, the others of four.
  VECC_TRY(std::string length_bytes, take_bytes(stream, major == 1 ? 2 : 4));
  length_bytes.resize(4, '\0');
  const auto length = load_little_endian<std::uint32_t>(length_bytes.data());
  if (length > kMaxNpyHeader) {
    return Errors(ErrorCode::BadWeightFile, "",
                  "the array's header has " + std::to_string(length) + " bytes, expected at most " +
                      std::to_string(kMaxNpyHeader));
  }
  return take_bytes(stream, length);
}

void swap_bytes(std::string& data, std::size_t size) {
  for (auto at = data.begin(); at != data.end(); at += static_cast<std::ptrdiff_t>(size)) {
    std::reverse(at, at + static_cast<std::ptrdiff_t>(size));
  }
}

/// Elements whose first index runs fastest, in the order where the last one does.
std::string in_c_order(const std::string& data, const std::vector<std::uint64_t>& shape,
                       std::size_t size) {
  std::vector<std::uint64_t> stride(shape.size());
  std::exclusive_scan(shape.begin(), shape.end(), stride.begin(), std::uint64_t{size},
                      std::multiplies<>());
  std::vector<std::uint64_t> index(shape.size());
  std::string result(data.size(), '\0');
  std::uint64_t from = 0;
  for (std::size_t to = 0; to < result.size(); to += size) {
    std::memcpy(result.data() + to, data.data() + from, size);
    for (std::size_t d = shape.size(); d-- > 0;) {
      from += stride[d];
      if (++index[d] < shape[d]) break;
      from -= stride[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

}  // namespace

Result<WeightTensor> read_npy(ByteStream& stream, std::string name) {
  VECC_TRY(const std::string text, take_header(stream));
  VECC_TRY(NpyHeader header, parse_npy_header(text));
  const std::optional<std::uint64_t> needed = checked_bytes(header.type, header.shape);
  if (needed != stream.remaining()) {
    return Errors(needed && *needed < stream.remaining() ? ErrorCode::BadWeightFile
                                                         : ErrorCode::FileTruncated,
                  "",
                  "has " + std::to_string(stream.remaining()) + " bytes of data, but " +
                      std::string(text_of(header.type)) + " " + text_of_shape(header.shape) +
                      " takes " +
                      (needed ? std::to_string(*needed) + " bytes" : "more than 2^64 bytes"));
  }
  std::string data(*needed, '\0');
  VECC_TRY_VOID(stream.read(data.data(), data.size()));
  const std::size_t size = size_of(header.type);
  if (header.big_endian && size > 1) swap_bytes(data, size);
  if (header.fortran_order && header.shape.size() > 1) data = in_c_order(data, header.shape, size);
  return WeightTensor{std::move(name), header.type, std::move(header.shape), std::move(data)};
}

}  // namespace vecc::weights
