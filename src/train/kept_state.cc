#include "src/train/kept_state.h"

#include <cstring>
#include <numeric>
#include <utility>

#include "src/support/mapped_file.h"

namespace vecc::training {

Result<void> KeptState::reserve(const KeptCopies& place) {
  if (place.bytes == 0) return {};
  VECC_TRY(memory_, map_new_file(place.folder, place.bytes));
  folder_ = place.folder;
  bytes_ = place.bytes;
  return {};
}

Result<void> KeptState::keep(WeightFile state) {
  state_ = std::move(state);
  is_there_ = true;
  if (folder_.empty()) return {};
  sizes_.clear();
  for (const WeightTensor& tensor : state_.tensors) sizes_.push_back(tensor.data.size());
  const std::uint64_t bytes = std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0});
  if (bytes > bytes_) {
    VECC_TRY(memory_, map_new_file(folder_, bytes));
    bytes_ = bytes;
  }
  std::byte* to = memory_.get();
  for (WeightTensor& tensor : state_.tensors) {
    const std::string data = std::exchange(tensor.data, {});
    if (!data.empty()) std::memcpy(to, data.data(), data.size());
    to += data.size();
  }
  return {};
}

WeightFile KeptState::take() {
  is_there_ = false;
  if (folder_.empty()) return std::move(state_);
  const auto* from = reinterpret_cast<const char*>(memory_.get());
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    state_.tensors[i].data.assign(from, sizes_[i]);
    from += sizes_[i];
  }
  return std::move(state_);
}

}  // namespace vecc::training
