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

#include "src/plan/lower/expr_nodes.h"
#include "src/plan/lower/lowering.h"

namespace vecc {
namespace {

// So many numbers a row are stored and read again in the time of a launch.
constexpr std::uint64_t kMatrix = 1024;

// Where pieces are stored, and the segments that are several, or none: those become zeros.
struct Apart {
  std::vector<std::uint32_t> places;      // by piece
  std::vector<std::uint32_t> segments;    // that are added up again
  std::vector<std::uint32_t> offsets{0};  // their pieces, behind the rows
};

Apart store_apart(const SegmentPieces& pieces) {
  Apart apart;
  std::uint32_t behind = pieces.rows;
  for (std::uint32_t s = 0; s < pieces.rows; ++s) {
    const std::uint32_t count = members_in(pieces.of_pieces, s);
    if (count == 1) {
      apart.places.push_back(s);
      continue;
    }
    for (std::uint32_t p = 0; p < count; ++p) apart.places.push_back(behind++);
    apart.segments.push_back(s);
    apart.offsets.push_back(behind - pieces.rows);
  }
  return apart;
}

}  // namespace

// Ops that would compute in the kernel that makes a value, row by row.
void Lowering::find_followed() {
  followed_.assign(program_.ops().size(), false);
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    const Op& op = program_.op(id);
    const OpKind kind = op.kind();
    if (sources.value_of(id) != id || (kind != OpKind::Map && kind != OpKind::Transform &&
                                       kind != OpKind::Vjp && kind != OpKind::Linear)) {
      continue;
    }
    const bool by_type =
        kind == OpKind::Linear && std::ranges::any_of(op.operands, [&](ValueId operand) {
          return shares_by_type(op.rows, read_of(operand));
        });
    for (const ValueId operand : op.operands) {
      if (!by_type && !sources[operand].index) followed_[sources[operand].value] = true;
    }
  }
}

bool Lowering::is_stored_apart(ValueId id, const SegmentPieces& pieces,
                               Combination combination) const {
  if (combination != Combination::Sum && combination != Combination::Avg) return false;
  if (id >= program_.ops().size() || places[id].buffer != id || !options_.fuse) return false;
  if (followed_[id] && values[id].shape.size() < kMatrix) return false;
  std::uint32_t cut = 0;
  for (std::uint32_t s = 0; s < pieces.rows; ++s) cut += members_in(pieces.of_pieces, s) > 1;
  return 2 * std::uint64_t{cut} <= pieces.rows;
}

void Lowering::reduce_apart(ValueId id, const Read& members, const Segments& segments,
                            const SegmentPieces& pieces, Combination combination) {
  const Shape shape = values[id].shape;
  Apart apart = store_apart(pieces);
  const std::uint32_t behind = apart.offsets.back();
  const auto count = static_cast<std::uint32_t>(apart.segments.size());
  // Of a mean each segment's share: of its one piece, or of all of them.
  std::vector<double> of_pieces(pieces.pieces, 1.0);
  std::vector<double> of_sums;
  if (combination == Combination::Avg) {
    const auto share = [&](std::uint32_t s) { return 1.0 / std::max(members_in(segments, s), 1u); };
    for (std::uint32_t p = 0; p < pieces.pieces; ++p) {
      if (apart.places[p] < pieces.rows) of_pieces[p] = share(apart.places[p]);
    }
    for (const std::uint32_t s : apart.segments) of_sums.push_back(share(s));
  } else {
    of_pieces.clear();
  }
  const ValueId all = add_temporary(pieces.rows + behind, shape);
  const Read partial = add_partial(pieces.pieces, shape);
  reduce(partial.value, members, pieces.of_members, pieces.pieces, Combination::Sum);
  store_rows(all, partial, std::move(apart.places), std::move(of_pieces));
  values[id].ready = values[all].ready;
  if (count > 0) {
    const Read sum = add_partial(count, shape);
    reduce(sum.value, {all, Index::slice(pieces.rows, behind), shape},
           Segments::ragged(std::move(apart.offsets)), count, Combination::Sum);
    store_rows(id, sum, std::move(apart.segments), std::move(of_sums));
  }
  values[id].alias = all;
  values[id].stored = true;
}

// Rows of `made`, times these numbers if there are any, become those rows of `id`.
void Lowering::store_rows(ValueId id, const Read& made, std::vector<std::uint32_t> rows,
                          std::vector<double> factors) {
  const auto count = static_cast<std::uint32_t>(rows.size());
  std::vector<Read> reads{made};
  if (!factors.empty()) {
    auto numbers = std::make_shared<const std::vector<double>>(std::move(factors));
    const ValueId factor = add_temporary(count, Shape::scalar(), std::move(numbers));
    reads.push_back({factor, std::nullopt, Shape::scalar()});
  }
  const GroupIndex maker = values[made.value].group;
  const bool stays = reads.size() == 1 && maker != kNone && groups[maker].closed;
  const Spot spot =
      stays ? Spot{maker, KernelSpace::Row} : find_spot(count, reads, OpPace::ByEntry);
  KernelGroup& group = groups[spot.group];
  NodeIndex node = read_node(spot, made);
  if (reads.size() > 1) {
    node = add_entry_product(group, spot.space, node, read_node(spot, reads[1]));
  }
  GroupAccess access;
  access.access.map = RowMap::List;
  access.value = id;
  access.list = array_of(std::make_shared<const std::vector<std::uint32_t>>(std::move(rows)));
  group.store(node, access);
  group.frozen = true;
  note_op(group);
  values[id].ready = std::max(values[id].ready, group.level);
  values[id].stored = true;
}

}  // namespace vecc
