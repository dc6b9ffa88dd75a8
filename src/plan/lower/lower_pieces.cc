// Over the members of long segments: over pieces of them, then over what the pieces make.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "src/kernel/warp_tiles.h"
#include "src/plan/lower/expr_nodes.h"
#include "src/plan/lower/lowering.h"

namespace vecc {
namespace {

constexpr std::uint64_t kWideEntries = 32;
constexpr std::uint64_t kMatrixEntries = 1024;  // whose partial sums would fill the memory

// Members of a row of so many numbers that a GPU's block of threads takes in about the time of some
// launches: each of its groups of lanes a few batches, one after the other. Wider rows may be
// computed in the same kernel, but where that is a softmax, which would be five launches else.
std::uint32_t members_of_block(std::uint64_t size, MemberKind kind) {
  constexpr std::uint32_t kProducts = 1024;
  constexpr std::uint64_t kOfGroup = 32;
  constexpr std::uint64_t kThreads = 256;
  constexpr std::uint64_t kFewLanes = 8;
  constexpr std::uint64_t kLanes = 32;
  if (kind == MemberKind::OuterProducts) return kProducts;
  if (kind == MemberKind::Softmax) return 64 * kThreads;
  const std::uint64_t lanes = size >= 2 * kLanes ? size / 4 : size % 2 == 0 ? size / 2 : size;
  const std::uint64_t groups = kThreads / std::bit_ceil(std::clamp(lanes, kFewLanes, kLanes));
  return static_cast<std::uint32_t>(groups * kOfGroup);
}

// Members of a matrix that blocks share in parts: so many that they keep a GPU busy.
std::uint32_t members_of_part(Shape matrix, std::uint64_t all, const Target& target) {
  constexpr std::uint64_t kBlocks = 2;  // of a multiprocessor
  constexpr std::uint64_t kFewest = 512;
  constexpr std::uint64_t kMost = 2048;
  constexpr std::uint64_t kSide = 128;  // of a part
  const std::uint64_t parts =
      (matrix.rows() + kSide - 1) / kSide * ((matrix.cols() + kSide - 1) / kSide);
  const std::uint64_t blocks = std::bit_floor(std::max(kBlocks * target.multiprocessors, kBlocks));
  return static_cast<std::uint32_t>(std::clamp(all * parts / blocks, kFewest, kMost));
}

// Members of segments that are so few that blocks share each of them where it is longer: what is
// computed of the sums may leave a block with few groups of lanes.
std::uint32_t members_of_few(Shape shape, MemberKind kind) {
  constexpr std::uint32_t kMembers = 256;
  constexpr std::uint32_t kOfGroup = 128;  // of lanes that have all of a matrix
  if (kind != MemberKind::OuterProducts) return kMembers;
  return kOfGroup * warp_tiles(shape.rows(), shape.cols()).groups();
}

}  // namespace

// How many members of segments a piece has. `read`: members, or their segments' gradients, which
// are rows of the same size.
std::uint32_t Lowering::piece_length(const Read& read, const Segments& segments, std::uint32_t rows,
                                     MemberKind kind) const {
  constexpr std::uint32_t kShortestPiece = 16;
  constexpr std::uint32_t kManyProducts = 1u << 14;
  if (kind == MemberKind::Pieces) return std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t size = read.shape.size();
  const bool is_wide = size >= kWideEntries && size < kMatrixEntries;
  std::uint32_t longest = is_wide ? options_.longest_wide_piece : options_.longest_piece;
  if (options_.even_pieces == 0) return longest;
  if (options_.long_rows_first && size < kMatrixEntries) longest = members_of_block(size, kind);
  std::uint32_t members = 0;
  std::uint64_t all = 0;
  for (std::uint32_t s = 0; s < rows; ++s) {
    members = std::max(members, members_in(segments, s));
    all += members_in(segments, s);
  }
  if (kind == MemberKind::OuterProducts && is_shared_by_blocks(read.shape)) {
    return members_of_part(read.shape, all, options_.target);
  }
  if (members <= members_of_few(read.shape, kind)) return std::max(longest, members);
  const auto root = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(members)));
  std::uint32_t even = std::clamp(std::bit_ceil(root), kShortestPiece, longest);
  // A block's warps join whole matrices, however few members they have.
  if (kind == MemberKind::OuterProducts && members > kManyProducts) {
    even = std::min(2 * even, longest);
  }
  return all / even <= options_.even_pieces ? even : longest;
}

// What the pieces of a segment read of it.
Read Lowering::through_pieces(const Read& read, const SegmentPieces& pieces) const {
  const ValueSource source =
      through({read.value, read.index}, pieces.segment_of, values[read.value].rows);
  return {source.value, source.index, read.shape};
}

Read Lowering::add_partial(std::uint32_t rows, Shape shape) {
  return {add_temporary(rows, shape), std::nullopt, shape};
}

// Of each segment 1 / its members.
Read Lowering::add_shares(const Segments& segments, std::uint32_t rows) {
  auto shares = std::make_shared<std::vector<double>>();
  for (std::uint32_t s = 0; s < rows; ++s) {
    const std::uint32_t count = members_in(segments, s);
    shares->push_back(count == 0 ? 0.0 : 1.0 / count);
  }
  return {add_temporary(rows, Shape::scalar(), std::move(shares)), std::nullopt, Shape::scalar()};
}

void Lowering::reduce_pieces(ValueId id, const Read& members, const SegmentPieces& pieces,
                             Combination combination, MemberKind kind) {
  const bool selects = combination == Combination::Max || combination == Combination::Min;
  const Read partial = add_partial(pieces.pieces, values[id].shape);
  reduce(partial.value, members, pieces.of_members, pieces.pieces, combination, selects, kind);
  reduce(id, partial, pieces.of_pieces, pieces.rows, combination);
}

void Lowering::average_pieces(ValueId id, const Read& members, const Segments& segments,
                              const SegmentPieces& pieces) {
  const Read sum = add_partial(pieces.rows, values[id].shape);
  reduce_pieces(sum.value, members, pieces, Combination::Sum);
  const Read reads[] = {sum, add_shares(segments, pieces.rows)};
  const Spot spot = find_spot(pieces.rows, reads, OpPace::ByEntry);
  const NodeIndex a = read_node(spot, reads[0]);
  const NodeIndex b = read_node(spot, reads[1]);
  finish(id, spot, add_entry_product(groups[spot.group], spot.space, a, b));
}

// The pieces' largest members, sums of exponentials, shares: each needs what all pieces of a
// segment made before.
void Lowering::softmax_pieces(ValueId id, const Read& members, const SegmentPieces& pieces) {
  const Read largest = add_partial(pieces.rows, Shape::scalar());
  reduce_pieces(largest.value, members, pieces, Combination::Max);

  const Read power = add_partial(row_count(members), Shape::scalar());
  const Read partial = add_partial(pieces.pieces, Shape::scalar());
  const Read largest_of_piece = through_pieces(largest, pieces);
  Spot spot = find_segments(members, pieces.of_members, pieces.pieces, {&largest_of_piece, 1});
  const NodeIndex max = read_row(spot, largest_of_piece);
  groups[spot.group].begin_phase(KernelSpace::Member);
  const NodeIndex e = add_power(spot, read_node(spot, members), max);
  finish(power.value, spot, e);
  KernelNode sum = node_of(KernelNode::Kind::Reduce, Shape::scalar(), {e});
  finish(partial.value, spot, groups[spot.group].add(std::move(sum), spot.space));

  const Read total = add_partial(pieces.rows, Shape::scalar());
  reduce(total.value, partial, pieces.of_pieces, pieces.rows, Combination::Sum);

  const Read total_of_piece = through_pieces(total, pieces);
  spot = find_segments(power, pieces.of_members, pieces.pieces, {&total_of_piece, 1});
  const NodeIndex share =
      add_inverse({spot.group, KernelSpace::Row}, read_row(spot, total_of_piece));
  groups[spot.group].begin_phase(KernelSpace::Member);
  const NodeIndex again = read_node(spot, power);
  finish(id, spot, add_entry_product(groups[spot.group], spot.space, again, share));
}

void Lowering::spread_to_pieces(ValueId id, const Read& g, const SegmentOp& segment,
                                const SegmentPieces& pieces) {
  const bool shares = segment.combination == Combination::Avg;
  std::vector<Read> reads = {through_pieces(g, pieces)};
  if (shares) reads.push_back(through_pieces(add_shares(segment.segments, pieces.rows), pieces));
  const Spot spot{new_group(pieces.pieces, reads).group, KernelSpace::Member};
  KernelGroup& group = groups[spot.group];
  group.set_segments(pieces.of_members, values[id].rows);
  const NodeIndex row = read_row(spot, reads[0]);
  NodeIndex share = shares ? read_row(spot, reads[1]) : kNone;
  group.begin_phase(KernelSpace::Member);
  if (!shares) share = group.constant(1, KernelSpace::Member);
  finish(id, spot, add_entry_product(group, spot.space, row, share));
}

// The piece whose member is selected gets the segment's gradient, and passes it on.
void Lowering::select_in_pieces(ValueId id, const Read& x, const Read& g, Combination combination,
                                const SegmentPieces& pieces) {
  const Read partial = add_partial(pieces.pieces, values[id].shape);
  const Read g_of_piece = add_partial(pieces.pieces, values[id].shape);
  reduce(partial.value, x, pieces.of_members, pieces.pieces, combination, /*skips_nan=*/true);
  select_gradient(g_of_piece.value, partial, g, pieces.of_pieces, combination);
  select_gradient(id, x, g_of_piece, pieces.of_members, combination, /*skips_nan=*/true);
}

void Lowering::product_gradient_of_pieces(ValueId id, const Read& x, const Read& g,
                                          const Read& guard, const SegmentPieces& pieces) {
  const Read partial = add_partial(pieces.pieces, values[id].shape);
  const Read g_of_piece = add_partial(pieces.pieces, values[id].shape);
  reduce(partial.value, x, pieces.of_members, pieces.pieces, Combination::ElProduct);
  product_gradient(g_of_piece.value, partial, g, guard, pieces.of_pieces);
  product_gradient(id, x, g_of_piece, through_pieces(guard, pieces), pieces.of_members);
}

void Lowering::softmax_gradient_of_pieces(ValueId id, const Read& y, const Read& g, bool is_sparse,
                                          const SegmentPieces& pieces) {
  const auto sum_of = [&](Spot spot, NodeIndex of) {
    const Read partial = add_partial(pieces.pieces, Shape::scalar());
    KernelNode sum = node_of(KernelNode::Kind::Reduce, Shape::scalar(), {of});
    finish(partial.value, spot, groups[spot.group].add(std::move(sum), spot.space));
    return partial;
  };
  const auto total_of = [&](const Read& partial) {
    const Read total = add_partial(pieces.rows, Shape::scalar());
    reduce(total.value, partial, pieces.of_pieces, pieces.rows, Combination::Sum);
    return through_pieces(total, pieces);
  };
  Spot spot = find_segments(y, pieces.of_members, pieces.pieces, std::span(&g, 1));
  const NodeIndex w = softmax_weight(spot, y, is_sparse);
  const Read partial = sum_of(spot, softmax_part(spot, w, g));
  const Read partial_count = is_sparse ? sum_of(spot, w) : partial;
  const Read total = total_of(partial);
  const Read count = is_sparse ? total_of(partial_count) : total;

  const Read others[] = {g, total, count};
  spot = find_segments(y, pieces.of_members, pieces.pieces, others);
  const Spot row{spot.group, KernelSpace::Row};
  NodeIndex mean = read_row(spot, total);
  if (is_sparse) {
    mean = add_entry_product(groups[spot.group], row.space, mean,
                             add_inverse(row, read_row(spot, count)));
  }
  groups[spot.group].begin_phase(KernelSpace::Member);
  finish_softmax_gradient(id, spot, y, g, mean, is_sparse);
}

}  // namespace vecc
