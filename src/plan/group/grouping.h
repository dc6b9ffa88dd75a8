// What grouping has made so far: kernels that grow, the values that they compute, and the index
// arrays that they read through. Assembling makes the Plan of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/plan/group/kernel_group.h"
#include "src/plan/group/value_table.h"

namespace vecc {

/// A Program of a million levels has as many groups: few of them are added to at a time, and the
/// others share their kernels.
class KernelGroups {
 public:
  [[nodiscard]] std::size_t size() const { return first_ + groups_.size(); }
  [[nodiscard]] KernelGroup& operator[](GroupIndex g) { return groups_[g - first_]; }
  [[nodiscard]] const KernelGroup& operator[](GroupIndex g) const { return groups_[g - first_]; }

  GroupIndex add(DType dtype, std::uint32_t rows, std::uint32_t stage, std::uint32_t level);
  /// The group computes some of the op.
  void note_op(GroupIndex g, ValueId op);
  /// The group is no longer read.
  void release(GroupIndex g);

 private:
  std::deque<KernelGroup> groups_;  // but those before `first_`, which are released
  GroupIndex first_ = 0;
  std::deque<KernelGroup*> open_;  // that have kernels of their own, the oldest first
  KernelSet<GroupKernel> kernels_;
};

/// Equal arrays are one, so that what is read through either is loaded once.
class IndexArrays {
 public:
  using Array = std::shared_ptr<const std::vector<std::uint32_t>>;

  ArrayIndex add(Array array);
  ArrayIndex add(const Index& index);
  /// An array that a run fills: equal to itself alone. Is added by the same pointer.
  ArrayIndex add_filled(Array array);
  /// Whether a run fills this array of entries.
  [[nodiscard]] bool is_filled(const void* array) const { return filled_.contains(array); }
  /// By pointer.
  [[nodiscard]] const std::map<const void*, ArrayIndex>& filled() const { return filled_; }
  /// Whether the array has the rows that an index reads.
  [[nodiscard]] bool are_entries(ArrayIndex array, const Index& index) const;
  /// By number; none are left here.
  [[nodiscard]] std::vector<Array> take() { return std::move(arrays_); }

 private:
  std::vector<Array> arrays_;
  std::map<const void*, ArrayIndex> numbers_;
  std::map<const void*, ArrayIndex> filled_;
  std::unordered_multimap<std::uint64_t, ArrayIndex> hashes_;
  std::vector<Array> equal_;  // kept: their addresses stay their own
  std::map<std::tuple<Index::Form, std::uint32_t, std::uint32_t, std::uint32_t>, ArrayIndex>
      regular_;  // of indices that are no lists
};

/// A number step of the Plan, by the values that it reads and stores; kNone: none.
struct GroupedStep {
  NumberStep step;
  ValueId from = kNone;
  ValueId to = kNone;
};

/// Row numbers that are a value, and the arrays that steps make of them.
struct RowNumbers {
  ValueId value = kNone;      ///< whose rows are the numbers
  std::size_t list_step = 0;  ///< of Grouping::steps
  bool is_sorted = false;
  std::uint32_t distinct = 0;  ///< if it is sorted: different numbers, at most
  NumberArrays arrays;
  std::map<std::uint32_t, Segments> row_segments;  ///< by rows: `order` by row, of a scatter_sum
  Index list;                                      ///< as indices, through which rows are read
  Index order;                                     ///< if it is sorted
  Index ranks;
  Segments
      offsets;  ///< rows of `order` of one number each; `distinct` of them, the last may be empty
};

struct Grouping {
  Grouping(const Program& program, const ProgramAnalysis& analysis) : values(program, analysis) {}

  KernelGroups groups;
  ValueTable values;
  IndexArrays arrays;
  std::vector<GroupedStep> steps;
  std::map<ValueId, RowNumbers> row_numbers;  ///< by operand

  /// The level of the last group that makes some of a value: readers elsewhere have higher ones.
  [[nodiscard]] std::uint32_t level_of(ValueId value) const;
  /// The value is read outside of the group that makes it: the group's level no longer rises.
  void freeze(ValueId value);
};

}  // namespace vecc
