#include "vecc/weight_source.h"

#include <algorithm>
#include <utility>

namespace vecc {

std::uint64_t element_count(const TensorHeader& tensor) {
  std::uint64_t count = 1;
  for (const std::uint64_t dimension : tensor.shape) count *= dimension;
  return count;
}

std::uint64_t byte_count(const TensorHeader& tensor) {
  return element_count(tensor) * size_of(tensor.type);
}

WeightFileSource::WeightFileSource(const WeightFile& file) : file_(file) {
  tensors_.reserve(file.tensors.size());
  for (const WeightTensor& tensor : file.tensors) {
    tensors_.push_back({tensor.name, tensor.type, tensor.shape});
  }
}

Result<WeightFile> read_all(const WeightSource& source) {
  WeightFile file{source.metadata(), {}};
  for (std::size_t t = 0; t < source.tensors().size(); ++t) {
    const TensorHeader& header = source.tensors()[t];
    WeightTensor tensor{header.name, header.type, header.shape, {}};
    tensor.data.reserve(byte_count(header));
    VECC_TRY_VOID(source.read(t, [&](std::string_view bytes) -> Result<void> {
      tensor.data += bytes;
      return {};
    }));
    file.tensors.push_back(std::move(tensor));
  }
  return file;
}

Result<std::vector<MetadataEntry>> place_all(WeightFile file, const PlaceTensor& place) {
  for (WeightTensor& tensor : file.tensors) {
    VECC_TRY(char* const to, place({tensor.name, tensor.type, tensor.shape}));
    const std::string bytes = std::exchange(tensor.data, {});
    std::ranges::copy(bytes, to);
  }
  return std::move(file.metadata);
}

}  // namespace vecc
