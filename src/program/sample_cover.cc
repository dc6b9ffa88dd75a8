#include "src/program/sample_cover.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <queue>

namespace vecc {
namespace {

// One index in ascending order: a progression first, first+step, ..., or a sorted list.
struct Cursor {
  std::uint32_t next = 0;
  std::uint32_t step = 1;
  std::uint32_t left = 0;  // values from `next` on
  std::shared_ptr<std::vector<std::uint32_t>> sorted;

  [[nodiscard]] bool operator>(const Cursor& other) const { return next > other.next; }
  // Values from `next` on that follow one another without a gap.
  [[nodiscard]] std::uint32_t run() const { return !sorted && step == 1 ? left : 1; }
  void advance(std::uint32_t count) {
    left -= count;
    if (left == 0) return;
    next = sorted ? (*sorted)[sorted->size() - left] : next + step * count;
  }
};

Cursor cursor_of(const Index& index) {
  switch (index.form()) {
    case Index::Form::Slice: return {index.begin(), 1, index.size(), nullptr};
    case Index::Form::Stride: return {index.begin(), index.step(), index.size(), nullptr};
    case Index::Form::Repeat:
    case Index::Form::Interleave:  // both name 0 .. bound-1
      return {0, 1, index.bound(), nullptr};
    case Index::Form::List: break;
  }
  auto sorted = std::make_shared<std::vector<std::uint32_t>>(index.materialize());
  std::ranges::sort(*sorted);
  const std::uint32_t first = sorted->empty() ? 0 : sorted->front();
  return {first, 0, index.size(), std::move(sorted)};
}

}  // namespace

std::optional<SampleFault> find_sample_fault(const std::vector<Index>& indices,
                                             std::uint32_t count) {
  std::priority_queue<Cursor, std::vector<Cursor>, std::greater<>> cursors;
  for (const Index& index : indices) {
    if (index.size() == 0) continue;
    const bool is_regular =
        index.form() == Index::Form::Repeat || index.form() == Index::Form::Interleave;
    if (is_regular && index.size() != index.bound()) return SampleFault{0, false};
    cursors.push(cursor_of(index));
  }
  std::uint32_t expected = 0;
  while (!cursors.empty()) {
    Cursor cursor = cursors.top();
    cursors.pop();
    if (cursor.next < expected || cursor.next >= count) return SampleFault{cursor.next, false};
    if (cursor.next > expected) return SampleFault{expected, true};
    std::uint32_t taken = std::min(cursor.run(), count - expected);
    if (!cursors.empty()) {
      // At least the one value at `expected`, then up to where the next index has a say.
      taken = std::min(taken, std::max(cursors.top().next - expected, 1u));
    }
    expected += taken;
    cursor.advance(taken);
    if (cursor.left > 0) cursors.push(std::move(cursor));
  }
  if (expected < count) return SampleFault{expected, true};
  return std::nullopt;
}

}  // namespace vecc
