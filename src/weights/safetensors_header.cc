#include "src/weights/safetensors_header.h"

#include <algorithm>
#include <optional>

#include "src/weights/element_type.h"
#include "src/weights/safetensors_json.h"
#include "vecc/escape.h"

namespace vecc::weights {
namespace {

Result<void> check_extent(const HeaderTensor& tensor) {
  const std::optional<std::uint64_t> needed = checked_bytes(tensor.type, tensor.shape);
  if (tensor.begin <= tensor.end && needed && *needed == tensor.end - tensor.begin) return {};
  return Errors(ErrorCode::BadWeightFile, describe_tensor(tensor.name),
                "has data offsets " + std::to_string(tensor.begin) + " to " +
                    std::to_string(tensor.end) + ", but " + std::string(text_of(tensor.type)) +
                    " " + text_of_shape(tensor.shape) + " takes " +
                    (needed ? std::to_string(*needed) + " bytes" : "more than 2^64 bytes"));
}

/// The tensors as they follow each other in the data.
Result<void> check_coverage(const std::vector<HeaderTensor>& tensors, std::uint64_t data_bytes) {
  std::uint64_t end = 0;
  for (const HeaderTensor& tensor : tensors) {
    if (tensor.begin != end) {
      return Errors(ErrorCode::BadWeightFile, describe_tensor(tensor.name),
                    "begins at byte " + std::to_string(tensor.begin) + " of the data, expected " +
                        std::to_string(end) + ", where the one before ends");
    }
    end = tensor.end;
  }
  if (end == data_bytes) return {};
  const bool truncated = end > data_bytes;
  return Errors(truncated ? ErrorCode::FileTruncated : ErrorCode::BadWeightFile, "",
                "has " + std::to_string(data_bytes) + " bytes of data, expected " +
                    std::to_string(end) + ", where the last tensor ends");
}

}  // namespace

std::string describe_tensor(std::string_view name) {
  return "tensor \"" + escape_terminal(name) + "\"";
}

Result<SafetensorsHeader> parse_safetensors_header(std::string_view json,
                                                   std::uint64_t data_bytes) {
  VECC_TRY(SafetensorsHeader header, parse_safetensors_json(json));
  for (const HeaderTensor& tensor : header.tensors) VECC_TRY_VOID(check_extent(tensor));
  std::stable_sort(header.tensors.begin(), header.tensors.end(),
                   [](const HeaderTensor& a, const HeaderTensor& b) {
                     return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
                   });
  VECC_TRY_VOID(check_coverage(header.tensors, data_bytes));
  return header;
}

}  // namespace vecc::weights
