// dedup-linear-pairs: rows of a linear that multiply the same two rows are computed once.
//
//   %3 = gather %0 [0, 0, 0] ; %4 = gather %1 [7, 7, 2]
//   %5 = linear %3, %4 : f32[3, 3x1] ; %6 = transform %5 tanh
//   =>
//   %3 = gather %0 [0, 0] ; %4 = gather %1 [2, 7]
//   %5 = linear %3, %4 : f32[2, 3x1] ; %6 = gather %5 [1, 1, 0] ; %7 = transform %6 tanh
//
// The same row: one row of one op, through whatever gathers and concats it is read (source_rows.h);
// rows of a linear that this pass made one are the same row for the linears after it. The rows that
// are left are sorted by (left, right), so that the rows of one weight stand together. A linear
// without a repeated pair stays as it is, and so does one with lifts: they are chosen by pairs that
// are already distinct.
//
// Acts on the members of a segment too, which iso-compress (it compares the results of whole
// layers) leaves alone.
#include <span>
#include <utility>
#include <vector>

#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/equal_rows.h"
#include "optimizer/rewrite/row_map.h"
#include "optimizer/rewrite/row_pairs.h"
#include "optimizer/rewrite/source_rows.h"
#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

// Keeps the first row of each pair, in the order of the pairs; the identity if no pair repeats.
RowMap distinct_pairs(std::span<const std::uint32_t> left, std::span<const std::uint32_t> right) {
  const auto rows = static_cast<std::uint32_t>(left.size());
  if (is_ascending(left, rows) || is_ascending(right, rows)) return {};  // no need to sort
  const std::vector<std::uint32_t> order = order_of_pairs(left, right);
  // Where another pair begins.
  const std::vector<std::uint32_t> first = entries_where(rows, [&](std::uint32_t i) {
    return i == 0 || left[order[i - 1]] != left[order[i]] || right[order[i - 1]] != right[order[i]];
  });
  const auto pairs = static_cast<std::uint32_t>(first.size());
  if (pairs == rows) return {};
  RowMap map;
  map.identity = false;
  map.kept = list_of(pairs, [&](std::uint32_t k) { return order[first[k]]; });
  map.place = unset_list<std::uint32_t>(rows);
  ListThreads::for_ranges(pairs, [&](std::size_t begin, std::size_t end) {
    for (auto k = static_cast<std::uint32_t>(begin); k < end; ++k) {
      const std::uint32_t last = k + 1 == pairs ? rows : first[k + 1];
      for (std::uint32_t i = first[k]; i < last; ++i) map.place[order[i]] = k;
    }
  });
  return map;
}

class PairDeduplicator {
 public:
  explicit PairDeduplicator(const Program& program)
      : program_(program),
        sources_(program),
        same_(list_of(sources_.size(), [](std::uint32_t number) { return number; })),
        maps_(program.ops().size()) {}

  // The number of products that are left out.
  std::uint64_t run() {
    std::uint64_t repeated = 0;
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const Op& op = program_.op(id);
      const auto* linear = std::get_if<LinearOp>(&op.attributes);
      if (linear == nullptr || has_lifts(*linear)) continue;
      if (op.rows < 2) continue;
      maps_.set_unless_identity(id,
                                distinct_pairs(numbers(op.operands[0]), numbers(op.operands[1])));
      if (maps_[id].identity) continue;
      repeated += op.rows - maps_[id].kept.size();
      merge_numbers(id);
    }
    return repeated;
  }

  [[nodiscard]] const RowMaps& maps() const { return maps_; }

 private:
  [[nodiscard]] std::vector<std::uint32_t> numbers(ValueId value) const {
    const SourceRows::View rows = sources_.of(value);
    return list_of(program_.op(value).rows, [&](std::uint32_t i) { return same_[rows[i]]; });
  }

  void merge_numbers(ValueId id) {
    const SourceRows::View rows = sources_.of(id);
    const RowMap& map = maps_[id];
    ListThreads::for_ranges(map.place.size(), [&](std::size_t begin, std::size_t end) {
      for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
        same_[rows[i]] = rows[map.kept[map.place[i]]];
      }
    });
  }

  const Program& program_;
  SourceRows sources_;
  std::vector<std::uint32_t> same_;  // by number: that of the row that stands for it
  RowMaps maps_;
};

}  // namespace

bool dedup_linear_pairs(Program& program, PassContext& context) {
  if (!SourceRows::fits(program)) return false;
  PairDeduplicator deduplicator(program);
  const std::uint64_t repeated = deduplicator.run();
  context.count("products left out", repeated);
  if (repeated == 0) return false;
  program = rebuild_rows(program, deduplicator.maps());
  return true;
}

}  // namespace vecc::opt
