// Sums over segments of which a few are long: the pieces of these are stored behind the rows of the
// others, which are through with their one piece. Only what was cut is added up again.
//
//   segments of 2, 5 and 3 members, in pieces of 3:   rows 0 1 2 | 3 4
//   the pieces' kernel stores                              a   d | b c
//   then                                                  b + c goes to row 1
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "src/plan/lower/lower_ops.h"
#include "src/program/members.h"

namespace vecc {
namespace {

// So many numbers a row are stored and read again in the time of a launch.
constexpr std::uint64_t kMatrix = 1024;

// Where pieces are stored, and the segments that are several, or none: those become zeros.
struct PiecePlaces {
  std::vector<std::uint32_t> rows;        // by piece
  std::vector<std::uint32_t> segments;    // that are added up again
  std::vector<std::uint32_t> offsets{0};  // their pieces, behind the rows
};

PiecePlaces place_pieces(const SegmentPieces& pieces) {
  PiecePlaces made;
  std::uint32_t behind = pieces.rows;
  for (std::uint32_t s = 0; s < pieces.rows; ++s) {
    const std::uint32_t count = member_count(pieces.of_pieces, s);
    if (count == 1) {
      made.rows.push_back(s);
      continue;
    }
    for (std::uint32_t p = 0; p < count; ++p) made.rows.push_back(behind++);
    made.segments.push_back(s);
    made.offsets.push_back(behind - pieces.rows);
  }
  return made;
}

// Rows of `made`, times these numbers if there are any, become those rows of `id`.
void scatter_rows(const OpLowering& lowering, ValueId id, const RowRead& made,
                  std::vector<std::uint32_t> rows, std::vector<double> factors) {
  const auto count = static_cast<std::uint32_t>(rows.size());
  std::vector<RowRead> reads{made};
  if (!factors.empty()) {
    reads.push_back(
        lowering.add_temporary(count, Shape::scalar(), SharedNumbers::of(std::move(factors))));
  }
  const GroupIndex maker = lowering.grouping.values[made.value].group;
  const bool stays = reads.size() == 1 && maker != kNone && lowering.grouping.groups[maker].closed;
  const KernelBuilder kernel = stays ? lowering.builder(maker, KernelSpace::Row)
                                     : lowering.begin_rows(count, reads, EntryLoop::Any);
  NodeIndex node = kernel.read(made);
  if (reads.size() > 1) node = kernel.entry_product(node, kernel.read(reads[1]));
  auto list = std::make_shared<const std::vector<std::uint32_t>>(std::move(rows));
  kernel.store_rows(id, node, 0, lowering.grouping.arrays.add(std::move(list)));
}

}  // namespace

bool adds_few_pieces(const OpLowering& lowering, ValueId id, const SegmentPieces& pieces,
                     Combination combination) {
  if (combination != Combination::Sum && combination != Combination::Avg) return false;
  const ValueTable& values = lowering.grouping.values;
  if (id >= lowering.program.ops().size() || values.place(id).buffer != id ||
      !lowering.options.fuse) {
    return false;
  }
  if (lowering.analysis.has_row_reader[id] && values[id].shape.size() < kMatrix) return false;
  std::uint32_t cut = 0;
  for (std::uint32_t s = 0; s < pieces.rows; ++s) cut += member_count(pieces.of_pieces, s) > 1;
  return 2 * std::uint64_t{cut} <= pieces.rows;
}

void reduce_few_pieces(const OpLowering& lowering, ValueId id, const RowRead& members,
                       const Segments& segments, const SegmentPieces& pieces,
                       Combination combination) {
  const Shape shape = lowering.shape_of(id);
  PiecePlaces places = place_pieces(pieces);
  const std::uint32_t behind = places.offsets.back();
  const auto count = static_cast<std::uint32_t>(places.segments.size());
  // Of a mean each segment's share: of its one piece, or of all of them.
  std::vector<double> of_pieces;
  std::vector<double> of_sums;
  if (combination == Combination::Avg) {
    const auto share = [&](std::uint32_t s) {
      return 1.0 / std::max(member_count(segments, s), 1u);
    };
    for (const std::uint32_t row : places.rows) {
      of_pieces.push_back(row < pieces.rows ? share(row) : 1.0);
    }
    for (const std::uint32_t s : places.segments) of_sums.push_back(share(s));
  }
  const RowRead all = lowering.add_temporary(pieces.rows + behind, shape);
  const RowRead partial = lowering.add_temporary(pieces.pieces, shape);
  reduce_members(lowering, partial.value, members, pieces.of_members, pieces.pieces,
                 Combination::Sum, MemberKind::Pieces);
  scatter_rows(lowering, all.value, partial, std::move(places.rows), std::move(of_pieces));
  ValueTable& values = lowering.grouping.values;
  values.set_alias(id, all.value, values[all.value].level);
  values.mark_stored(id);
  if (count == 0) return;
  const RowRead sum = lowering.add_temporary(count, shape);
  reduce_members(lowering, sum.value, {{all.value, Index::slice(pieces.rows, behind)}, shape},
                 Segments::ragged(std::move(places.offsets)), count, Combination::Sum);
  scatter_rows(lowering, id, sum, std::move(places.segments), std::move(of_sums));
}

}  // namespace vecc
