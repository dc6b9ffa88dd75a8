#include "src/plan/analysis/segment_pieces.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "src/kernel/schedule/kernel_schedule.h"
#include "src/kernel/schedule/outer_products.h"
#include "src/kernel/schedule/warp_tiles.h"
#include "src/plan/analysis/operand_reads.h"
#include "src/program/members.h"

namespace vecc {
namespace {

// Of a matrix that a block has by itself, and whose partial sums would fill the memory.
constexpr std::uint64_t kMatrixEntries = 1024;

// Members of a row of so many numbers that a GPU's block of threads takes in about the time of some
// launches: each of its groups of lanes a few batches, one after the other. Wider rows may be
// computed in the same kernel, but where that is a softmax, which would be five launches else.
std::uint32_t members_of_block(std::uint64_t size, MemberKind kind, const PieceSizes& pieces) {
  constexpr std::uint64_t kFewLanes = 8;
  constexpr std::uint64_t kLanes = kWarpThreads;
  if (size >= kMatrixEntries) return pieces.longest;
  if (kind == MemberKind::OuterProducts) return pieces.products;
  if (kind == MemberKind::Softmax) return pieces.softmax;
  const std::uint64_t lanes = size >= 2 * kLanes ? size / 4 : size % 2 == 0 ? size / 2 : size;
  const std::uint64_t groups = kCudaThreads / std::bit_ceil(std::clamp(lanes, kFewLanes, kLanes));
  return static_cast<std::uint32_t>(groups * pieces.lanes);
}

// Members of an outer product whose tiles blocks share: so many that they keep a GPU busy.
std::uint32_t members_of_tiles(Shape matrix, std::uint64_t all, const Target& target) {
  const PieceSizes& pieces = target.pieces;
  const std::uint64_t tiles = large_tiles(matrix.rows()) * large_tiles(matrix.cols());
  const std::uint64_t blocks = std::bit_floor(
      std::max(std::uint64_t{pieces.tile_blocks} * target.multiprocessors, std::uint64_t{1}));
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(all * tiles / blocks, pieces.tile_shortest,
                                std::max(pieces.tile_shortest, pieces.tile_longest)));
}

// Members of segments that are so few that blocks share each of them where it is longer: what is
// computed of the sums may leave a block with few groups of lanes.
std::uint32_t members_of_few(Shape shape, MemberKind kind, const PieceSizes& pieces) {
  if (kind != MemberKind::OuterProducts) return pieces.least_cut;
  // Of each group of lanes that have all of a matrix half as many.
  return pieces.least_cut / 2 * warp_tiles(shape.rows(), shape.cols()).groups();
}

// Where all pieces run at once, each has about as many members as its segment has pieces: the sums
// of pieces, and of these, are equally long, which takes the least time. Of powers of two the next
// one.
std::uint32_t balanced_length(Shape shape, MemberKind kind, std::uint32_t members,
                              std::uint32_t longest, const PieceSizes& pieces) {
  constexpr std::uint32_t kAtOnce = 32;  // members in a block's memory: prelude/outer_products.h
  const auto root = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(members)));
  if (kind == MemberKind::OuterProducts && shape.size() >= kMatrixEntries) {
    return std::clamp(root / kAtOnce * kAtOnce, kAtOnce, longest);
  }
  const std::uint32_t balanced =
      std::clamp(std::bit_ceil(root), std::min(pieces.shortest, longest), longest);
  // A block's warps join whole matrices, however few members they have.
  const bool joins = kind == MemberKind::OuterProducts && members > pieces.many_products;
  return joins ? std::min(2 * balanced, longest) : balanced;
}

// How many members a piece has.
std::uint32_t piece_length(const Target& target, const Segments& segments, std::uint32_t rows,
                           Shape shape, MemberKind kind) {
  if (kind == MemberKind::Pieces) return std::numeric_limits<std::uint32_t>::max();
  if (!target.has_shared_memory()) return target.pieces.longest;
  const std::uint32_t longest = members_of_block(shape.size(), kind, target.pieces);
  std::uint32_t members = 0;
  std::uint64_t all = 0;
  for (std::uint32_t s = 0; s < rows; ++s) {
    members = std::max(members, member_count(segments, s));
    all += member_count(segments, s);
  }
  if (kind == MemberKind::OuterProducts && is_split_over_blocks(target, shape)) {
    return members_of_tiles(shape, all, target);
  }
  if (members <= members_of_few(shape, kind, target.pieces)) return std::max(longest, members);
  const std::uint32_t balanced = balanced_length(shape, kind, members, longest, target.pieces);
  const auto run_at_once = [&](std::uint32_t length) {
    return all / length <= target.blocks_at_once(kCudaThreads);
  };
  // Where the power of two before is nearer: what is computed of each member takes longer than to
  // add up the sums of pieces. Blocks that share a matrix are many as it is.
  const std::uint32_t half = balanced / 2;
  if (shape.size() < kMatrixEntries && kind != MemberKind::OuterProducts &&
      std::uint64_t{half} * half * 2 > members && half >= target.pieces.shortest &&
      run_at_once(half)) {
    return half;
  }
  return run_at_once(balanced) ? balanced : longest;
}

// Strided members lie apart: a piece of them is no segment. If there is one segment they do not.
bool has_long(const Segments& segments, std::uint32_t rows, std::uint32_t longest) {
  if (segments.is_fixed() && segments.dimension() == 1 && rows != 1) return false;
  for (std::uint32_t s = 0; s < (segments.is_fixed() ? std::min(rows, 1u) : rows); ++s) {
    if (member_count(segments, s) > longest) return true;
  }
  return false;
}

}  // namespace

std::optional<SegmentPieces> cut_long_segments(const PlanOptions& options, const Segments& segments,
                                               std::uint32_t rows, Shape shape, MemberKind kind,
                                               bool first_alone) {
  const std::uint32_t longest = piece_length(options.target, segments, rows, shape, kind);
  if (!has_long(segments, rows, longest)) return std::nullopt;
  std::vector<std::uint32_t> members{0};
  std::vector<std::uint32_t> pieces{0};
  std::vector<std::uint32_t> segment_of;
  for (std::uint32_t s = 0; s < rows; ++s) {
    const std::uint32_t end = members.back() + member_count(segments, s);
    if (first_alone && members.back() < end) members.push_back(members.back() + 1);
    while (members.back() < end) members.push_back(std::min(members.back() + longest, end));
    pieces.push_back(static_cast<std::uint32_t>(members.size() - 1));
    segment_of.resize(pieces.back(), s);
  }
  const std::uint32_t count = pieces.back();
  return SegmentPieces{Segments::ragged(std::move(members)), Segments::ragged(std::move(pieces)),
                       Index::compact(std::move(segment_of)), count, rows};
}

}  // namespace vecc
