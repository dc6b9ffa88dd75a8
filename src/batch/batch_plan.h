// A Plan whose launches run on any of their rows: what BatchBinder binds.
//
// The Plan of the whole step is changed in what its kernels read, not in what they compute:
//   - Launches may skip rows: kernels take an order of rows, flat ones runs of rows.
//   - Sums of what is 0 but for a batch skip members: segments are ragged, members are listed. Such
//     a launch ("drops") numbers its rows and members anew for each batch.
// Rows keep their numbers in buffers, so that only these index arrays differ from batch to batch.
// In a compact plan every launch numbers its rows anew, and rows of the arena are numbered among
// those that the batch has (src/batch/compact_writer.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/batch/batch_outputs.h"
#include "src/batch/member_rows.h"
#include "src/plan/make_launches.h"
#include "src/program/inverse_index.h"
#include "vecc/batch.h"
#include "vecc/plan.h"
#include "vecc/program.h"

namespace vecc {

/// Where an access of a launch goes. Rows of buffers are counted in units: of all accesses to a
/// buffer the greatest common divisor.
struct BatchAccess {
  KernelSpace space = KernelSpace::Row;
  /// As the Plan has it before rows are renumbered: of a launch that drops, Row accesses that are
  /// Direct here are lists of the rows.
  RowMap map = RowMap::Direct;
  BufferIndex buffer = 0;
  bool store = false;
  /// A load of what is 0, or infinite, but for a batch.
  bool is_zero = false;
  /// A load of what a launch before stores.
  bool is_made = false;
  std::uint64_t first = 0;                                 ///< unit where its row 0 begins
  std::uint64_t size = 1;                                  ///< units of a row
  std::uint32_t rows = 0;                                  ///< that it may name
  std::shared_ptr<const std::vector<std::uint32_t>> list;  ///< List
  bool is_identity = false;                                ///< List: entry i is i; no `readers`
  /// Of the list, where rows are looked for from behind: loads that are zero, stores. They are of
  /// rows first_read .. end_read - 1, counted from the first; other rows have none.
  std::shared_ptr<const InverseIndex> readers;
  std::uint32_t first_read = 0;
  std::uint32_t end_read = 0;
  bool is_read_once = false;  ///< each of these rows has one, and `readers` no offsets
};

/// A store into a parameter or a state.
struct BatchUpdate {
  std::uint32_t access = 0;
  std::uint32_t group = kNone;         ///< of BatchPlan::groups; kNone: runs for every batch
  std::vector<std::uint32_t> sources;  ///< accesses: no gradient where none of them has a row
};

/// Stores that are 0 where the same loads are.
struct BatchSources {
  std::vector<std::uint32_t> loads;   ///< accesses
  std::vector<std::uint32_t> stores;  ///< accesses, to buffers that are 0 but for a batch
};

struct BatchLaunch {
  std::vector<BatchAccess> accesses;
  /// Of its loads that are is_zero all but those that another one stands for (zero_sources()).
  std::vector<BatchSources> sources;
  std::vector<BatchUpdate> updates;
  KernelSegments segments = KernelSegments::None;
  std::uint32_t rows = 0;
  std::uint32_t members = 0;                                  ///< of Fixed, Strided
  std::shared_ptr<const std::vector<std::uint32_t>> offsets;  ///< of Ragged
  std::shared_ptr<const std::vector<std::uint32_t>> owners;   ///< of Ragged: the row of a member
  std::shared_ptr<const MemberRows> member_rows;              ///< where there are owners
  std::shared_ptr<const std::vector<std::uint32_t>> types;    ///< by row; null: none
  bool drops = false;
  bool takes_order = false;  ///< its rows may come by a list
  bool is_narrow = false;    ///< entries of lists and orders have 16 bits
  TileFloor floor = TileFloor::None;
  std::uint64_t work = 0;
  std::uint64_t row_work = 0;  ///< of a row without its members
};

struct BatchPlan {
  /// BatchBinder does not read it: it may be moved to where it runs.
  Plan plan;
  std::vector<BatchLaunch> launches;              ///< of the Plan's
  std::vector<bool> zero_buffers;                 ///< by buffer: at rest but for a batch
  std::vector<double> rests;                      ///< by buffer that is: 0 or an infinity
  std::vector<bool> made_buffers;                 ///< by buffer: of the arena, stored by a launch
  std::vector<std::uint64_t> units;               ///< by buffer: numbers of a unit
  std::vector<std::uint64_t> unit_counts;         ///< by buffer: how many units it has
  std::vector<std::vector<BufferIndex>> weights;  ///< by BatchOptions::weights
  std::vector<ParameterIndex> groups;             ///< parameters that updates belong to
  std::vector<BatchOutput> outputs;               ///< by sample; none: batches ask for none
  bool is_compact = false;
  // Of a compact plan, by buffer:
  std::vector<std::uint64_t> blocks;  ///< of one that is made: units that stay together
  /// The first launch that stores into it, and the last that loads from it; where launches run side
  /// by side, all of them.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lives;
  bool lists_touched = false;  ///< BatchOptions'
  bool mixes_samples = false;  ///< BatchOptions'
};

/// `plan`: of `program`. Error: BackendUnsupported, with what cannot run batch by batch (a launch
/// that reads a parameter which one before it has updated; with lists_touched, one that updates
/// several tables at once). `compact`: check_compact().
[[nodiscard]] Result<BatchPlan> make_batch_plan(Plan plan, const Program& program,
                                                const BatchOptions& options, bool compact = false);

/// Whether its batches may be compact: all launches' rows may be numbered anew, and the host reads
/// no values. Error: Usage, with what stands against it.
[[nodiscard]] Result<void> check_compact(const Plan& plan, const BatchOptions& options);

/// Of its index arrays, each counted once.
[[nodiscard]] std::uint64_t bytes_of(const BatchPlan& plan);

}  // namespace vecc
