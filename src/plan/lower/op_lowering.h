// What lowering one op takes: what is known of the Program, the kernels so far, and the op.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "src/plan/group/choose_group.h"
#include "src/plan/lower/kernel_builder.h"

namespace vecc {

struct OpLowering {
  const Program& program;
  const PlanOptions& options;
  const ProgramAnalysis& analysis;
  Grouping& grouping;
  ValueId op = 0;
  std::uint32_t stage = 0;
  /// The only segments around whose members the op may be computed; null: any.
  const Segments* within = nullptr;

  [[nodiscard]] RowRead read_of(ValueId operand) const {
    return vecc::read_of(program, analysis.sources, operand);
  }
  [[nodiscard]] Shape shape_of(ValueId value) const { return grouping.values[value].shape; }
  [[nodiscard]] std::uint32_t row_count(const RowRead& read) const {
    return grouping.values.row_count(read);
  }
  /// Rows of a value that is no op's.
  [[nodiscard]] RowRead add_temporary(std::uint32_t rows, Shape shape,
                                      SharedNumbers constants = {}) const {
    return {{grouping.values.add_temporary(rows, shape, std::move(constants)), {}}, shape};
  }

  /// A kernel for `rows` rows that the op joins, or a new one. `moved`: as in GroupRequest.
  [[nodiscard]] KernelBuilder begin_rows(std::uint32_t rows, std::span<const RowRead> reads,
                                         EntryLoop loop, std::uint32_t moved = kNone) const;
  /// A new one.
  [[nodiscard]] KernelBuilder begin_new_rows(std::uint32_t rows,
                                             std::span<const RowRead> reads) const;
  /// A kernel with these segments (`rows` of them) whose members can be read: `members` is computed
  /// there, becomes its members, or is loaded. `others` are read by member, too, or by segment.
  [[nodiscard]] KernelBuilder begin_members(const RowRead& members, const Segments& segments,
                                            std::uint32_t rows,
                                            std::span<const RowRead> others = {}) const;
  /// A new one, with so many members of all segments together.
  [[nodiscard]] KernelBuilder begin_new_members(std::uint32_t members, const Segments& segments,
                                                std::uint32_t rows,
                                                std::span<const RowRead> reads) const;
  /// One that is there.
  [[nodiscard]] KernelBuilder builder(GroupIndex group, KernelSpace space) const {
    return {program, grouping, op, group, space};
  }

 private:
  [[nodiscard]] GroupIndex add_group(std::uint32_t rows, const GroupChoice& choice) const {
    return grouping.groups.add(program.dtype(), rows, stage, choice.level);
  }
};

}  // namespace vecc
