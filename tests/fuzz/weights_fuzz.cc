// Any bytes as a weight file. Besides as they are, they are read as the header and the data of a
// safetensors file, and as the one array of an archive, stored and deflated, with the right sizes
// and checksum. What is read is written and read again: the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/support/weight_bytes.h"
#include "vecc/weights.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const vecc::WeightFile& file) {
  for (const vecc::WeightTensor& tensor : file.tensors) {
    require(tensor.data.size() % vecc::size_of(tensor.type) == 0);
    require(vecc::values_of(tensor).size() == tensor.element_count());
    std::uint64_t elements = 1;
    for (const std::uint64_t dimension : tensor.shape) elements *= dimension;
    require(elements == tensor.element_count());
  }
  const auto bytes = vecc::safetensors_bytes(file);
  if (!bytes) {
    // An archive may have a tensor of this name.
    require(bytes.error().list().front().code == vecc::ErrorCode::UnreadWeights);
    return;
  }
  const auto again = vecc::read_weights_bytes(*bytes, "written");
  require(again.has_value());
  require(again->metadata == file.metadata);
  require(again->tensors.size() == file.tensors.size());
  require(*vecc::safetensors_bytes(*again) == *bytes);
}

void read(std::string_view bytes) {
  const vecc::WeightLimits limits{1 << 22};
  const vecc::Result<vecc::WeightFile> file = vecc::read_weights_bytes(bytes, "fuzz", limits);
  if (file) {
    check(*file);
  } else {
    require(!file.error().list().empty());
    (void)file.error().text();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vecc::test;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  read(safetensors_file(bytes.substr(0, end), bytes.substr(std::min(end + 1, bytes.size()))));
  read(zip_file({zip_part("w.npy", bytes), zip_part("v.npy", bytes, /*deflate=*/true)}));
  return 0;
}
