#include "src/emit/native/runtime/tensor_file.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "src/emit/native/runtime/digest.h"
#include "src/emit/native/runtime/failure.h"

namespace vecc::emitted {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they are written");

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;  // the format's own limit

/// How the header of a file of vecc's begins: the 8 digits of the CRC-32 of all bytes follow, which
/// is computed with zeros in their place.
constexpr std::string_view kChecksumMark = R"({"__metadata__":{"vecc.crc32":")";
constexpr std::string_view kNoChecksum = "00000000";

std::string hexadecimal_text(std::uint32_t number) {
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[number >> shift & 15];
  return text;
}

/// What is wrong with the bytes, of which `length` are the first eight; empty if nothing is.
std::string check_checksum(std::uint64_t length, std::string_view rest) {
  if (!rest.starts_with(kChecksumMark)) return {};
  const std::size_t end = kChecksumMark.size() + kNoChecksum.size();
  if (rest.size() < end) return "ends in the CRC-32 of its bytes";
  const std::string_view first(reinterpret_cast<const char*>(&length), sizeof length);
  std::uint32_t crc32 = crc32_of(kChecksumMark, crc32_of(first));
  crc32 = crc32_of(rest.substr(end), crc32_of(kNoChecksum, crc32));
  const std::string found = hexadecimal_text(crc32);
  const std::string_view stated = rest.substr(kChecksumMark.size(), kNoChecksum.size());
  if (found == stated) return {};
  return "its bytes have the CRC-32 " + found + ", expected " + quote(stated) +
         ": it is damaged; copy or write it again";
}

std::optional<std::uint64_t> needed_bytes(const Tensor& tensor) {
  for (const std::uint64_t dimension : tensor.shape) {
    if (dimension == 0) return 0;
  }
  std::uint64_t bytes = element_bytes(tensor.type);
  for (const std::uint64_t dimension : tensor.shape) {
    if (__builtin_mul_overflow(bytes, dimension, &bytes)) return std::nullopt;
  }
  return bytes;
}

}  // namespace

std::uint64_t element_bytes(std::string_view type) {
  if (type == "F64" || type == "I64" || type == "U64") return 8;
  if (type == "F32" || type == "I32" || type == "U32") return 4;
  if (type == "F16" || type == "BF16" || type == "I16" || type == "U16") return 2;
  return type == "I8" || type == "U8" || type == "BOOL" ? 1 : 0;
}

TensorFile::TensorFile(std::string path) : path_(std::move(path)) {
  try {
    read();
  } catch (const std::filesystem::filesystem_error& error) {
    throw Failure(ExitCode::BadInput, path_, "cannot be read: " + error.code().message());
  }
}

void TensorFile::read() {
  const auto fail = [&](const std::string& message) {
    throw Failure(ExitCode::BadInput, path_, message);
  };
  if (!std::filesystem::exists(path_)) fail("cannot be read: there is no such file");
  if (!std::filesystem::is_regular_file(path_)) fail("cannot be read: is no regular file");
  const std::uint64_t bytes = std::filesystem::file_size(path_);
  if (bytes < kLengthBytes) fail("has " + std::to_string(bytes) + " bytes: no safetensors file");
  std::ifstream file(path_, std::ios::binary);
  std::uint64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), kLengthBytes);
  if (!file) fail("cannot be read");
  if (length > kMaxHeader || length > bytes - kLengthBytes) {
    fail("a header of " + std::to_string(length) + " bytes in a file of " + std::to_string(bytes) +
         " (is this a safetensors file?)");
  }
  memory_ = std::make_unique_for_overwrite<std::uint64_t[]>(bytes / 8 + 1);
  auto* const memory = reinterpret_cast<char*>(memory_.get());
  const std::uint64_t rest = bytes - kLengthBytes;
  file.read(memory, static_cast<std::streamsize>(rest));
  if (!file) fail("cannot be read to its end");
  const std::string damage = check_checksum(length, std::string_view(memory, rest));
  if (!damage.empty()) fail(damage);
  header_ = parse_header(std::string_view(memory, length), path_);
  place_tensors(reinterpret_cast<const std::byte*>(memory) + length, rest - length);
}

void TensorFile::place_tensors(const std::byte* data, std::uint64_t bytes) {
  std::vector<Tensor>& tensors = header_.tensors;
  std::stable_sort(tensors.begin(), tensors.end(), [](const Tensor& a, const Tensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t end = 0;
  for (Tensor& tensor : tensors) {
    const std::string place = path_ + ": tensor " + quote(tensor.name);
    if (element_bytes(tensor.type) == 0) {
      throw Failure(ExitCode::BadInput, place, "has dtype " + quote(tensor.type));
    }
    if (tensor.begin != end || tensor.end < tensor.begin || tensor.end > bytes ||
        needed_bytes(tensor) != tensor.bytes()) {
      throw Failure(ExitCode::BadInput, place,
                    "has data offsets " + std::to_string(tensor.begin) + " to " +
                        std::to_string(tensor.end) + ", which do not fit " + tensor.type + " " +
                        text_of_shape(tensor.shape) + " at byte " + std::to_string(end) + " of " +
                        std::to_string(bytes));
    }
    tensor.data = data + tensor.begin;
    end = tensor.end;
    by_name_.emplace(tensor.name, &tensor);
  }
  if (end != bytes) {
    throw Failure(ExitCode::BadInput, path_,
                  "has " + std::to_string(bytes) + " bytes of data, expected " +
                      std::to_string(end) + ", where the last tensor ends");
  }
}

const Tensor* TensorFile::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::string_view TensorFile::metadata(std::string_view key) const {
  const auto found = header_.metadata.find(key);
  return found == header_.metadata.end() ? std::string_view() : found->second;
}

}  // namespace vecc::emitted
