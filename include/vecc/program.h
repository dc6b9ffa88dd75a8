// Program: the tensor IR.
//
// A Program is a list of ops in SSA form: op number i makes value %i, and reads only values before
// it. A value is `rows` x `shape`, row-major, of one dtype: `rows` is the vectorized dimension
// (neurons), `shape` one row's shape. Semantics that hold for every op:
//   - Values are immutable. A backend may alias (a Slice gather is a view, a chain of concats
//     `%b = concat %a, ...` where %a has no other appender shares one growing buffer).
//   - Row order is meaning: ops never reorder rows on their own.
//   - Sums add a segment's members in their order, as far as the backend keeps float order.
//   - An empty segment gives 0 for sum, avg and count, 1 for elproduct; max, min, elmax and elmin,
//     concat, fixed softmax over no member cannot exist.
//   - Parameters own their values; `weight` reads them, only `update` writes them, after every
//     other op of the run.
//   - A value whose shape is scalar broadcasts only where an op says so.
// Builders check shapes and indices against these rules, so that an ill-formed op cannot exist;
// verify() checks what is global. Text form: program_text.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "vecc/error.h"
#include "vecc/function.h"
#include "vecc/index.h"
#include "vecc/note.h"
#include "vecc/shape.h"
#include "vecc/shared_list.h"
#include "vecc/shared_numbers.h"
#include "vecc/short_list.h"

namespace vecc {

using ValueId = std::uint32_t;
using ParameterIndex = std::uint32_t;
enum class DType : std::uint8_t { F32, F64 };
[[nodiscard]] std::string_view text_of(DType dtype);
[[nodiscard]] std::uint32_t byte_size(DType dtype);

/// Learnable rows, owned by the Program: one safetensors entry.
struct Parameter {
  std::string name;  ///< unique; data: escape it for every sink
  std::uint32_t rows = 0;
  Shape shape;
  SharedNumbers values;  ///< rows * size; none: to be initialised
};

/// Constant rows. `unit`: every row is ONE (an unvalued fact), a scalar 1.
struct FactOp {
  SharedNumbers values;  ///< rows * size; none if unit
  std::uint32_t rows = 0;
  Shape shape;
  bool unit = false;
};
/// The rows of a parameter.
struct WeightOp {
  ParameterIndex parameter = 0;
};
/// Operands one after another; equal shapes and dtypes; at least one operand.
struct ConcatOp {};
/// Row i = operand 0's row index[i].
struct GatherOp {
  Index index;
};
/// How an operand of `linear` is repeated without a copy: Repeat n: all rows, n times (dimension
/// 1); Interleave n: each row n times (dimension 2).
struct Lift {
  enum class Kind : std::uint8_t { None, Repeat, Interleave };
  Kind kind = Kind::None;
  std::uint32_t times = 1;
  bool operator==(const Lift&) const = default;
};
/// Row-wise NeuraLogic `times` of operand 0 and operand 1, each after its transpose and its lift:
/// scale, dot, outer or matrix product (times_shape). Either side may be computed.
struct LinearOp {
  bool transpose_left = false;
  bool transpose_right = false;
  Lift lift_left;
  Lift lift_right;
};
/// The segments of consecutive rows that `segment` reduces.
class Segments {
 public:
  /// offsets.size()-1 segments; segment s is rows offsets[s] .. offsets[s+1]; offsets[0] = 0.
  static Segments ragged(std::vector<std::uint32_t> offsets);
  /// The same, shared.
  static Segments shared_ragged(std::shared_ptr<const std::vector<std::uint32_t>> offsets);
  /// Every segment has `members` rows. Dimension 2: adjacent rows; dimension 1: member k of all
  /// segments, then member k+1.
  static Segments fixed(std::uint32_t members, std::uint32_t dimension = 2);

  [[nodiscard]] bool is_fixed() const { return members_ != 0; }
  [[nodiscard]] std::uint32_t members() const { return members_; }
  [[nodiscard]] std::uint32_t dimension() const { return dimension_; }
  /// Ragged: the offsets; empty if fixed.
  [[nodiscard]] std::span<const std::uint32_t> offsets() const {
    return offsets_ ? std::span<const std::uint32_t>(*offsets_) : std::span<const std::uint32_t>();
  }
  /// The same, to be kept; null if fixed.
  [[nodiscard]] const std::shared_ptr<const std::vector<std::uint32_t>>& shared_offsets() const {
    return offsets_;
  }
  /// Number of segments over `rows` rows.
  [[nodiscard]] std::uint32_t count(std::uint32_t rows) const;
  [[nodiscard]] bool operator==(const Segments& other) const;

 private:
  std::uint32_t members_ = 0;
  std::uint32_t dimension_ = 2;
  std::shared_ptr<const std::vector<std::uint32_t>> offsets_;
};
/// Reduces segments of operand 0: one row a segment for sum, avg, count (a scalar), elproduct, max,
/// min (the whole member with the largest or smallest element sum, the first on ties), elmax, elmin
/// (the same of each entry by itself), and concat (fixed, dimension 2 only: members' elements
/// flattened to a column; no data moves). softmax (of each entry by itself) and sparsemax (scalars)
/// keep one row a member, in place.
struct SegmentOp {
  Segments segments;
  Combination combination = Combination::Sum;
};
/// Each row through a transformation. `words` holds word_count() words (the same for all rows) or
/// that many a row; the result shape must be the same for all rows.
struct TransformOp {
  TransformationSpec transformation;
  std::shared_ptr<const std::vector<std::uint32_t>> words;  ///< null if word_count() is 0
};
/// Row-wise n-ary expression; each operand has `rows` rows or 1 (broadcast).
struct MapOp {
  std::shared_ptr<const Expr> expr;
};
/// Operands g, x: row t = sum over rows e with types[e] = t of the gradient of `times(w_t, x_e)` at
/// w_t in direction g_e (for a column x: g_e x_e^T): weight gradients without outer products.
struct ContractOp {
  Index types;
  std::uint32_t type_count = 0;
  Shape weight_shape;
};
/// The gradient of a number by operand `wrt` of the op `of`, from g, its gradient by that op's
/// result (a vector-Jacobian product). Operands: those of `of`, then its result y, then g; all of
/// `of`'s operands, and y, are left out where the derivative does not read them (reads_of). The
/// value has the rows and the shape of operand `wrt`: a row that `of` read in all its rows gets the
/// sum over them. A row of g that is zero (of softmax and sparsemax an element that is zero in
/// all rows of a segment) passes nothing on, even where a derivative is infinite.
struct VjpOp {
  std::variant<SegmentOp, TransformOp, MapOp> of;
  std::uint32_t wrt = 0;
  Shape shape;  ///< a row of operand `wrt`
};
/// What a `vjp` reads beside g: the operands of the op that it differentiates, its result.
struct VjpReads {
  bool operands = false;
  bool result = false;
};
[[nodiscard]] VjpReads reads_of(const VjpOp& op);
/// Rows whole numbers below `bound`: row i is draw_below(draw_bits(seed, stream, step, i), bound)
/// (src/function/counter_draws.h), step being operand 0, one scalar: the same operand, key and row
/// make the same number on every backend and in every order of work.
struct DrawOp {
  std::uint32_t rows = 0;
  std::uint32_t bound = 1;
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;  ///< below 256
};
// Indices that are values of the step: an operand of scalars, each a whole number below the rows
// that it counts; a run with another number is an error (RowNumber). What passes know of such an
// op is that it reads all rows of its operands.
/// Row i = operand 0's row number k, k being row i of operand 1: a gather by value.
struct TakeOp {};
/// Operands g, index: row i is the sum of g's rows j with index_j = index_i, in the order of j: the
/// gradient of what a `take` read, a row for each row that it read, without a table.
struct SumEqualOp {};
/// Operands g, index: row k is the sum of g's rows j with index_j = k, in the order of j; 0 where
/// there is none. The transpose of `take`, over all `rows` of what it read.
struct ScatterSumOp {
  std::uint32_t rows = 0;
};
/// A mutable row block that outlives a run (an optimizer's moments), first `initial` everywhere.
struct StateOp {
  std::string name;  ///< unique in the Program
  std::uint32_t rows = 0;
  Shape shape;
  double initial = 0;
};
/// Operand 0 (a `weight` or `state`) takes operand 1's rows at the end of the run; with `rows`,
/// only the rows listed, in that order; with an operand 2, the rows that its scalars name: those
/// of one number are equal, as sums of equal indices are (a run with others is an error,
/// DifferentRows). The result is the value stored.
struct UpdateOp {
  std::optional<Index> rows;
};
/// Row i of operand 0 is the output of sample samples[i].
struct OutputOp {
  Index samples;
};

/// In the order of OpKind.
using OpAttributes = std::variant<FactOp, WeightOp, ConcatOp, GatherOp, LinearOp, SegmentOp,
                                  TransformOp, MapOp, ContractOp, VjpOp, DrawOp, TakeOp, SumEqualOp,
                                  ScatterSumOp, StateOp, UpdateOp, OutputOp>;
enum class OpKind : std::uint8_t {
  Fact,
  Weight,
  Concat,
  Gather,
  Linear,
  Segment,
  Transform,
  Map,
  Contract,
  Vjp,
  Draw,
  Take,
  SumEqual,
  ScatterSum,
  State,
  Update,
  Output,
};
inline constexpr std::size_t kOpKinds = std::variant_size_v<OpAttributes>;
[[nodiscard]] std::string_view text_of(OpKind kind);

using Operands = ShortList;

struct Op {
  OpAttributes attributes;
  Operands operands;
  // The result; Program::add computes these.
  std::uint32_t rows = 0;
  Shape shape;
  DType dtype = DType::F32;
  /// Where it comes from (group names); data: escape it for every sink.
  Note note;

  [[nodiscard]] OpKind kind() const { return static_cast<OpKind>(attributes.index()); }
  /// rows * shape.size()
  [[nodiscard]] std::uint64_t size() const { return rows * shape.size(); }
};

/// Copies share their ops: to keep a Program while another one grows out of it costs nothing.
class Program {
 public:
  explicit Program(DType dtype = DType::F32);
  Program(const Program& other);
  Program(Program&& other) noexcept;
  Program& operator=(const Program& other);
  Program& operator=(Program&& other) noexcept;
  ~Program();

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const SharedList<Op>& ops() const { return ops_; }
  [[nodiscard]] const Op& op(ValueId value) const { return ops_[value]; }
  [[nodiscard]] const std::vector<Parameter>& parameters() const { return parameters_; }
  [[nodiscard]] std::uint32_t sample_count() const { return sample_count_; }
  void set_sample_count(std::uint32_t count) { sample_count_ = count; }

  /// Checks an op and computes rows, shape and dtype. Errors: IllFormedOp with what does not fit,
  /// LimitRows, LimitShape (more than 2^28 elements a row).
  [[nodiscard]] Result<ValueId> add(OpAttributes attributes, Operands operands, Note note = {});
  /// The op of `other` that has the next number, shared. All ops so far came from `other` in this
  /// way, and both have the same parameters.
  ValueId share_next(const Program& other) {
    ops_.share_next(other.ops_);
    return static_cast<ValueId>(ops_.size() - 1);
  }
  /// Errors: DuplicateName; IllFormedOp if `values` has another length; LimitShape.
  [[nodiscard]] Result<ParameterIndex> add_parameter(Parameter parameter);
  /// Other initial values for a parameter (rows * size).
  void set_parameter_values(ParameterIndex parameter, SharedNumbers values);

  // The same for callers that know the op to be well formed (a pass, the vectorizer): an ill-formed
  // op is their bug and fails a VECC_CHECK.
  ValueId fact(std::vector<double> values, std::uint32_t rows, Shape shape, Note note = {});
  ValueId shared_fact(SharedNumbers values, std::uint32_t rows, Shape shape, Note note = {});
  ValueId unit_fact(std::uint32_t rows, Note note = {});
  ValueId weight(ParameterIndex parameter, Note note = {});
  /// A single operand is returned as it is.
  ValueId concat(std::span<const ValueId> operands, Note note = {});
  /// Reading all rows in order returns `operand` itself.
  ValueId gather(ValueId operand, Index index, Note note = {});
  ValueId linear(ValueId left, ValueId right, LinearOp attributes = {}, Note note = {});
  ValueId segment(ValueId operand, Segments segments, Combination combination, Note note = {});
  /// Identity returns `operand` itself.
  ValueId transform(ValueId operand, const TransformationSpec& transformation,
                    std::vector<std::uint32_t> words = {}, Note note = {});
  ValueId map(Expr expr, std::span<const ValueId> operands, Note note = {});
  ValueId output(ValueId operand, Index samples, Note note = {});

 private:
  DType dtype_;
  SharedList<Op> ops_;
  std::vector<Parameter> parameters_;
  std::unordered_set<std::string> parameter_names_;
  std::uint32_t sample_count_ = 0;
};

/// Global rules: parameters and states named once, every sample in exactly one `output`, `update`
/// targets are weights or states and updated once, operands before results. Empty if all hold.
[[nodiscard]] Result<void> verify(const Program& program);

/// Counts over a Program, for reports.
struct ProgramStatistics {
  std::uint64_t ops = 0;
  std::uint64_t rows = 0;         ///< of computed values (not facts, weights, outputs)
  std::uint64_t value_bytes = 0;  ///< of all values, were they all stored
  std::uint64_t index_bytes = 0;
  std::uint64_t parameter_bytes = 0;
};
[[nodiscard]] ProgramStatistics statistics(const Program& program);

}  // namespace vecc
