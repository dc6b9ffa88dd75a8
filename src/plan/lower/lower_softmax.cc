// Softmax (of each entry by itself) and sparsemax over the members of segments, and their
// gradients.
#include <utility>

#include "src/plan/lower/lower_ops.h"

namespace vecc {
namespace {

NodeIndex exp_of_difference(const KernelBuilder& kernel, NodeIndex x, NodeIndex max) {
  return kernel.transform(Transformation::Exp, kernel.difference(x, max));
}

NodeIndex inverse(const KernelBuilder& kernel, NodeIndex x) {
  return kernel.transform(Transformation::Inverse, x);
}

// The pieces' largest members, sums of exponentials, shares: each needs what all pieces of a
// segment made before.
void lower_pieces(const OpLowering& lowering, const RowRead& members, const SegmentPieces& pieces) {
  const RowRead largest = lowering.add_temporary(pieces.rows, members.shape);
  reduce_pieces(lowering, largest.value, members, pieces,
                kernel_selection(Combination::ElMax, members.shape));

  const RowRead power = lowering.add_temporary(lowering.row_count(members), members.shape);
  const RowRead partial = lowering.add_temporary(pieces.pieces, members.shape);
  const RowRead largest_of_piece = through_pieces(lowering, largest, pieces);
  const KernelBuilder powers = lowering.begin_members(members, pieces.of_members, pieces.pieces,
                                                      std::span(&largest_of_piece, 1));
  const NodeIndex max = powers.rows().read(largest_of_piece);
  powers.begin_members();
  const NodeIndex e = exp_of_difference(powers, powers.read(members), max);
  powers.make(power.value, e);
  powers.make(partial.value, powers.reduce(Combination::Sum, e));

  const RowRead total = lowering.add_temporary(pieces.rows, members.shape);
  reduce_members(lowering, total.value, partial, pieces.of_pieces, pieces.rows, Combination::Sum);

  const RowRead total_of_piece = through_pieces(lowering, total, pieces);
  const KernelBuilder shares = lowering.begin_members(power, pieces.of_members, pieces.pieces,
                                                      std::span(&total_of_piece, 1));
  const NodeIndex share = inverse(shares.rows(), shares.rows().read(total_of_piece));
  shares.begin_members();
  shares.make(lowering.op, shares.entry_product(shares.read(power), share));
}

// softmax: y (g - sum of y g); sparsemax: where y > 0, g - mean of g over those. Weights: y, or
// where y > 0.
struct SoftmaxVjp {
  const OpLowering& lowering;
  const RowRead& y;
  const RowRead& g;
  bool is_sparse = false;

  [[nodiscard]] NodeIndex weight(const KernelBuilder& kernel) const {
    const NodeIndex read = kernel.read(y);
    return is_sparse ? kernel.transform(Transformation::Signum, read) : read;
  }
  // Where g is zero, a y that is no number adds nothing.
  [[nodiscard]] NodeIndex term(const KernelBuilder& kernel, NodeIndex weight) const {
    const NodeIndex each = kernel.read(g);
    return kernel.guard_entries(each, kernel.entry_product(weight, each));
  }
  void finish(const KernelBuilder& kernel, NodeIndex mean) const {
    kernel.begin_members();
    const NodeIndex w = weight(kernel);
    const NodeIndex difference = kernel.difference(kernel.read(g), mean);
    kernel.make(lowering.op, kernel.guard_entries(difference, kernel.entry_product(w, difference)));
  }

  void lower(const Segments& segments, std::uint32_t rows) const {
    const KernelBuilder kernel = lowering.begin_members(y, segments, rows, std::span(&g, 1));
    const NodeIndex w = weight(kernel);
    NodeIndex mean = kernel.reduce(Combination::Sum, term(kernel, w));
    if (is_sparse) {
      const NodeIndex count = kernel.reduce(Combination::Sum, w);
      mean = kernel.rows().entry_product(mean, inverse(kernel.rows(), count));
    }
    finish(kernel, mean);
  }

  void lower_pieces(const SegmentPieces& pieces) const {
    const auto sum_of = [&](const KernelBuilder& kernel, NodeIndex of) {
      const RowRead partial = lowering.add_temporary(pieces.pieces, g.shape);
      kernel.make(partial.value, kernel.reduce(Combination::Sum, of));
      return partial;
    };
    const auto total_of = [&](const RowRead& partial) {
      const RowRead total = lowering.add_temporary(pieces.rows, g.shape);
      reduce_members(lowering, total.value, partial, pieces.of_pieces, pieces.rows,
                     Combination::Sum);
      return through_pieces(lowering, total, pieces);
    };
    const KernelBuilder sums =
        lowering.begin_members(y, pieces.of_members, pieces.pieces, std::span(&g, 1));
    const NodeIndex w = weight(sums);
    const RowRead partial = sum_of(sums, term(sums, w));
    const RowRead partial_count = is_sparse ? sum_of(sums, w) : partial;
    const RowRead total = total_of(partial);
    const RowRead count = is_sparse ? total_of(partial_count) : total;

    const RowRead others[] = {g, total, count};
    const KernelBuilder kernel =
        lowering.begin_members(y, pieces.of_members, pieces.pieces, others);
    NodeIndex mean = kernel.rows().read(total);
    if (is_sparse) {
      const NodeIndex members = kernel.rows().read(count);
      mean = kernel.rows().entry_product(mean, inverse(kernel.rows(), members));
    }
    finish(kernel, mean);
  }
};

}  // namespace

// exp(x - max) is kept between the two loops that need it.
void lower_softmax(const OpLowering& lowering, const RowRead& members, const Segments& segments) {
  const std::uint32_t rows = segments.count(lowering.row_count(members));
  if (const auto pieces = cut_long_segments(lowering.options, lowering.op, segments, rows,
                                            members.shape, MemberKind::Softmax)) {
    return lower_pieces(lowering, members, *pieces);
  }
  const KernelBuilder kernel = lowering.begin_members(members, segments, rows);
  const NodeIndex max =
      kernel.reduce(kernel_selection(Combination::ElMax, members.shape), kernel.read(members));

  kernel.begin_members();
  const NodeIndex e = exp_of_difference(kernel, kernel.read(members), max);
  const RowRead powers = lowering.add_temporary(lowering.row_count(members), members.shape);
  kernel.make(powers.value, e);
  const NodeIndex share = inverse(kernel.rows(), kernel.reduce(Combination::Sum, e));

  kernel.begin_members();
  kernel.make(lowering.op, kernel.entry_product(kernel.read(powers), share));
}

void lower_sparsemax(const OpLowering& lowering, const RowRead& members, const Segments& segments) {
  const std::uint32_t rows = segments.count(lowering.row_count(members));
  const KernelBuilder kernel = lowering.begin_members(members, segments, rows);
  kernel.begin_members();  // what it loads may have been stored just before
  const NodeIndex threshold =
      kernel.add(node_of(KernelNode::Kind::Threshold, Shape::scalar(), {kernel.load(members)}));
  kernel.begin_members();
  const NodeIndex difference = kernel.difference(kernel.load(members), threshold);
  kernel.make(lowering.op, kernel.transform(Transformation::Relu, difference));
}

void lower_softmax_vjp(const OpLowering& lowering, const RowRead& y, const RowRead& g,
                       const SegmentOp& segment) {
  const SoftmaxVjp vjp{lowering, y, g, segment.combination == Combination::Sparsemax};
  const std::uint32_t rows = segment.segments.count(lowering.row_count(y));
  if (const auto pieces = cut_long_segments(lowering.options, lowering.op, segment.segments, rows,
                                            g.shape, MemberKind::Softmax)) {
    return vjp.lower_pieces(*pieces);
  }
  vjp.lower(segment.segments, rows);
}

}  // namespace vecc
