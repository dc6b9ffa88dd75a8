// Where values are while kernels grow: which kernel computes each, and which are stored.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "src/plan/analysis/program_analysis.h"
#include "src/plan/group/kernel_group.h"

namespace vecc {

struct ValueState {
  GroupIndex group = kNone;  ///< that computes it
  NodeIndex node = 0;
  KernelSpace space = KernelSpace::Row;
  bool stored = false;
  std::uint32_t level = 0;    ///< of what several groups make, or of an alias
  ValueId alias = kNone;      ///< the same memory, as other rows
  GroupIndex reader = kNone;  ///< the last one that loads it
  std::uint32_t rows = 0;
  Shape shape;
};

/// The Program's values, then temporaries.
class ValueTable {
 public:
  ValueTable(const Program& program, const ProgramAnalysis& analysis);

  [[nodiscard]] std::size_t size() const { return states_.size(); }
  [[nodiscard]] const ValueState& operator[](ValueId id) const { return states_[id]; }
  [[nodiscard]] std::uint32_t row_count(const RowRead& read) const;
  /// The value in whose buffer it lies, and where.
  [[nodiscard]] Place place(ValueId id) const;
  /// Whose rows the host, or an update, reads for those of a value of the Program.
  [[nodiscard]] ValueSource source(ValueId id) const;
  [[nodiscard]] ValueId source_value(ValueId id) const;
  /// What a temporary is if that is known beforehand, else none.
  [[nodiscard]] SharedNumbers constants(ValueId id) const;

  ValueId add_temporary(std::uint32_t rows, Shape shape, SharedNumbers constants = {});
  void set_node(ValueId id, GroupIndex group, NodeIndex node, KernelSpace space);
  /// Its group's rows became members.
  void become_member(ValueId id) { states_[id].space = KernelSpace::Member; }
  void set_alias(ValueId id, ValueId of, std::uint32_t level);
  void set_source(ValueId id, ValueSource source) { copies_[id] = std::move(source); }
  void set_reader(ValueId id, GroupIndex group) { states_[id].reader = group; }
  /// Its rows, and those that it is an alias of, are stored by what computes them.
  void mark_stored(ValueId id);
  /// Some of its rows are stored by a group of this level.
  void add_stored_rows(ValueId id, std::uint32_t level);

 private:
  std::vector<ValueState> states_;
  const ProgramAnalysis& analysis_;
  std::unordered_map<ValueId, ValueSource> copies_;  // where rows are copied before they change
  std::map<ValueId, SharedNumbers> constants_;
};

}  // namespace vecc
