#include "src/plan/group/grouping.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "src/support/hash128.h"
#include "src/support/list_threads.h"

namespace vecc {
namespace {

constexpr std::size_t kOpenGroups = 256;

using Array = std::vector<std::uint32_t>;

// By pieces, which threads share.
std::uint64_t hash_of(const Array& array) {
  constexpr std::size_t kPiece = 1 << 16;
  std::atomic<std::uint64_t> sum{array.size()};
  ListThreads::for_pieces((array.size() + kPiece - 1) / kPiece, [&](std::size_t piece) {
    const std::size_t end = std::min(array.size(), (piece + 1) * kPiece);
    Hash128 hash;
    hash.add(std::uint64_t{piece});
    for (std::size_t i = piece * kPiece; i < end; ++i) hash.add(std::uint64_t{array[i]});
    sum.fetch_add(hash.low(), std::memory_order_relaxed);
  });
  return sum.load(std::memory_order_relaxed);
}

bool are_equal(const Array& a, const Array& b) {
  return a.size() == b.size() &&
         holds_for_ranges(a.size(), [&](std::size_t begin, std::size_t end) {
           return std::equal(a.data() + begin, a.data() + end, b.data() + begin);
         });
}

}  // namespace

GroupIndex KernelGroups::add(DType dtype, std::uint32_t rows, std::uint32_t stage,
                             std::uint32_t level) {
  groups_.emplace_back(dtype, rows, stage).level = level;
  return static_cast<GroupIndex>(size() - 1);
}

void KernelGroups::note_op(GroupIndex g, ValueId op) {
  KernelGroup& group = (*this)[g];
  group.note_op(op);
  if (std::exchange(group.is_recent, true)) return;
  open_.push_back(&group);
  if (open_.size() <= kOpenGroups) return;
  open_.front()->is_recent = false;
  open_.front()->seal(kernels_);
  open_.pop_front();
}

void KernelGroups::release(GroupIndex g) {
  (*this)[g] = KernelGroup();
  for (; !groups_.empty() && groups_.front().is_empty(); ++first_) groups_.pop_front();
}

ArrayIndex IndexArrays::add(Array array) {
  const auto [found, is_new] =
      numbers_.try_emplace(array.get(), static_cast<ArrayIndex>(arrays_.size()));
  if (!is_new) return found->second;
  const std::uint64_t hash = hash_of(*array);
  const auto [begin, end] = hashes_.equal_range(hash);
  for (auto same = begin; same != end; ++same) {
    if (!are_equal(*arrays_[same->second], *array)) continue;
    found->second = same->second;
    equal_.push_back(std::move(array));
    return found->second;
  }
  hashes_.emplace(hash, found->second);
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

ArrayIndex IndexArrays::add_filled(Array array) {
  const auto number = static_cast<ArrayIndex>(arrays_.size());
  numbers_.emplace(array.get(), number);
  filled_.emplace(array.get(), number);
  arrays_.push_back(std::move(array));
  return number;
}

bool IndexArrays::are_entries(ArrayIndex array, const Index& index) const {
  const Array& entries = arrays_[array];
  if (index.form() != Index::Form::List) {
    const auto found =
        regular_.find(std::tuple(index.form(), index.begin(), index.step(), index.size()));
    return found != regular_.end() && found->second == array;
  }
  if (entries.get() == index.shared_array().get()) return true;
  return !is_filled(entries.get()) && !is_filled(index.shared_array().get()) &&
         are_equal(*entries, *index.shared_array());
}

std::uint32_t Grouping::level_of(ValueId value) const {
  const ValueState& state = values[value];
  return state.group != kNone ? groups[state.group].level : state.level;
}

void Grouping::freeze(ValueId value) {
  for (; value != kNone; value = values[value].alias) {
    if (values[value].group != kNone) groups[values[value].group].frozen = true;
  }
}

}  // namespace vecc
