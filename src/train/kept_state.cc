#include "src/train/kept_state.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/support/mapped_file.h"

namespace vecc::training {

Result<void> KeptState::reserve(const KeptCopies& place) {
  if (place.bytes == 0) return {};
  VECC_TRY(file_, map_new_file(place.folder, place.bytes));
  folder_ = place.folder;
  file_bytes_ = place.bytes;
  return {};
}

Result<void> KeptState::save(Trainer& trainer) {
  clear();
  VECC_TRY(metadata_, trainer.save_to([this](const TensorHeader& tensor) { return add(tensor); }));
  is_there_ = true;
  return {};
}

Result<void> KeptState::copy(const WeightSource& source) {
  clear();
  for (std::size_t t = 0; t < source.tensors().size(); ++t) {
    VECC_TRY(char* to, add(source.tensors()[t]));
    std::uint64_t left = byte_count(source.tensors()[t]);
    VECC_TRY_VOID(source.read(t, [&](std::string_view bytes) -> Result<void> {
      VECC_CHECK(bytes.size() <= left, "a tensor has the bytes that its shape says");
      left -= bytes.size();
      to = std::ranges::copy(bytes, to).out;
      return {};
    }));
  }
  metadata_ = source.metadata();
  is_there_ = true;
  return {};
}

void KeptState::clear() {
  is_there_ = false;
  used_ = 0;
  begin_.clear();
  held_.clear();
  metadata_.clear();
  tensors_.clear();
}

Result<void> KeptState::read(std::size_t tensor, const TakeBytes& take) const {
  if (folder_.empty()) return take(held_[tensor]);
  const auto* const first = reinterpret_cast<const char*>(file_.get()) + begin_[tensor];
  return take(std::string_view(first, byte_count(tensors_[tensor])));
}

Result<char*> KeptState::add(const TensorHeader& tensor) {
  const std::uint64_t bytes = byte_count(tensor);
  tensors_.push_back(tensor);
  if (folder_.empty()) return held_.emplace_back(bytes, '\0').data();
  VECC_TRY_VOID(grow(used_ + bytes));
  begin_.push_back(used_);
  used_ += bytes;
  return reinterpret_cast<char*>(file_.get()) + begin_.back();
}

Result<void> KeptState::grow(std::uint64_t bytes) {
  if (bytes <= file_bytes_) return {};
  bytes = std::max(bytes, 2 * file_bytes_);
  VECC_TRY(std::shared_ptr<std::byte> larger, map_new_file(folder_, bytes));
  std::memcpy(larger.get(), file_.get(), used_);
  file_ = std::move(larger);
  file_bytes_ = bytes;
  return {};
}

}  // namespace vecc::training
