// What one row of a kernel does, as C++ that both printers share. Entries of short arrays are
// computed in loops over i, of which consecutive ones that fit become one loop with scalars in it.
// In C++ a thread runs all of a row; in CUDA C++ lanes share the row's entries (prelude/lanes.h):
// an array then has those of one lane, of which entry i is number j. In C++ arrays that would be
// too many for a thread's stack are in its scratch memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vecc/kernel.h"

namespace vecc {

/// Whether threads of a block have the tiles of an m x n matrix in registers.
[[nodiscard]] bool fits_tiles(std::uint64_t m, std::uint64_t n);

/// No operand is left out of a product.
inline constexpr std::uint32_t kNoOperand = 0xFFFFFFFFu;

/// A number as C++: infinities and NaN too.
[[nodiscard]] std::string constant_text(double value);

/// Whether entry i of a node is a formula of entries i of its operands (or of scalars).
[[nodiscard]] bool is_entrywise(const Kernel& kernel, const KernelNode& node);

/// Of a row of so many entries, how many a lane moves at once, and has: kPack and kOwn of
/// prelude/lanes.h.
[[nodiscard]] std::uint64_t lane_pack(std::uint64_t entries, std::uint64_t lanes);
[[nodiscard]] std::uint64_t lane_entries(std::uint64_t entries, std::uint64_t lanes);

/// op(left) op(right) of a Times is m x k times k x n.
struct ProductShape {
  std::uint32_t m = 0;
  std::uint32_t k = 0;
  std::uint32_t n = 0;
};
[[nodiscard]] ProductShape product_shape(const Kernel& kernel, const KernelNode& node);

/// Nodes of a sum over members: a loaded row, its factor (kNoOperand: none), the sum.
struct MemberSum {
  std::uint32_t row = 0;
  std::uint32_t factor = 0;
  std::uint32_t sum = 0;
};

class BodyPrinter {
 public:
  /// `lanes`: 0 for C++, else how many lanes of a GPU share a row.
  explicit BodyPrinter(const Kernel& kernel, std::uint32_t lanes = 0);

  /// Statements, from the variables r (row), d0, d1, ... (data of the accesses), l0, ... (lists),
  /// w0, ... (words by row), offsets, members, rows, type.
  [[nodiscard]] std::string print();
  /// Of what was printed: how many bytes of scratch memory a thread needs (C++), behind the
  /// variable `scratch`; at most how many its arrays take together otherwise.
  [[nodiscard]] std::uint64_t scratch_bytes() const { return scratch_bytes_; }
  [[nodiscard]] std::uint64_t array_bytes() const { return most_array_bytes_; }
  /// Whether rows are better run in blocks: print_blocked() then has the loop over rows, too, from
  /// `begin` to `end`; `row` is the row at place q + b.
  [[nodiscard]] bool is_blocked() const { return blocked_ != kNoOperand; }
  [[nodiscard]] std::string print_blocked(const std::string& row);
  /// The same on a GPU, where a block of threads has blocked_rows() at once.
  [[nodiscard]] std::string print_lane_blocks(const std::string& row);
  [[nodiscard]] std::uint32_t blocked_rows() const;
  /// Of a block's memory what products by matrix units take (matrix_units.h); 0: there are none.
  [[nodiscard]] std::uint32_t unit_memory() const;
  /// The loop's body for `Batch` numbers of a flat kernel, of which number 0 is `at`.
  [[nodiscard]] std::string print_flat_batch();
  /// Whether `Batch` members of any phase are loaded at once.
  [[nodiscard]] bool uses_batches() const;
  /// Whether the lanes of a row take members each, as its slots do: they are numbers.
  [[nodiscard]] bool lanes_share_members(const KernelPhase& phase) const;
  /// Whether the phase does nothing but add up outer products of two columns of each member.
  [[nodiscard]] bool sums_outer_products(const KernelPhase& phase) const;
  /// Blocks that share a matrix that is too large for one; 1 if there is none.
  [[nodiscard]] std::uint32_t matrix_parts() const;
  /// Rows begin .. end - 1 of sums that are such matrices, the block's part; `row` is the row at
  /// place q.
  [[nodiscard]] std::string print_large_sums(const std::string& row);

 private:
  // Products in blocks (print_blocks.cc, print_lane_blocks.cc).
  [[nodiscard]] bool is_blocked_product(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t block_rows_of(std::uint32_t number) const;
  void find_blocked_product();
  [[nodiscard]] bool can_split(std::size_t phase, std::size_t step);
  [[nodiscard]] bool goes_through_memory() const;
  [[nodiscard]] std::string print_row_products(const std::string& row);
  [[nodiscard]] std::optional<std::uint32_t> loaded_columns() const;
  [[nodiscard]] bool only_loads_before() const;
  [[nodiscard]] std::optional<std::uint32_t> only_store_after() const;
  void print_block_loop(const std::string& row, std::uint32_t rows, const std::string& call);
  void print_columns(const std::string& row, std::uint32_t k, std::uint32_t rows);
  void print_products(const std::string& row);
  void print_steps_before();
  void print_steps_after();
  [[nodiscard]] std::optional<MemberSum> member_sum(const KernelPhase& phase) const;
  void print_member_sum(const KernelPhase& phase, const MemberSum& of);
  void print_outer_products(const KernelPhase& phase);
  void print_lane_outer_products(const KernelPhase& phase);
  [[nodiscard]] std::string row_at(const std::string& row, std::uint32_t access,
                                   std::uint64_t entries) const;

  // Matrices that several blocks share (print_large_products.cc).
  [[nodiscard]] bool is_large_product() const;
  [[nodiscard]] bool fits_block() const;
  [[nodiscard]] std::optional<std::uint32_t> only_large_sum() const;
  [[nodiscard]] std::string print_large_products(const std::string& row);

  // Products by matrix units (print_matrix_units.cc).
  struct UnitBlock {
    std::uint32_t rows = 0;
    std::uint32_t depth = 0;  // terms of the matrix at a time
    std::uint32_t bytes = 0;
  };
  [[nodiscard]] bool is_unit_product(std::uint32_t number) const;
  [[nodiscard]] UnitBlock unit_block(std::uint32_t most, bool kept) const;
  [[nodiscard]] bool sums_by_units(const KernelPhase& phase) const;
  [[nodiscard]] std::string print_unit_blocks(const std::string& row);
  [[nodiscard]] std::string unit_outer_call(std::uint64_t m, std::uint64_t n) const;
  [[nodiscard]] std::string outer_products_call(const KernelPhase& phase, std::uint64_t m,
                                                std::uint64_t n) const;

  // Rows that lanes share (print_lanes.cc).
  void print_lanes_call(std::uint32_t number);
  void print_lanes_sum(std::uint32_t number, const std::string& term, std::uint64_t entries);
  bool print_lanes_total(std::uint32_t number);
  void print_lanes_guard(std::uint32_t number);
  void print_lanes_times(std::uint32_t number);
  void print_whole_row(std::uint32_t number);
  void gather_operands(std::uint32_t number);
  void join_slots(std::uint32_t number);
  [[nodiscard]] const char* first_member() const;
  [[nodiscard]] const char* slot_count() const;
  void print_sync(KernelSpace space);
  [[nodiscard]] bool stores_alias_loads() const { return kernel_.reloads || kernel_.in_place; }
  [[nodiscard]] bool is_distributed(std::uint32_t number) const;

  // Which loop over entries a node is computed in; loops are numbered through the kernel.
  void assign_loops();
  void find_arrays();

  void print_early_loads();
  void print_phase(const KernelPhase& phase);
  void print_step(const KernelStep& step, KernelSpace space);
  void print_node(std::uint32_t number, KernelSpace space);
  [[nodiscard]] std::string store_condition(KernelSpace space, std::uint64_t entries) const;
  void print_store(const KernelStore& store, KernelSpace space);
  void print_load(std::uint32_t number, KernelSpace space);
  void print_reduce(std::uint32_t number);
  void print_selection(std::uint32_t number);
  void print_call(std::uint32_t number);
  void print_members_loop(const KernelPhase& phase);
  void print_transform_call(std::uint32_t number);
  void print_transform_vjp_call(std::uint32_t number);
  void print_combine_call(std::uint32_t number);
  void print_choice(std::uint32_t number, std::size_t count);
  void print_cross_sum(std::uint32_t number);
  void print_combine_vjp_call(std::uint32_t number);
  void print_times_call(std::uint32_t number);
  void print_window(std::uint32_t number, bool back);
  void print_threshold(std::uint32_t number);
  [[nodiscard]] bool may_batch(const KernelPhase& phase) const;
  void print_batches(const KernelPhase& phase);
  [[nodiscard]] bool is_load(const KernelStep& step) const;
  void open_batch(bool strided);
  void declare_batch(const KernelPhase& phase);
  void load_batch(const KernelPhase& phase);
  void print_loaded(const KernelPhase& phase);
  void close_block();
  void declare_reductions(const KernelPhase& phase);
  void finish_reductions(const KernelPhase& phase);
  [[nodiscard]] std::string entry_text(const KernelNode& node, std::uint32_t number) const;
  [[nodiscard]] std::string derivative_text(const KernelNode& node) const;
  [[nodiscard]] std::string sum_text(const KernelNode& node) const;
  [[nodiscard]] std::string product_text(const KernelNode& node, std::uint32_t without) const;

  // Operands in text: entry i of a node, a pointer to its entries.
  [[nodiscard]] std::string entry(std::uint32_t number) const;
  [[nodiscard]] std::string pointer(std::uint32_t number) const;
  [[nodiscard]] std::uint64_t size(std::uint32_t number) const;
  [[nodiscard]] std::string row_of(const KernelAccess& access, std::uint32_t number,
                                   const std::string& counter) const;
  [[nodiscard]] std::string row_pointer(std::uint32_t access, const std::string& counter,
                                        std::uint64_t entries) const;
  [[nodiscard]] std::string word(const KernelNode& node, std::uint32_t k, std::uint32_t end) const;
  void declare(std::uint32_t number);
  void declare_array(const std::string& name, std::uint64_t entries, bool are_zeros = false);
  [[nodiscard]] bool moves_packs(std::uint32_t access) const;
  [[nodiscard]] std::uint64_t array_size(std::uint64_t entries) const;
  [[nodiscard]] const char* place() const { return lanes_ > 0 ? "[j]" : "[i]"; }

  void line(const std::string& text);       // now
  void loop_line(const std::string& text);  // in the open loop over entries
  void open_loop(std::uint64_t entries);
  void close_loop();
  [[nodiscard]] std::string entry_loop(std::uint64_t entries) const;

  const Kernel& kernel_;
  std::uint32_t lanes_;
  bool shared_ = false;               // in a phase of which lanes share the members
  bool batched_ = false;              // e may be behind the row: only if `here` it counts
  bool whole_ = false;                // every lane has all entries: x of operands, y of the result
  bool loop_stores_ = false;          // the open loop has a store
  std::vector<std::uint32_t> loops_;  // by node
  std::vector<bool> arrays_;          // by node: its entries outlive its loop
  std::vector<bool> early_;           // by node: it is loaded before the row's members
  std::string text_;
  std::string loop_;        // lines of the open loop
  std::string after_loop_;  // what follows it
  std::uint64_t loop_entries_ = 0;
  std::string indent_;
  std::uint32_t next_loop_ = 0;
  KernelSpace space_ = KernelSpace::Row;
  std::uint32_t blocked_ = kNoOperand;  // the product that rows are run in blocks for
  std::size_t blocked_phase_ = 0;
  std::size_t blocked_step_ = 0;
  std::vector<std::uint32_t> repeated_;  // loads that stand before and after it
  std::uint64_t array_bytes_ = 0;        // of a thread's arrays so far, those in open blocks only
  std::uint64_t most_array_bytes_ = 0;
  std::uint64_t scratch_bytes_ = 0;
};

}  // namespace vecc
