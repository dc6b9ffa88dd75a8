// Plan: a Program lowered to launches of fused kernels over planned buffers. What native backends
// (cpu, cuda) run and emitted programs contain. Everything in it is decided before a byte is
// allocated: the arena's size is the peak.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vecc/error.h"
#include "vecc/kernel.h"
#include "vecc/program.h"
#include "vecc/target.h"

namespace vecc {

using BufferIndex = std::uint32_t;
using ArrayIndex = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// A block of numbers of the Plan's dtype.
struct PlanBuffer {
  enum class Kind : std::uint8_t {
    Arena,      ///< at `offset` of the arena, while it is live
    Constant,   ///< a fact's rows: `values`
    Parameter,  ///< parameter number `source`
    State,      ///< the state op `source`
  };
  Kind kind = Kind::Arena;
  std::uint64_t elements = 0;
  std::uint64_t offset = 0;  ///< Arena: in elements
  std::uint32_t source = 0;
  SharedNumbers values;
  /// Arena: the launches between which it holds what is written to it (first store, last load).
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// Where a value's rows are: row i at elements first + i * shape.size() of the buffer; of a gather,
/// row i is row plan.views[view][i] of those. None: it was never stored, or is a gather that the
/// host does not read.
struct ValuePlace {
  BufferIndex buffer = kNone;
  std::uint32_t view = kNone;
  std::uint64_t first = 0;
};

struct AccessBinding {
  BufferIndex buffer = 0;
  std::uint64_t first = 0;  ///< element of the buffer where its row 0 is
  std::uint32_t rows = 0;   ///< rows from there on: what an index may name
  ArrayIndex list = kNone;  ///< RowMap::List
};

/// One run of a kernel. Tile t is rows tiles[t] .. tiles[t+1]-1 (positions in `order`, if there is
/// one): the unit of work of a thread. Tiles depend on the Program alone, so results do not depend
/// on the number of threads.
struct Launch {
  std::uint32_t kernel = 0;
  std::uint32_t rows = 0;
  std::uint32_t members = 0;   ///< Fixed, Strided: members a segment
  ArrayIndex offsets = kNone;  ///< Ragged
  std::vector<AccessBinding> accesses;
  ShortList words;  ///< arrays, by word slot
  ShortList tiles{0};
  /// Rows sorted by type, if a tile has one type; by members within each tile, if the kernel is
  /// `ordered`.
  ArrayIndex order = kNone;
  ShortList tile_types;     ///< by tile
  std::uint32_t level = 0;  ///< launches of one level do not depend on one another
  std::uint32_t stage = 0;  ///< 0: run(), 1: differentiate()
  std::uint64_t work = 0;   ///< multiply-adds and moved elements, roughly
  ShortList ops;            ///< values that it computes
};

/// The index arrays that a run makes of row numbers: a value of the step, `rows` scalars. What they
/// hold in a Plan stands for any such numbers.
struct NumberArrays {
  ArrayIndex list = kNone;     ///< the numbers
  ArrayIndex order = kNone;    ///< the rows by their numbers; those of one number in their order
  ArrayIndex ranks = kNone;    ///< by row: how many other numbers are lower
  ArrayIndex offsets = kNone;  ///< by rank: where `order` has its rows; then `rows`, to the end
  ArrayIndex scratch = kNone;  ///< what sorting takes
};

/// What a run does between launches: draws, and what is done by row numbers that are values.
struct NumberStep {
  enum class Kind : std::uint8_t {
    Draw,     ///< `to`: numbers drawn by the key `draw` for the step that `from` holds
    List,     ///< `from`, checked for all of `uses`, becomes the list
    Sort,     ///< the list becomes order, ranks and offsets
    Offsets,  ///< of the order: where the rows of each number begin, `row_offsets`
    Compare,  ///< rows of `from` that have one number have the same bits, or the run ends
    Store,    ///< the first row of `from` of each number becomes that row of `to`
  };
  /// An op whose operand, a value of the Program, counts `rows`.
  struct Use {
    ValueId op = 0;
    OpKind kind = OpKind::Take;
    ValueId numbers = 0;
    std::uint64_t rows = 0;
  };
  Kind kind = Kind::List;
  std::uint32_t stage = 0;
  std::uint32_t level = 0;   ///< before the launches of that level
  std::uint32_t before = 0;  ///< this is the first one of those
  std::vector<Use> uses;     ///< List: by op; of others the op that the step is of
  AccessBinding from;
  AccessBinding to;
  std::uint64_t row_elements = 1;  ///< of both
  NumberArrays arrays;
  ArrayIndex row_offsets = kNone;
  DrawOp draw;
};

struct Plan {
  Target target;  ///< what it was made for
  DType dtype = DType::F32;
  std::vector<Kernel> kernels;  ///< distinct
  std::vector<Launch> launches;
  std::vector<PlanBuffer> buffers;
  std::vector<std::shared_ptr<const std::vector<std::uint32_t>>> arrays;  ///< lists, offsets, words
  std::vector<NumberStep> number_steps;                                   ///< in their order
  std::vector<bool> filled;        ///< by array, the rest false: a run's steps write it
  std::vector<ValuePlace> places;  ///< by value of the Program
  std::vector<Index> views;        ///< of places
  std::uint64_t arena_elements = 0;

  [[nodiscard]] bool is_filled(ArrayIndex array) const {
    return array < filled.size() && filled[array];
  }
};

struct PlanOptions {
  /// What it is made for. With vectors, functions of many instructions stay out of loops over short
  /// rows: they are computed in flat kernels. Where several launches run at once, those of one
  /// level do: none stores where another one of its level does, or reads, nor in place of what it
  /// reads itself.
  Target target = {};
  /// Every value is stored and stays.
  bool keep_values = false;
  /// Values that stay until the next run, beside the outputs.
  std::vector<ValueId> kept = {};
  /// Ops from this one on run in a second stage, again and again: what they read of the first
  /// stage stays.
  ValueId second_stage = kNone;
  /// Of wide products in f32, on a GPU.
  MatmulPrecision precision = MatmulPrecision::Exact;
  /// Each op a kernel of its own: to find out whether fusion is to blame.
  bool fuse = true;
  /// Of an op that runs batch by batch: the members of its segments, and how many of these a usual
  /// batch has.
  struct UsualMembers {
    ValueId op = 0;
    std::uint64_t all = 0;
    std::uint64_t usual = 0;
  };
  /// By op. Long segments of these are cut into pieces by what a usual batch has of them.
  std::vector<UsualMembers> usual_members = {};
};

/// Lowers a Program; for a GPU any without indices that are values (`draw`, `take`, `sum_equal`,
/// `scatter_sum`, an `update` of three operands: its VECC_CHECK). Linear in its rows, reads and
/// members.
[[nodiscard]] Plan make_plan(const Program& program, const PlanOptions& options = {});

/// Every launch of the Plan: kernels verify; accesses lie within their buffers, every entry of an
/// index within the rows it names; offsets rise and end within the members; tiles cover the rows
/// once; no two buffers that are live at once overlap, but where a launch is through with a row of
/// one before it stores the same row of the other; nothing is read before it is written, nor in the
/// launch that writes it except at the same row; no row of a parameter or a state is read after its
/// update; arrays that a run fills are filled by a number step before, whose numbers are checked to
/// be rows of all that is read by them. Error: IllFormedOp with the launch or the step.
[[nodiscard]] Result<void> verify(const Plan& plan);

/// The Plan of that Program as text: buffers with the values that lie in them, launches with their
/// ops and bindings, outputs, and each kernel once. Long arrays are shortened; names are escaped.
[[nodiscard]] std::string text_of(const Plan& plan, const Program& program);

struct PlanStatistics {
  std::uint64_t kernels = 0;
  std::uint64_t launches = 0;
  std::uint64_t arena_bytes = 0;
  std::uint64_t constant_bytes = 0;
  std::uint64_t parameter_bytes = 0;  ///< and states
  std::uint64_t index_bytes = 0;      ///< as narrow as they are stored
};
[[nodiscard]] PlanStatistics statistics(const Plan& plan);

}  // namespace vecc
