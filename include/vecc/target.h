// Target: one description of a machine. Everything that depends on what a Plan runs on (how
// launches share rows, what runs at once, how many registers a kernel may take) reads it, and a
// Plan says which one it was made for. So a Plan for a GPU can be made and printed where there is
// none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vecc/error.h"

namespace vecc {

/// What a GPU's multiprocessors take, in their cycles: the model by which a launch's loops are
/// chosen (src/kernel/schedule/loop_model.h).
struct LoopTimes {
  double instructions = 0;       ///< that a multiprocessor begins in a cycle while others wait
  double wait = 0;               ///< until what a batch of members loads is there
  double instruction_wait = 0;   ///< of each instruction of a batch, and of a row
  double line_wait = 0;          ///< of each line of the cache that a warp reads
  double line_instructions = 0;  ///< begun in the time in which a line is read after another
  double block_join = 0;         ///< joining a block's warps, in joins of two halves of a warp
  double moved = 0;              ///< numbers that the whole GPU moves in a cycle
  double multiply_adds = 0;      ///< that the whole GPU computes in a cycle

  bool operator==(const LoopTimes&) const = default;
};

/// How many members of a segment are one piece, so that threads share long ones (split-K):
/// src/plan/analysis/segment_pieces.h.
struct PieceSizes {
  std::uint32_t longest = 2048;  ///< of long rows' sums a quarter and more; a GPU's: of matrices

  // What follows is a GPU's.
  std::uint32_t shortest = 0;   ///< where a segment has as many pieces as a piece has members
  std::uint32_t lanes = 0;      ///< that a group of lanes takes, one after the other
  std::uint32_t products = 0;   ///< of a sum of outer products
  std::uint32_t softmax = 0;    ///< of a softmax
  std::uint32_t least_cut = 0;  ///< segments of no more stay whole where they are few
  /// Sums of more outer products of small matrices: pieces twice as long as there are, since warps
  /// join matrices.
  std::uint32_t many_products = 0;
  // Of a sum of outer products whose tiles blocks share.
  std::uint32_t tile_blocks = 0;  ///< that keep a multiprocessor busy
  std::uint32_t tile_shortest = 0;
  std::uint32_t tile_longest = 0;

  bool operator==(const PieceSizes&) const = default;
};

/// By what is decided whether kernels are started as CUDA graphs (backends/cuda/launch_way.h), and
/// their order and priorities in these (backends/cuda/early_start.h).
struct LaunchTimes {
  double launch = 0;                ///< microseconds from a kernel's end to the start of the next
  double long_kernel = 0;           ///< microseconds; longer ones let no other start beside them
  std::uint32_t short_members = 0;  ///< kernels of no more end soon after they start
  double made_batch = 0;            ///< microseconds of the kernels that make a batch
  double batch_arrays = 0;          ///< microseconds of a batch's arrays beside its launches
  /// Results that may end so much later have the smallest priority: a share of the time of the
  /// longest chain.
  double can_wait = 0;
  std::uint32_t graph_nodes = 0;     ///< of one graph: instantiating it takes more than linear time
  std::uint32_t graph_launches = 0;  ///< no more are a graph, however often they run
  std::uint32_t graph_runs = 0;      ///< by which a graph of more has paid for being made

  bool operator==(const LaunchTimes&) const = default;
};

/// What of a kernel's values stays in a processor's registers and caches.
struct ProcessorTiles {
  /// Rows of a product's tile whose sums stay in vector registers, of two registers each, beside a
  /// row of the other matrix and one factor.
  std::uint32_t rows = 6;
  /// Of a core's own cache, what a block of members or rows takes at most: the columns of members
  /// beside the tiles of a sum of outer products, whose order depends on it; the values of rows
  /// that an interpreted kernel computes at once.
  std::uint32_t block_bytes = 128 << 10;
  /// Of the same, scores of triples that are counted before others are computed.
  std::uint32_t score_bytes = 1 << 20;
  /// Rows that are stored by an order or a list, and members' that are read through one, are
  /// fetched so many before: a store to a line that is in no cache makes those behind it wait.
  std::uint32_t rows_ahead = 16;
  /// Of longer ones the processor fetches the rest when it meets their first lines.
  std::uint32_t fetched_bytes = 256;
  /// Of a core's own cache, what launches that take turns store in one (src/plan/tile_order.h).
  std::uint32_t turn_bytes = 1 << 20;

  bool operator==(const ProcessorTiles&) const = default;
};

/// What launches and batches take on a processor: by what its kernels are compiled or interpreted
/// (backends/cpu/bound_plan.h), and which way batches go (src/train/batch_way.h).
struct ProcessorTimes {
  double compiled_kernel = 25e3;    ///< microseconds of the compiler for a kernel of many
  double interpreted_launch = 0.3;  ///< microseconds of an interpreted launch of a few rows
  double interpreted_work = 1e-3;   ///< microseconds of one more unit of Launch::work in it
  /// Of a Program's op, several of which are a launch: in numbers that are moved or multiplied.
  double op = 300;
  /// To find a row or a member of a batch, list it and read it through the list, in such numbers.
  double listing = 60;

  bool operator==(const ProcessorTimes&) const = default;
};

/// What one thread takes, of a processor or of a GPU's host: by what it is decided which way
/// batches go (src/train/batch_way.h), and where they are made (backends/cuda/batch_maker.h).
struct HostTimes {
  double number = 8e-4;  ///< microseconds of one that is moved or multiplied
  /// In such numbers, what it takes to find what a GPU's batch has: of an op, and of each row and
  /// member that is listed.
  double launch = 150;
  double listing = 5.4;
  double bound_kilobyte = 2.57;  ///< microseconds of index arrays of a GPU's batch, a thread
  double binders = 4;            ///< threads that find a GPU's batches, on most machines
  /// No more threads bind batches: each has sets of all rows, and so many bind a GPU's in about the
  /// time that it takes to write and copy them.
  std::uint32_t most_binders = 1;
  /// Microseconds. Batches that are bound in less are bound by the thread that runs them: to wake
  /// another takes some microseconds of both.
  double shortest_binding = 50;

  bool operator==(const HostTimes&) const = default;
};

/// What libtorch's kernels take, by which the torch backend chooses between them
/// (backends/torch/grouped_linears.h, reduce_choice.h, row_sums.h). The defaults are a processor's.
struct TorchTimes {
  std::uint64_t launch = 1 << 12;  ///< numbers that are written in the time of a launch
  /// A sum as a sparse product pays from so many additions on: fewer are not worth waking the
  /// processor's threads, which it always does.
  std::uint64_t product_additions = 2048;
  /// And from so many columns on: a GPU's warp takes those of a row.
  std::uint32_t product_columns = 0;
  std::uint32_t longest_segment = 0;  ///< longer ones are added in parts; 0: none is

  bool operator==(const TorchTimes&) const = default;
};

struct Target {
  std::string name = "cpu";
  /// Of a processor's vector registers; 0: threads compute number by number.
  std::uint32_t vector_bytes = 32;
  ProcessorTiles tiles;      ///< of a processor
  ProcessorTimes processor;  ///< of a processor
  HostTimes host;
  TorchTimes torch;
  /// Launches that may run at the same time. Of one launch at a time the next may take the memory
  /// of values that are not read any more.
  std::uint32_t launches_at_once = 1;
  PieceSizes pieces;

  // What follows is a GPU's; 0 of a CPU.
  std::uint32_t capability = 0;  ///< 90 is compute capability 9.0
  std::uint32_t multiprocessors = 0;
  std::uint32_t threads = 0;       ///< of a multiprocessor, at most
  std::uint32_t registers = 0;     ///< of a multiprocessor, of 32 bits
  std::uint32_t shared_bytes = 0;  ///< of a multiprocessor: memory that its blocks share
  std::uint32_t packed_bytes = 0;  ///< that a thread moves at once, at most
  std::uint32_t line_bytes = 0;    ///< of a line of the cache
  std::uint64_t cache_bytes = 0;   ///< that all multiprocessors share (L2)
  double megahertz = 0;            ///< cycles a microsecond, under load
  LoopTimes loops;
  LaunchTimes launches;

  [[nodiscard]] bool has_vectors() const { return vector_bytes > 0; }
  /// Whether launches of one level, which do not depend on one another, run side by side.
  [[nodiscard]] bool runs_levels_at_once() const { return launches_at_once > 1; }
  /// Whether blocks of threads have memory of their own, in which they keep parts of matrices.
  [[nodiscard]] bool has_shared_memory() const { return shared_bytes > 0; }
  /// Tensor cores for products of TF32 and BF16.
  [[nodiscard]] bool has_tensor_cores() const;
  /// Whether a kernel of a CUDA graph may begin before those that it waits for have ended.
  [[nodiscard]] bool starts_early() const;
  /// Blocks of so many threads that run at once on a multiprocessor, and on all of them.
  [[nodiscard]] std::uint32_t blocks_of_multiprocessor(std::uint32_t block_threads) const;
  [[nodiscard]] std::uint32_t blocks_at_once(std::uint32_t block_threads) const;

  bool operator==(const Target&) const = default;
};

/// "9.0" of 90.
[[nodiscard]] std::string capability_text(std::uint32_t capability);

/// The GPUs that are known by name.
[[nodiscard]] std::span<const Target> known_targets();
/// Null if there is none of that name.
[[nodiscard]] const Target* find_target(std::string_view name);
/// What is planned for where no GPU is there or named: an H200.
[[nodiscard]] const Target& default_gpu();

/// The processor that this runs on. Results are those of any other with fused multiply-adds: its
/// tiles alone differ.
[[nodiscard]] Target host_processor();

/// Whether kernels run on such a GPU; `place` is of the error: DeviceAbsent.
[[nodiscard]] Result<void> check_capability(std::uint32_t capability, const std::string& place,
                                            const std::string& gpu);

/// Whether it has tensor cores for what `option` asks for: BackendUnsupported.
[[nodiscard]] Result<void> check_tensor_cores(const Target& target, const std::string& place,
                                              const std::string& option);

/// A known GPU's name, or a file with a Target as JSON (docs/targets.md). Errors:
/// FileUnreadable, BadTable (with what was found and expected), DeviceAbsent (an old GPU).
[[nodiscard]] Result<Target> read_target(const std::string& name_or_path);
/// The same of a file's text; `place` is of errors.
[[nodiscard]] Result<Target> parse_target(std::string_view json, const std::string& place);
/// As parse_target() reads it.
[[nodiscard]] std::string text_of(const Target& target);

/// What a driver says of a GPU; 0 where it says nothing.
struct GpuFacts {
  std::string device;  ///< "NVIDIA H200"
  std::uint32_t capability = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t threads = 0;
  std::uint32_t registers = 0;
  std::uint32_t shared_bytes = 0;
  std::uint64_t cache_bytes = 0;
};
/// With the times of the known GPU that its name has, else with the default GPU's; those of the
/// whole GPU by its multiprocessors.
[[nodiscard]] Target target_of(const GpuFacts& facts);

}  // namespace vecc
