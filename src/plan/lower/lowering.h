// From the ops of a Program to kernel groups. Every op that computes goes into exactly one group:
// one that makes an operand of it, row by row, if that does not have to wait for another group; the
// group that makes a segment's members, whose loop the segment then goes around; else a new one.
//
// Levels keep the groups free of cycles: a group reads only values of groups of a lower level. The
// level of a group that nobody outside reads yet may still rise.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "src/plan/analysis/value_source.h"
#include "src/plan/group/kernel_group.h"
#include "src/plan/segment_pieces.h"
#include "src/program/value_places.h"
#include "vecc/plan.h"

namespace vecc {

/// Rows that an op reads: row index[i] of `value` for its row i; `one`: row 0 for all.
struct Read {
  ValueId value = 0;
  std::optional<Index> index;
  Shape shape;
  bool one = false;
  bool by_tile = false;  ///< through the types of the group
};

/// Where a value is while groups grow.
struct ValueState {
  GroupIndex group = kNone;  ///< that computes it
  NodeIndex node = 0;
  KernelSpace space = KernelSpace::Row;
  bool stored = false;
  std::uint32_t ready = 0;  ///< of a value that several groups make, or an alias: their level
  ValueId alias = kNone;    ///< the same memory, as other rows
  std::uint32_t rows = 0;
  Shape shape;
};

/// What is done with a segment's members, which decides how many a block of threads takes. Pieces:
/// there are no more than that already.
enum class MemberKind : std::uint8_t { Rows, Softmax, OuterProducts, Pieces };

/// Where an op's nodes go.
struct Spot {
  GroupIndex group = kNone;
  KernelSpace space = KernelSpace::Row;
};

/// How an op's loop over entries would run.
enum class OpPace : std::uint8_t {
  ByEntry,  ///< anywhere
  Slow,     ///< a slow function of short rows: where all entries of all rows are one loop
  ByRow,    ///< it sees whole rows: not where such a loop is
  Product,  ///< a matrix that rows share: one of them a kernel, which runs blocks of rows for it
};

class Lowering {
 public:
  Lowering(const Program& program, const PlanOptions& options);
  void lower_all();
  /// When the Plan has it all: lets what is known of values go.
  void forget();

  // What assembling the Plan reads.
  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] const PlanOptions& options() const { return options_; }
  std::deque<KernelGroup> groups;
  std::vector<ValueState> values;
  std::vector<Place> places;
  ValueSources sources;
  /// Of values that no op of the Program makes, those that are constant.
  std::map<ValueId, std::shared_ptr<const std::vector<double>>> constants;
  std::vector<std::shared_ptr<const std::vector<std::uint32_t>>> arrays;

 private:
  // By kind of op (lower_op.cc, lower_segment.cc, lower_vjp.cc, lower_update.cc).
  void lower(ValueId id);
  void mark_output(ValueId id);
  void lower_concat(ValueId id);
  void lower_linear(ValueId id, const LinearOp& linear, ValueId made,
                    const std::optional<Index>& index = std::nullopt);
  bool lower_stacked(ValueId id, const LinearOp& linear);
  void lower_transform(ValueId id, const TransformOp& transform);
  void lower_map(ValueId id, const MapOp& map);
  void lower_contract(ValueId id, const ContractOp& contract);
  void lower_segment(ValueId id, const SegmentOp& segment);
  void lower_vjp(ValueId id, const VjpOp& vjp);
  void lower_vjp_transform(ValueId id, const VjpOp& vjp, const TransformOp& transform);
  void lower_vjp_map(ValueId id, const VjpOp& vjp, const MapOp& map);
  void lower_vjp_segment(ValueId id, const SegmentOp& segment);
  void lower_updates();
  void copy_old_rows();
  [[nodiscard]] Index drop_overwritten(const Index& rows, Read& read) const;
  void lower_update(ValueId id);

  // Parts of these.
  void note_op(KernelGroup& group);
  void copy_rows(ValueId id, const Read& read, std::uint32_t rows, std::uint32_t first_row);
  [[nodiscard]] std::array<Read, 2> linear_reads(ValueId id, const LinearOp& linear,
                                                 const std::optional<Index>& index) const;
  [[nodiscard]] bool turns_product(std::uint32_t rows, const std::array<Read, 2>& reads,
                                   const bool (&transposes)[2]) const;
  [[nodiscard]] bool shares_by_type(std::uint32_t rows, const Read& matrix) const;
  [[nodiscard]] static bool shares_one(const Read& matrix);
  [[nodiscard]] bool is_shared_by_blocks(Shape matrix) const;
  void set_words(Spot spot, const TransformOp& transform, KernelNode& node);
  [[nodiscard]] std::vector<Read> map_reads(std::span<const ValueId> operands,
                                            std::uint32_t rows) const;
  void reduce(ValueId id, const Read& members, const Segments& segments, std::uint32_t rows,
              Combination combination, bool skips_nan = false, MemberKind kind = MemberKind::Rows);
  void count_members(ValueId id, const Segments& segments, std::uint32_t rows,
                     std::uint32_t members);
  void softmax_members(ValueId id, const Read& members, const Segments& segments);
  void sparsemax_members(ValueId id, const Read& members, const Segments& segments);
  void reinterpret(ValueId id, const Read& read);
  NodeIndex add_zeros(Spot spot, Shape shape);
  NodeIndex add_power(Spot spot, NodeIndex x, NodeIndex max);
  NodeIndex add_inverse(Spot spot, NodeIndex x);
  void spread_gradient(ValueId id, const Read& g, const SegmentOp& segment);
  void select_gradient(ValueId id, const Read& x, const Read& g, const Segments& segments,
                       Combination combination, bool skips_nan = false);
  /// `guard`: rows in which it is zero pass nothing on.
  void product_gradient(ValueId id, const Read& x, const Read& g, const Read& guard,
                        const Segments& segments);
  void softmax_gradient(ValueId id, const Read& y, const Read& g, const SegmentOp& segment);
  NodeIndex softmax_weight(Spot spot, const Read& y, bool is_sparse);
  NodeIndex softmax_part(Spot spot, NodeIndex weight, const Read& g);
  void finish_softmax_gradient(ValueId id, Spot spot, const Read& y, const Read& g, NodeIndex mean,
                               bool is_sparse);
  // The same of long segments (lower_pieces.cc).
  [[nodiscard]] std::uint32_t piece_length(const Read& read, const Segments& segments,
                                           std::uint32_t rows,
                                           MemberKind kind = MemberKind::Rows) const;
  [[nodiscard]] Read through_pieces(const Read& read, const SegmentPieces& pieces) const;
  Read add_partial(std::uint32_t rows, Shape shape);
  Read add_shares(const Segments& segments, std::uint32_t rows);
  void reduce_pieces(ValueId id, const Read& members, const SegmentPieces& pieces,
                     Combination combination, MemberKind kind = MemberKind::Rows);
  void average_pieces(ValueId id, const Read& members, const Segments& segments,
                      const SegmentPieces& pieces);
  // Where few segments are long (lower_apart.cc).
  void find_followed();
  [[nodiscard]] bool is_stored_apart(ValueId id, const SegmentPieces& pieces,
                                     Combination combination) const;
  void reduce_apart(ValueId id, const Read& members, const Segments& segments,
                    const SegmentPieces& pieces, Combination combination);
  void store_rows(ValueId id, const Read& made, std::vector<std::uint32_t> rows,
                  std::vector<double> factors);
  void softmax_pieces(ValueId id, const Read& members, const SegmentPieces& pieces);
  void spread_to_pieces(ValueId id, const Read& g, const SegmentOp& segment,
                        const SegmentPieces& pieces);
  void select_in_pieces(ValueId id, const Read& x, const Read& g, Combination combination,
                        const SegmentPieces& pieces);
  void product_gradient_of_pieces(ValueId id, const Read& x, const Read& g, const Read& guard,
                                  const SegmentPieces& pieces);
  void softmax_gradient_of_pieces(ValueId id, const Read& y, const Read& g, bool is_sparse,
                                  const SegmentPieces& pieces);
  ValueId add_temporary(std::uint32_t rows, Shape shape,
                        std::shared_ptr<const std::vector<double>> of = nullptr);
  /// The g of a row, seen by its members.
  NodeIndex read_row(Spot spot, const Read& read);
  [[nodiscard]] bool reads_elsewhere(ValueId target, GroupIndex number, ArrayIndex list);
  [[nodiscard]] ValueId storage_of(ValueId value) const;
  void find_target_loads();
  [[nodiscard]] bool is_updated(ValueId value) const;
  bool update_in_place(ValueId id, ValueId target, const Read& read, ArrayIndex list);

  // Products that a sum, or a map, makes for itself (late_products.cc).
  void find_late_products();
  [[nodiscard]] bool scales_gathered(ValueId id) const;
  [[nodiscard]] bool is_map_product(ValueId id) const;
  [[nodiscard]] std::array<Read, 2> product_reads(ValueId id) const;
  NodeIndex product_node(Spot spot, ValueId id);
  [[nodiscard]] bool is_late_product(ValueId id) const;
  [[nodiscard]] Read make_members(const Read& members, const Segments& segments);

  // Reads (reads.cc).
  [[nodiscard]] Read read_of(ValueId operand) const;
  [[nodiscard]] std::uint32_t ready(ValueId value) const;
  [[nodiscard]] bool is_constant_one(ValueId value) const;
  NodeIndex read_node(Spot spot, const Read& read);
  NodeIndex load_node(Spot spot, const Read& read);
  void freeze(ValueId value);
  void mark_stored(ValueId value);
  ArrayIndex array_of(std::shared_ptr<const std::vector<std::uint32_t>> array);
  ArrayIndex list_of(const Index& index);
  [[nodiscard]] bool is_own_segment(const KernelGroup& group, const Read& read) const;

  // Choosing groups (choose_group.cc).
  [[nodiscard]] std::uint32_t row_count(const Read& read) const;
  Spot find_spot(std::uint32_t rows, std::span<const Read> reads, OpPace pace);
  [[nodiscard]] bool is_in_register(Spot spot, const Read& read) const;
  bool joins(Spot spot, std::uint32_t rows, std::span<const Read> reads, OpPace pace);
  Spot new_group(std::uint32_t rows, std::span<const Read> reads);
  /// A group with these segments whose members can be read: `members` is computed there, becomes
  /// its members, or is loaded. Other reads are by member too, or by segment.
  Spot find_segments(const Read& members, const Segments& segments, std::uint32_t segment_rows,
                     std::span<const Read> others = {});
  [[nodiscard]] bool can_absorb(const KernelGroup& group) const;
  [[nodiscard]] bool keeps_rows(const KernelGroup& group) const;
  /// Members that are made in an earlier phase are loaded again: the phase must be new.
  void open_member_phase(Spot spot, std::span<const Read> reads);
  void finish(ValueId id, Spot spot, NodeIndex node);

  const Program& program_;
  PlanOptions options_;
  std::map<const void*, ArrayIndex> array_numbers_;
  std::unordered_multimap<std::uint64_t, ArrayIndex> array_hashes_;
  std::vector<std::shared_ptr<const std::vector<std::uint32_t>>> equal_arrays_;
  std::map<std::tuple<Index::Form, std::uint32_t, std::uint32_t, std::uint32_t>, ArrayIndex>
      regular_lists_;
  std::vector<ValueId> updates_;
  std::vector<ValueId> updated_;  // what they store into, sorted
  std::vector<bool> updated_parameters_;
  std::vector<ValueId> first_weight_;  // by parameter
  std::vector<bool> late_products_;    // by value, of sums
  std::vector<bool> map_products_;     // by value, of maps
  std::vector<bool> followed_;         // by value: by ops that its kernel may take in
  /// The only segments around whose members an op may be computed; null: any.
  const Segments* own_segments_ = nullptr;
  /// By what an update stores into: the loads of it, as group and access.
  std::map<ValueId, std::vector<std::pair<GroupIndex, std::uint32_t>>> target_loads_;
  // A Program of a million levels has as many groups: few of them are added to at a time, and the
  // others share their kernels.
  std::deque<KernelGroup*> warm_;
  KernelSet<GroupKernel> kernels_;
  // Of the op that is being lowered.
  ValueId op_ = 0;
  std::uint32_t stage_ = 0;
};

}  // namespace vecc
