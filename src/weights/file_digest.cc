#include "src/weights/file_digest.h"

#include <algorithm>
#include <vector>

#include "src/support/hash128.h"

namespace vecc::weights {

std::string digest_of(const WeightFile& file, std::string_view own) {
  Hash128 hash;
  for (const auto& [key, value] : file.metadata) {
    if (key == own) continue;
    hash.add(std::string_view(key));
    hash.add(std::string_view(value));
  }
  std::vector<const WeightTensor*> tensors;
  for (const WeightTensor& tensor : file.tensors) tensors.push_back(&tensor);
  std::ranges::sort(tensors, {},
                    [](const WeightTensor* t) -> const std::string& { return t->name; });
  for (const WeightTensor* tensor : tensors) {
    hash.add(std::string_view(tensor->name));
    hash.add(text_of(tensor->type));
    for (const std::uint64_t extent : tensor->shape) hash.add(extent);
    hash.add(std::string_view(tensor->data));
  }
  return hexadecimal_text(hash.high(), hash.low());
}

const std::string* find_entry(const WeightFile& file, std::string_view key) {
  const auto found = std::ranges::find(file.metadata, key, &MetadataEntry::first);
  return found == file.metadata.end() ? nullptr : &found->second;
}

}  // namespace vecc::weights
