#include "src/plan/group/index_arrays.h"

#include "src/support/hash128.h"

namespace vecc {

ArrayIndex IndexArrays::add(Array array) {
  const auto [found, is_new] =
      numbers_.try_emplace(array.get(), static_cast<ArrayIndex>(arrays_.size()));
  if (!is_new) return found->second;
  Hash128 hash;
  for (const std::uint32_t entry : *array) hash.add(std::uint64_t{entry});
  const auto [begin, end] = hashes_.equal_range(hash.low());
  for (auto same = begin; same != end; ++same) {
    if (*arrays_[same->second] != *array) continue;
    found->second = same->second;
    equal_.push_back(std::move(array));
    return found->second;
  }
  hashes_.emplace(hash.low(), found->second);
  arrays_.push_back(std::move(array));
  return found->second;
}

ArrayIndex IndexArrays::add(const Index& index) {
  if (index.form() == Index::Form::List) return add(index.shared_array());
  const auto [found, is_new] = regular_.try_emplace(
      std::tuple(index.form(), index.begin(), index.step(), index.size()), kNone);
  if (is_new) {
    found->second = add(std::make_shared<const std::vector<std::uint32_t>>(index.materialize()));
  }
  return found->second;
}

}  // namespace vecc
