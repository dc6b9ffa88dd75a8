#include "optimizer/iso/keyed_hash.h"

#include <algorithm>
#include <cstring>

namespace vecc::opt::iso {

KeyedHash Keys::named(HashTag tag, std::string_view name) const {
  KeyedHash result = hash(tag);
  result.add(name.size());
  for (std::size_t at = 0; at < name.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, name.data() + at, std::min(sizeof word, name.size() - at));
    result.add(word);
  }
  return result;
}

Residues Keys::ones(std::uint64_t size) const {
  if (size != ones_size_) {
    ones_ = kZero;
    for (std::uint64_t i = 0; i < size; ++i) ones_ += position(i);
    ones_size_ = size;
  }
  return ones_;
}

}  // namespace vecc::opt::iso
