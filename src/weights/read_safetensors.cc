#include "src/weights/element_type.h"
#include "src/weights/pickle.h"
#include "src/weights/safetensors.h"
#include "src/weights/safetensors_header.h"

namespace vecc {
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

}  // namespace

Result<WeightFile> read_safetensors(const InputFile& input) {
  VECC_TRY(const std::uint64_t length, read_header_length(input));
  const std::uint64_t data = kLengthBytes + length;
  VECC_TRY(const std::string json, input.read(kLengthBytes, length));
  VECC_TRY(SafetensorsHeader header, parse_safetensors_header(json, input.size() - data));
  WeightFile result;
  result.metadata = std::move(header.metadata);
  result.tensors.reserve(header.tensors.size());
  for (HeaderTensor& tensor : header.tensors) {
    VECC_TRY(std::string bytes, input.read(data + tensor.begin, tensor.end - tensor.begin));
    result.tensors.push_back(
        {std::move(tensor.name), tensor.type, std::move(tensor.shape), std::move(bytes)});
  }
  return result;
}

}  // namespace vecc
