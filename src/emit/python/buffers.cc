#include "src/emit/python/buffers.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>

#include "src/emit/common/emitted_files.h"
#include "src/weights/element_type.h"

namespace vecc::python {
namespace {

bool fits_32_bits(std::span<const std::uint32_t> rows) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::int32_t>::max();
  return std::all_of(rows.begin(), rows.end(), [](std::uint32_t row) { return row <= kMost; });
}

}  // namespace

Buffer Buffers::add_numbers(std::string name, const SharedNumbers& values, Shape shape) {
  tensors_.push_back(tensor_of_numbers(std::move(name), values, std::move(shape)));
  return {static_cast<BufferId>(tensors_.size() - 1)};
}

Buffer Buffers::add_rows(std::string name, std::span<const std::uint32_t> rows, Shape shape) {
  const bool narrow = fits_32_bits(rows);
  return share({std::move(name), narrow ? ElementType::I32 : ElementType::I64, std::move(shape),
                narrow ? weights::little_endian_bytes<std::int32_t>(rows)
                       : weights::little_endian_bytes<std::int64_t>(rows)});
}

Buffer Buffers::share(WeightTensor tensor) {
  auto& equals = tensors_by_hash_[std::hash<std::string_view>{}(tensor.data)];
  for (const BufferId id : equals) {
    const WeightTensor& other = tensors_[id];
    if (other.type == tensor.type && other.shape == tensor.shape && other.data == tensor.data) {
      return {id};
    }
  }
  equals.push_back(static_cast<BufferId>(tensors_.size()));
  tensors_.push_back(std::move(tensor));
  return {equals.back()};
}

Buffer Buffers::one() {
  if (!one_) one_ = add_numbers("one", SharedNumbers::repeated(1, 1), {1}).id;
  return {*one_};
}

bool Buffers::are_alike(Buffer a, Buffer b) const {
  return tensors_[a.id].type == tensors_[b.id].type && tensors_[a.id].shape == tensors_[b.id].shape;
}

Buffer Buffers::stack(std::span<const BufferId> list) {
  const WeightTensor& first = tensors_[list[0]];
  WeightTensor stacked{
      first.name + "_levels_" + std::to_string(stacks_), first.type, first.shape, {}};
  stacked.shape.insert(stacked.shape.begin(), list.size());
  stacked.data.reserve(list.size() * first.data.size());
  for (const BufferId id : list) stacked.data += tensors_[id].data;
  const Buffer shared = share(std::move(stacked));
  if (shared.id + 1 == tensors_.size()) ++stacks_;
  return shared;
}

std::vector<WeightTensor> Buffers::take(const std::vector<bool>& used) {
  std::vector<WeightTensor> taken;
  for (std::size_t id = 0; id < tensors_.size(); ++id) {
    if (used[id]) taken.push_back(std::move(tensors_[id]));
  }
  return taken;
}

}  // namespace vecc::python
