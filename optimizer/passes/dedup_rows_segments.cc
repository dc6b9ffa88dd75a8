#include "optimizer/passes/dedup_rows_segments.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "optimizer/rewrite/readers.h"
#include "optimizer/rewrite/rewriter.h"
#include "optimizer/rewrite/row_classes.h"
#include "src/program/members.h"

namespace vecc::opt {
namespace {

// A value cut into segments, and which of them each wanted segment is.
struct Cut {
  Segments segments;
  std::vector<std::uint32_t> place;
};

// The rows that each wanted segment reads, one segment after another.
struct Wanted {
  std::vector<std::uint32_t> rows;
  std::vector<std::size_t> begin{0};  // by segment, and the end

  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t s) const {
    return std::span(rows).subspan(begin[s], begin[s + 1] - begin[s]);
  }
};

// In their order, or ascending where the order does not matter.
Wanted wanted_segments(const SegmentOp& op, const Index& rows, bool order_free) {
  Wanted wanted;
  wanted.rows.reserve(rows.size());
  for (std::uint32_t s = 0; s < op.segments.count(rows.size()); ++s) {
    for_each_member(op.segments, rows.size(), s,
                    [&](std::uint32_t member) { wanted.rows.push_back(rows[member]); });
    const auto first = wanted.rows.begin() + static_cast<std::ptrdiff_t>(wanted.begin.back());
    if (order_free) std::sort(first, wanted.rows.end());
    wanted.begin.push_back(wanted.rows.size());
  }
  return wanted;
}

// Whether the rows of every wanted segment are `step` apart, ascending.
bool are_spaced(const Wanted& wanted, std::uint32_t step) {
  for (std::size_t s = 0; s < wanted.size(); ++s) {
    const auto rows = wanted[s];
    const auto gap = std::ranges::adjacent_find(
        rows, [&](std::uint32_t a, std::uint32_t b) { return b != a + step; });
    if (gap != rows.end()) return false;
  }
  return true;
}

// The cut over dimension 1: of every row once, so that each is the first of one segment or none.
std::optional<Cut> cut_dimension_1(const Segments& segments, const Wanted& wanted,
                                   std::uint32_t rows) {
  const std::uint32_t count = rows / segments.members();
  if (!are_spaced(wanted, count)) return std::nullopt;
  Cut cut{segments, {}};
  for (std::size_t s = 0; s < wanted.size(); ++s) cut.place.push_back(wanted[s][0]);
  return cut;
}

// The cut into runs. An empty segment stands at the end.
std::optional<Cut> cut_runs(const Wanted& wanted, std::uint32_t rows) {
  if (!are_spaced(wanted, 1)) return std::nullopt;
  std::vector<std::uint32_t> length_at(rows);
  for (std::size_t s = 0; s < wanted.size(); ++s) {
    const auto length = static_cast<std::uint32_t>(wanted[s].size());
    if (length > 0) length_at[wanted[s][0]] = length;
  }
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> number_at(rows);
  for (std::uint32_t row = 0; row < rows; row += length_at[row]) {
    number_at[row] = static_cast<std::uint32_t>(lengths.size());
    lengths.push_back(length_at[row]);
  }
  Cut cut;
  const auto empty = static_cast<std::uint32_t>(lengths.size());
  for (std::size_t s = 0; s < wanted.size(); ++s) {
    cut.place.push_back(wanted[s].empty() ? empty : number_at[wanted[s][0]]);
  }
  if (std::ranges::find(cut.place, empty) != cut.place.end()) lengths.push_back(0);
  cut.segments = segments_of_lengths(lengths);
  return cut;
}

// Whether every row below `rows` occurs once.
bool is_permutation(const Index& index, std::uint32_t rows) {
  if (index.size() != rows) return false;
  std::vector<bool> seen(rows);
  for (std::uint32_t i = 0; i < rows; ++i) seen[index[i]] = true;
  return std::ranges::find(seen, false) == seen.end();
}

class Orderer {
 public:
  explicit Orderer(const Program& program)
      : program_(program), doubtful_(program), cuts_(program.ops().size()) {
    const Readers readers(program);
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      const auto* segment = std::get_if<SegmentOp>(&program.op(id).attributes);
      if (segment == nullptr || keeps_members(segment->combination)) continue;
      const ValueId operand = program.op(id).operands[0];
      const bool is_gather = program.op(operand).kind() == OpKind::Gather;
      if (is_gather && readers.only(operand) == id) cuts_[id] = cut(*segment, id, operand);
      if (cuts_[id]) ++count_;
    }
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }

  [[nodiscard]] Program run() const {
    Rewriter rewriter(program_);
    std::vector<bool> moved(program_.ops().size());
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const Op& op = program_.op(id);
      const auto* gather = std::get_if<GatherOp>(&op.attributes);
      if (cuts_[id]) {
        const SegmentOp cut{cuts_[id]->segments, std::get<SegmentOp>(op.attributes).combination};
        const ValueId linear = read_through(program_, op.operands[0]).source;
        const ValueId now = rewriter.add(cut, {rewriter.at(linear)}, id);
        rewriter.replace(id, rewriter.gather(now, Index::compact(cuts_[id]->place), op.note));
        moved[id] = true;
      } else if (gather != nullptr && moved[op.operands[0]]) {
        const ValueId from = rewriter.at(op.operands[0]);
        rewriter.replace(id, rewriter.gather(from, gather->index, op.note));
      } else {
        rewriter.copy(id);
      }
    }
    return rewriter.finish();
  }

 private:
  [[nodiscard]] std::optional<Cut> cut(const SegmentOp& segment, ValueId id, ValueId gather) {
    const GatheredRows read = read_through(program_, gather);
    const Op& linear = program_.op(read.source);
    if (linear.kind() != OpKind::Linear || linear.rows == 0) return std::nullopt;
    if (!is_permutation(read.rows, linear.rows)) return std::nullopt;
    const bool order_free = is_order_free(program_, id, doubtful_);
    const Wanted wanted = wanted_segments(segment, read.rows, order_free);
    if (segment.segments.is_fixed() && segment.segments.dimension() == 1) {
      return cut_dimension_1(segment.segments, wanted, linear.rows);
    }
    return cut_runs(wanted, linear.rows);
  }

  const Program& program_;
  DoubtfulValues doubtful_;
  std::vector<std::optional<Cut>> cuts_;  // by value
  std::uint64_t count_ = 0;
};

}  // namespace

std::uint64_t segment_linears_in_order(Program& program) {
  const Orderer orderer(program);
  if (orderer.count() > 0) program = orderer.run();
  return orderer.count();
}

}  // namespace vecc::opt
