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
#include "src/program/index_algebra.h"
#include "src/program/members.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"

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
std::uint32_t members_of_tiles(Shape matrix, std::uint64_t all, const PlanOptions& options) {
  const Target& target = options.target;
  const PieceSizes& pieces = target.pieces;
  const std::uint64_t tiles = parts_of_sum(matrix, options.precision);
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

// Of the longest segment.
std::uint32_t most_members(const Segments& segments, std::uint32_t rows) {
  if (segments.is_fixed()) return rows > 0 ? segments.members() : 0;
  std::vector<std::uint32_t> most(ListThreads::ranges_of(rows));
  ListThreads::for_numbered_ranges(
      rows, [&](std::size_t range, std::size_t begin, std::size_t end) {
        std::uint32_t here = 0;
        for (auto s = static_cast<std::uint32_t>(begin); s < end; ++s) {
          here = std::max(here, member_count(segments, s));
        }
        most[range] = here;
      });
  return std::ranges::max(most);
}

// Of segments whose members lie side by side.
std::uint32_t first_member(const Segments& segments, std::uint32_t s) {
  return segments.is_fixed() ? s * segments.members() : segments.offsets()[s];
}

std::uint64_t count_members(const Segments& segments, std::uint32_t rows) {
  if (segments.is_fixed()) return std::uint64_t{segments.members()} * rows;
  return segments.offsets()[rows] - segments.offsets()[0];
}

// On a processor: pieces of sums of long rows are shorter, so that what other launches of a turn
// store of them is in a core's cache (tile_order.h); not where the sums would be a large part of
// what is added up, nor where a few segments are long among many. Pieces of very long segments are
// longer: one thread adds up what they make.
std::uint32_t members_of_thread(std::uint32_t members, double mean, Shape shape, MemberKind kind,
                                const PieceSizes& pieces) {
  constexpr std::uint64_t kLongRow = 16;
  constexpr std::uint32_t kShorter = 4;
  constexpr std::uint64_t kMostOfSums = 8;
  constexpr std::uint32_t kMostPieces = 256;
  if (kind != MemberKind::Sums && kind != MemberKind::OuterProducts) return pieces.longest;
  const std::uint32_t shorter = std::max(pieces.longest / kShorter, 1u);
  const std::uint64_t entries =
      kind == MemberKind::OuterProducts ? shape.rows() + shape.cols() : shape.size();
  const bool is_small = shape.size() * kMostOfSums <= entries * shorter;
  if (entries < kLongRow || !is_small || mean <= shorter) return pieces.longest;
  return std::clamp(members / kMostPieces, shorter, pieces.longest);
}

// Of `rows` segments with `all` members, the longest with `members`.
struct LongSegments {
  std::uint32_t members = 0;
  std::uint64_t all = 0;
  std::uint32_t rows = 0;
  Shape shape;  // of a member
  MemberKind kind = MemberKind::Rows;
};

// How many members a piece has.
std::uint32_t piece_length(const PlanOptions& options, const LongSegments& segments) {
  const Target& target = options.target;
  const std::uint32_t members = segments.members;
  const std::uint64_t all = segments.all;
  const Shape shape = segments.shape;
  const MemberKind kind = segments.kind;
  if (kind == MemberKind::Pieces) return std::numeric_limits<std::uint32_t>::max();
  if (!target.has_shared_memory()) {
    const double mean = static_cast<double>(all) / std::max(segments.rows, 1u);
    return members_of_thread(members, mean, shape, kind, target.pieces);
  }
  const std::uint32_t longest = members_of_block(shape.size(), kind, target.pieces);
  if (kind == MemberKind::OuterProducts && is_split_over_blocks(target, shape)) {
    return members_of_tiles(shape, all, options);
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

// Of a batch's members some are in each piece, as many as a piece would have were there no others:
// else most pieces would have few or none, and all of them are stored and added up.
std::uint32_t usual_length(const PlanOptions& options, ValueId op, const LongSegments& segments) {
  const std::uint64_t all = segments.all;
  const auto of = std::ranges::find_if(options.usual_members, [&](const auto& usual) {
    return usual.op == op && usual.all == all && usual.usual < all;
  });
  if (of == options.usual_members.end()) {
    return piece_length(options, segments);
  }
  const std::uint64_t usual = std::max<std::uint64_t>(of->usual, 1);
  LongSegments batch = segments;
  batch.members = static_cast<std::uint32_t>((segments.members * usual + all - 1) / all);
  batch.all = usual;
  const std::uint32_t length = piece_length(options, batch);
  // Rounded so that a segment of whose members a batch's are one piece is one itself.
  const double times = static_cast<double>(all) / static_cast<double>(usual);
  const double longest = std::ceil(static_cast<double>(length) * times);
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  return longest < kMost ? static_cast<std::uint32_t>(longest) : kMost;
}

// Strided members lie apart: a piece of them is no segment. If there is one segment they do not.
bool are_strided(const Segments& segments, std::uint32_t rows) {
  return segments.is_fixed() && segments.dimension() == 1 && rows != 1;
}

}  // namespace

std::optional<SegmentPieces> cut_long_segments(const PlanOptions& options, ValueId op,
                                               const Segments& segments, std::uint32_t rows,
                                               Shape shape, MemberKind kind, bool first_alone) {
  if (are_strided(segments, rows)) return std::nullopt;
  const std::uint32_t most = most_members(segments, rows);
  const std::uint32_t longest =
      usual_length(options, op, {most, count_members(segments, rows), rows, shape, kind});
  if (most <= longest) return std::nullopt;
  const std::uint32_t alone = first_alone ? 1 : 0;
  std::vector<std::uint32_t> pieces = offsets_of(rows, [&](std::size_t s) {
    const std::uint32_t of_segment = member_count(segments, static_cast<std::uint32_t>(s));
    if (of_segment <= alone) return of_segment;
    return alone + (of_segment - alone - 1) / longest + 1;
  });
  const std::uint32_t count = pieces.back();
  std::vector<std::uint32_t> members = unset_list<std::uint32_t>(std::size_t{count} + 1);
  std::vector<std::uint32_t> segment_of = unset_list<std::uint32_t>(count);
  members[0] = 0;
  ListThreads::for_ranges(rows, [&](std::size_t from, std::size_t to) {
    for (auto s = static_cast<std::uint32_t>(from); s < to; ++s) {
      const std::uint32_t begin = first_member(segments, s);
      const std::uint32_t end = begin + member_count(segments, s);
      std::uint32_t at = begin;
      for (std::uint32_t p = pieces[s]; p < pieces[s + 1]; ++p) {
        at = p == pieces[s] && first_alone ? at + 1 : at + std::min(longest, end - at);
        members[p + std::size_t{1}] = at;
        segment_of[p] = s;
      }
    }
  });
  return SegmentPieces{Segments::ragged(std::move(members)), Segments::ragged(std::move(pieces)),
                       Index::compact(std::move(segment_of)), count, rows};
}

}  // namespace vecc
