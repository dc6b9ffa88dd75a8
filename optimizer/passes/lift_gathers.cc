// lift-gathers: upward propagation.
//
// Removes a gather by reordering and duplicating the rows of what it reads, its *producer*, from
// the outputs toward the facts.
//
//   %3 = linear %1, %2 : f32[3, 3x1]                    with %1 = gather %w [0, 1, 0],
//   %4 = segment %3 [0, 1, 3] sum : f32[2, 3x1]              %2 = gather %x [5, 6, 7]
//   %5 = gather %4 [1, 0, 1] : f32[3, 3x1]
//   =>
//   %3 = linear %1, %2 : f32[5, 3x1]                    with %1 = gather %w [1, 0, 0, 1, 0],
//   %4 = segment %3 [0, 2, 3, 5] sum : f32[3, 3x1]           %2 = gather %x [6, 7, 5, 6, 7]
//
// The producer is the value that the gather reads and the ops above it that it alone reads, whole:
// transforms, at most one segment, then a linear, a map or a fact. Its *inner length* is the number
// of rows that the topmost of these reads (a segment: the members; a fact: its rows); `old` and
// `new` are that number before and after. The lists of rows that it reads become gathers, or are
// composed with those that are there, and lifting goes on with them: a *chain*.
//
// A gather is lifted only if all readers of its producer read these rows of it, and the producer is
// no concat (split-concat-gathers helps), no weight (learnable rows keep their places) and nothing
// of an update. Op by op:
//   transform, map   each operand is read so; a map's operands of one row broadcast and stay
//   segment          whole groups of members move, in their order; fixed counts and dimensions
//                    stay; of softmax and sparsemax only if the gather moves whole segments
//   linear           both sides are read so. One side with a lift: only if the preset goes through
//                    broadcasts, and the lift repeats the same rows still: its period divides the
//                    fixed count of the segment below it, say, or is 1. Two lifts: never
//   fact             its rows are copied
// A lift that would only move the gather to a value that cannot take it is not done.
//
// The preset decides (GatherPreset). A lift is free if new <= old + margin, or rate > 0 and
// 1 - old / new <= rate. Others are done while fewer than chain_depth such lifts have brought the
// gather here; then it stays, and its producer's own gathers begin new chains. Of those, none is
// done that would bring the Program's values (all but gathers) together above kMaxBytes: each layer
// of neighbours multiplies the rows of the one before it.
//
// Idempotent for a chain depth of 0 or without end, which are all presets: what was kept is kept
// again. (For others a gather that stays begins a new chain in the next run.)
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "optimizer/passes/lift_gathers_op.h"
#include "optimizer/passes/lift_gathers_reads.h"
#include "optimizer/passes/passes.h"
#include "src/program/index_algebra.h"

namespace vecc::opt {
namespace {

constexpr std::uint64_t kMaxBytes = 1ull << 31;  // 2 GiB

class Lifter {
 public:
  Lifter(const Program& program, PassContext& context)
      : program_(program), context_(context), reads_(program), bytes_(reads_.bytes()) {}

  // Consumers before producers, so that a producer's rows are final when its reads are looked at.
  bool run() {
    bool changed = false;
    for (auto value = static_cast<ValueId>(program_.ops().size()); value-- > 0;) {
      const Read* gather = common_gather(value);
      if (gather != nullptr && lift(value, *gather)) changed = true;
    }
    return changed;
  }
  [[nodiscard]] Program rebuild() const { return reads_.rebuild(); }

 private:
  struct Cost {
    std::uint64_t old_length = 0;
    std::uint64_t new_length = 0;
    std::uint64_t old_bytes = 0;  ///< of the producer's values
    std::uint64_t new_bytes = 0;
  };

  // The gather through which everything reads `value`; null if there is none.
  const Read* common_gather(ValueId value) {
    if (!takes_gathers(program_.op(value).kind())) return nullptr;
    const auto uses = reads_.uses_of(value);
    if (uses.empty()) return nullptr;
    const Read* first = &read_of(uses.front());
    if (first->rows.size() == 0 || reads_.is_whole(*first)) return nullptr;
    for (const auto& use : uses.subspan(1)) {
      const Read& read = read_of(use);
      if (read.rows != first->rows) return nullptr;
      if (read.lifts > first->lifts) first = &read;
    }
    return first;
  }

  const Read& read_of(const ProgramReads::Use& use) { return reads_.of(use.reader)[use.operand]; }

  // From the value that is gathered up to the op whose reads are lists of rows.
  std::vector<ValueId> producer_of(ValueId value) {
    std::vector<ValueId> ops{value};
    bool has_segment = false;
    for (;;) {
      const OpKind kind = program_.op(ops.back()).kind();
      has_segment = has_segment || kind == OpKind::Segment;
      if (kind != OpKind::Transform && kind != OpKind::Segment) return ops;
      const Read& read = reads_.of(ops.back())[0];
      const OpKind above = program_.op(read.source).kind();
      if (!reads_.is_whole(read) || reads_.uses_of(read.source).size() != 1) return ops;
      if (!takes_gathers(above) || (above == OpKind::Segment && has_segment)) return ops;
      ops.push_back(read.source);
    }
  }

  bool lift(ValueId value, const Read& gather) {
    const std::vector<ValueId> producer = producer_of(value);
    const Cost cost = cost_of(producer, gather.rows);
    const bool free = is_free(cost);
    if (!free && gather.lifts >= context_.preset().chain_depth) return kept("kept by cost");
    if (!free && !fits(cost)) return kept("lifts refused by size");
    auto lifted = lifted_ops(producer, gather.rows);
    if (!lifted) return kept("kept by a rule");
    if (!has_somewhere_to_go(producer.back(), lifted->back())) return kept("kept at a dead end");
    count(cost, free);
    commit(value, producer, *lifted,
           Read{value, gather.rows, gather.gather, gather.lifts + (free ? 0u : 1u)});
    return true;
  }

  bool kept(std::string_view why) {
    context_.count(why, 1);
    return false;
  }

  Cost cost_of(const std::vector<ValueId>& producer, const Index& rows) {
    Cost cost;
    std::uint64_t now = rows.size();
    for (const ValueId id : producer) {
      const Op& op = program_.op(id);
      const std::uint64_t row = op.shape.size() * byte_size(program_.dtype());
      cost.old_bytes += op.rows * row;
      cost.new_bytes += now * row;
      if (op.kind() == OpKind::Segment) now = count_rows_read(op, rows);
    }
    const ValueId top = producer.back();
    const bool is_segment = program_.op(top).kind() == OpKind::Segment;
    cost.old_length = is_segment ? reads_.of(top)[0].rows.size() : program_.op(top).rows;
    cost.new_length = now;
    return cost;
  }

  [[nodiscard]] bool is_free(const Cost& cost) const {
    const GatherPreset& preset = context_.preset();
    if (cost.new_length <= cost.old_length + preset.margin) return true;
    const auto share = static_cast<double>(cost.old_length) / static_cast<double>(cost.new_length);
    return preset.rate > 0 && 1 - share <= preset.rate;
  }

  [[nodiscard]] bool fits(const Cost& cost) const {
    if (cost.new_length > kMaxRows) return false;
    return cost.new_bytes <= cost.old_bytes ||
           bytes_ + (cost.new_bytes - cost.old_bytes) <= kMaxBytes;
  }

  std::optional<std::vector<LiftedOp>> lifted_ops(const std::vector<ValueId>& producer,
                                                  const Index& rows) {
    std::vector<LiftedOp> result;
    for (const ValueId id : producer) {
      const Index& wanted = result.empty() ? rows : result.back().rows_read;
      auto lifted = lift_op(reads_, id, wanted, context_.preset().through_broadcasts);
      if (!lifted) return std::nullopt;
      result.push_back(std::move(*lifted));
    }
    return result;
  }

  // Whether the gather ends in a fact or another gather, or may be lifted on from there. A weight
  // under a product does not count if the other side would get a gather that stays.
  bool has_somewhere_to_go(ValueId top, const LiftedOp& lifted) {
    bool ends = false;
    bool goes_on = false;
    for (const std::uint32_t operand : lifted.operands) {
      const Read& read = reads_.of(top)[operand];
      const OpKind kind = program_.op(read.source).kind();
      const bool may = !reads_.is_whole(read) ||
                       (takes_gathers(kind) && reads_.uses_of(read.source).size() == 1);
      ends = ends || !may;
      goes_on = goes_on || (may && kind != OpKind::Weight);
    }
    return !ends || goes_on;
  }

  void count(const Cost& cost, bool free) {
    context_.count("gathers lifted", 1);
    if (!free) context_.count("non-free lifts", 1);
    if (cost.new_length > cost.old_length) {
      context_.count("rows added", cost.new_length - cost.old_length);
    }
    bytes_ = bytes_ - cost.old_bytes + cost.new_bytes;
  }

  void commit(ValueId value, const std::vector<ValueId>& producer, std::vector<LiftedOp>& lifted,
              const Read& gather) {
    std::uint32_t rows = gather.rows.size();
    for (std::size_t k = 0; k < producer.size(); ++k) {
      reads_.change(producer[k], std::move(lifted[k].attributes), rows);
      rows = lifted[k].rows_read.size();
    }
    for (const auto& use : reads_.uses_of(value)) set_whole(use);
    for (std::size_t k = 1; k < producer.size(); ++k) set_whole({producer[k - 1], 0});
    for (const std::uint32_t operand : lifted.back().operands) {
      Read& read = reads_.of(producer.back())[operand];
      read.rows = compose(read.rows, lifted.back().rows_read);
      read.lifts = gather.lifts;
      if (read.gather == kNoValue) read.gather = gather.gather;
    }
  }

  void set_whole(const ProgramReads::Use& use) {
    Read& read = reads_.of(use.reader)[use.operand];
    read = reads_.whole(read.source);
  }

  const Program& program_;
  PassContext& context_;
  ProgramReads reads_;
  std::uint64_t bytes_ = 0;  // of the Program as it is now
};

// Whether there is a gather to begin with.
bool reads_what_takes_gathers(const Program& program) {
  return std::ranges::any_of(program.ops(), [&](const Op& op) {
    return op.kind() == OpKind::Gather &&
           takes_gathers(program.op(read_through(program, op.operands[0]).source).kind());
  });
}

}  // namespace

bool lift_gathers(Program& program, PassContext& context) {
  if (!reads_what_takes_gathers(program)) return false;
  const Program live = drop_dead_ops(program);
  Lifter lifter(live, context);
  if (!lifter.run()) return false;
  program = lifter.rebuild();
  return true;
}

}  // namespace vecc::opt
