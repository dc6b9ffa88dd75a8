#include <algorithm>
#include <optional>
#include <utility>

#include "src/support/checksum.h"
#include "src/weights/element_type.h"
#include "src/weights/pickle.h"
#include "src/weights/safetensors.h"
#include "src/weights/safetensors_header.h"

namespace vecc::weights {
namespace {

constexpr std::uint64_t kLengthBytes = 8;

/// The header's length: of JSON that begins with `{`.
Result<std::uint64_t> read_header_length(const InputFile& input) {
  if (input.size() <= kLengthBytes) {
    return Errors(ErrorCode::FileTruncated, "",
                  "has " + std::to_string(input.size()) +
                      " bytes, expected the 8 of the header's length and the header");
  }
  VECC_TRY(const std::string start, input.read(0, kLengthBytes + 1));
  const auto length = load_little_endian<std::uint64_t>(start.data());
  if (length > kMaxSafetensorsHeader || start.back() != '{') {
    if (is_pickle(start)) return refuse_pickle();
    return Errors(ErrorCode::BadWeightFile, "",
                  "is neither safetensors nor .npz nor .npy: it begins with none of their marks");
  }
  if (length > input.size() - kLengthBytes) {
    return Errors(ErrorCode::FileTruncated, "",
                  "has " + std::to_string(input.size() - kLengthBytes) +
                      " bytes behind the header's length, expected a header of " +
                      std::to_string(length));
  }
  return length;
}

/// The digits of the CRC-32 that the file states; none if it states none where vecc writes it.
Result<std::optional<std::string>> read_stated_checksum(const InputFile& input) {
  const std::size_t size = kChecksumMark.size() + kChecksumDigits;
  if (input.size() < kLengthBytes + size) return std::optional<std::string>();
  VECC_TRY(std::string begin, input.read(kLengthBytes, size));
  if (!begin.starts_with(kChecksumMark)) return std::optional<std::string>();
  return std::optional(begin.substr(kChecksumMark.size()));
}

/// Of all bytes, the digits as zeros.
Result<std::uint32_t> compute_checksum(const InputFile& input) {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
  std::uint32_t crc32 = 0;
  for (std::uint64_t at = 0; at < input.size(); at += kBlock) {
    VECC_TRY(std::string block, input.read(at, std::min(kBlock, input.size() - at)));
    // The first block has them all.
    if (at == 0) block.replace(kLengthBytes + kChecksumMark.size(), kChecksumDigits, kNoChecksum);
    crc32 = crc32_of(block, crc32);
  }
  return crc32;
}

/// Whether it states one. Error: WrongChecksum.
Result<bool> check_checksum(const InputFile& input) {
  VECC_TRY(const std::optional<std::string> stated, read_stated_checksum(input));
  if (!stated) return false;
  VECC_TRY(const std::uint32_t found, compute_checksum(input));
  const std::string wrong = compare_checksum(
      found, *stated,
      "copy or write it again (a program that changes it leaves out the metadata " +
          std::string(kChecksumKey) + ")");
  if (!wrong.empty()) return Errors(ErrorCode::WrongChecksum, "", wrong);
  return true;
}

/// It is the file's, not the weights'.
Result<void> take_checksum(std::vector<std::pair<std::string, std::string>>& metadata,
                           bool is_checked) {
  const auto found = std::ranges::find(
      metadata, kChecksumKey, [](const auto& entry) { return std::string_view(entry.first); });
  if (found == metadata.end()) return {};
  metadata.erase(found);
  if (is_checked) return {};
  return Errors(ErrorCode::WrongChecksum, "",
                "states the CRC-32 of another file: another program changed it, and leaves out the "
                "metadata " +
                    std::string(kChecksumKey) + " then");
}

}  // namespace

Result<SafetensorsSource> SafetensorsSource::open(InputFile input, Checksum checksum) {
  // First of all: of a damaged file nothing else is worth a message.
  VECC_TRY(const bool is_checked, check_checksum(input));
  VECC_TRY(const std::uint64_t length, read_header_length(input));
  const std::uint64_t data = kLengthBytes + length;
  VECC_TRY(const std::string json, input.read(kLengthBytes, length));
  VECC_TRY(SafetensorsHeader header, parse_safetensors_header(json, input.size() - data));
  VECC_TRY_VOID(take_checksum(header.metadata, is_checked));
  if (!is_checked && checksum == Checksum::Required) {
    return Errors(
        ErrorCode::WrongChecksum, "",
        "states no CRC-32 of its bytes: another program wrote it, an older vecc, or it is "
        "damaged");
  }
  SafetensorsSource source(std::move(input));
  source.metadata_ = std::move(header.metadata);
  for (HeaderTensor& tensor : header.tensors) {
    source.begin_.push_back(data + tensor.begin);
    source.tensors_.push_back({std::move(tensor.name), tensor.type, std::move(tensor.shape)});
  }
  return source;
}

Result<void> SafetensorsSource::read(std::size_t tensor, const TakeBytes& take) const {
  const std::uint64_t all = byte_count(tensors_[tensor]);
  std::string piece;
  for (std::uint64_t at = 0; at < all; at += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min(kPieceBytes, all - at)));
    const auto got = input_.read(begin_[tensor] + at, piece.data(), piece.size());
    if (!got) return place_.empty() ? got.error() : got.error().in(place_);
    VECC_TRY_VOID(take(piece));
  }
  return {};
}

Result<WeightFile> read_safetensors(InputFile input, Checksum checksum) {
  VECC_TRY(const SafetensorsSource source, SafetensorsSource::open(std::move(input), checksum));
  return read_all(source);
}

}  // namespace vecc::weights
