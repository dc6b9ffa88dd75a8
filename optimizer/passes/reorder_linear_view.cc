#include "optimizer/passes/reorder_linear_view.h"

#include <algorithm>
#include <atomic>

#include "optimizer/passes/reorder_linear_work.h"
#include "optimizer/rewrite/equal_rows.h"
#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/unset_array.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

constexpr ValueId kUnread = kNoValue - 1;
// A table by row is not made for a read of less than one in so many rows.
constexpr std::uint32_t kFewOfMany = 16;

}  // namespace

Factor Factor::at(const Index& at) const {
  Factor result = *this;
  result.rows = compose(rows, at);
  return result;
}

ProductView::ProductView(const Program& program, bool fuses_maps)
    : program_(program),
      fuses_maps_(fuses_maps),
      sources_(program),
      constant_(find_constants(program)),
      reader_(program.ops().size()) {
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const OpKind kind = program.op(id).kind();
    if (kind == OpKind::Linear || kind == OpKind::Segment) {
      reader_[id].assign(program.op(id).rows, kUnread);
    }
    if (kind == OpKind::Gather) continue;  // its readers read its source
    for (const ValueId operand : program.op(id).operands) note_reader(operand, id);
  }
}

void ProductView::note_reader(ValueId value, ValueId reader) {
  const GatheredRows read = read_through(program_, value);
  std::vector<ValueId>& readers = reader_[read.source];
  if (readers.empty()) return;
  with_rows(read.rows, [&](auto row_at) {
    ListThreads::for_ranges(read.rows.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        // Threads that meet at a row write the same.
        const std::atomic_ref only(readers[row_at(static_cast<std::uint32_t>(i))]);
        const ValueId was = only.load(std::memory_order_relaxed);
        const ValueId now = was == kUnread || was == reader ? reader : kNoValue;
        if (now != was) only.store(now, std::memory_order_relaxed);
      }
    });
  });
}

std::uint64_t ProductView::rows_only_read_by(ValueId source, ValueId reader) const {
  return static_cast<std::uint64_t>(std::ranges::count(reader_[source], reader));
}

std::vector<std::uint8_t> ProductView::with_own_member(ValueId segment) const {
  const ValueId operand = program_.op(segment).operands[0];
  const Segments& segments = std::get<SegmentOp>(program_.op(segment).attributes).segments;
  const GatheredRows members = read_through(program_, operand);
  const SourceRows::View numbers = sources_.of(members.source);
  const std::uint32_t first = first_number(members.source);
  std::vector<std::uint8_t> result(program_.op(segment).rows);
  if (number_bound(members.source) / kFewOfMany > members.rows.size()) return result;
  std::vector<std::uint8_t> occurs(number_bound(members.source));  // 2 for more
  ListThreads::for_ranges(members.rows.size(), [&](std::size_t begin, std::size_t end) {
    for (auto m = static_cast<std::uint32_t>(begin); m < end; ++m) {
      const std::atomic_ref times(occurs[numbers[members.rows[m]] - first]);
      std::uint8_t was = times.load(std::memory_order_relaxed);
      while (was < 2 && !times.compare_exchange_weak(was, static_cast<std::uint8_t>(was + 1),
                                                     std::memory_order_relaxed)) {
      }
    }
  });
  ListThreads::for_ranges(result.size(), [&](std::size_t begin, std::size_t end) {
    for (auto s = static_cast<std::uint32_t>(begin); s < end; ++s) {
      for_each_member(segments, members.rows.size(), s, [&](std::uint32_t m) {
        if (occurs[numbers[members.rows[m]] - first] == 1) result[s] = 1;
      });
    }
  });
  return result;
}

Factor ProductView::factor(ValueId linear, std::size_t side) const {
  const Op& op = program_.op(linear);
  const auto& attributes = std::get<LinearOp>(op.attributes);
  GatheredRows read = read_through(program_, op.operands[side]);
  const bool transposed = side == 0 ? attributes.transpose_left : attributes.transpose_right;
  const Shape shape = program_.op(read.source).shape;
  return {read.source, std::move(read.rows), transposed, transposed ? shape.transposed() : shape};
}

std::vector<std::uint32_t> PairRows::number_all(const PairSide& left, const PairSide& right) {
  const std::vector<std::uint32_t> number = EqualRows::find_pairs(
      left.rows.size(), [&](std::uint32_t i) { return left.numbers[left.rows[i]]; },
      [&](std::uint32_t i) { return right.numbers[right.rows[i]]; });
  const auto count = static_cast<std::uint32_t>(number.size());
  const std::vector<std::uint32_t> firsts =
      entries_where(count, [&](std::uint32_t i) { return number[i] == i; });
  const auto pairs = static_cast<std::uint32_t>(firsts.size());
  left_ = list_of(pairs, [&](std::uint32_t pair) { return left.rows[firsts[pair]]; });
  right_ = list_of(pairs, [&](std::uint32_t pair) { return right.rows[firsts[pair]]; });
  UnsetArray<std::uint32_t> of_first(count);  // by row that is the first of its pair
  ListThreads::for_ranges(pairs, [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) of_first[firsts[begin]] = static_cast<std::uint32_t>(begin);
  });
  return list_of(count, [&](std::uint32_t i) { return of_first[number[i]]; });
}

}  // namespace vecc::opt
