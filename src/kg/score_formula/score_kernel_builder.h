// One kernel of a score that grows: loads and stores of arrays, and nodes.
#pragma once

#include <utility>

#include "src/kg/score_formula/column_kernel.h"
#include "src/kg/score_formula/score_kernels.h"
#include "src/kg/score_formula/trim_kernel.h"
#include "src/plan/lower/kernel_builder.h"

namespace vecc::kg {

class ScoreKernelBuilder {
 public:
  explicit ScoreKernelBuilder(DType dtype)
      : program_(dtype),
        analysis_(analyze(program_, {})),
        grouping_(program_, analysis_),
        group_(grouping_.groups.add(dtype, 1, 0, 1)) {}

  // Rows have members, as many as a launch says.
  void begin_members() {
    constexpr std::uint32_t kSome = 1024;  // more than a kernel has as a constant
    grouping_.groups[group_].set_segments(Segments::fixed(kSome), kSome);
  }
  [[nodiscard]] KernelBuilder at(KernelSpace space) {
    return {program_, grouping_, 0, group_, space};
  }
  NodeIndex load(ScoreArray array, Shape shape, KernelSpace space, RowMap map) {
    return grouping_.groups[group_].load(access_of(array, shape, space, map));
  }
  void store(ScoreArray array, NodeIndex node) {
    KernelGroup& group = grouping_.groups[group_];
    group.store(node, access_of(array, group.shape_of(node), group.space_of(node), RowMap::Direct));
  }

  ScoreKernel take() {
    KernelGroup& group = grouping_.groups[group_];
    ScoreKernel made;
    for (const GroupAccess& access : group.accesses()) {
      made.arrays.push_back(static_cast<ScoreArray>(access.value));
    }
    made.kernel = group.take_kernel();
    made = trimmed(with_columns(with_read_operands(std::move(made))));
    const auto verified = vecc::verify(made.kernel);
    VECC_CHECK(verified, "a score's kernel breaks a rule");
    return made;
  }

 private:
  static GroupAccess access_of(ScoreArray array, Shape shape, KernelSpace space, RowMap map) {
    GroupAccess access{{false, space, map, shape}, static_cast<ValueId>(array)};
    // Every list is one of its own.
    if (map == RowMap::List) access.list = static_cast<ArrayIndex>(array);
    return access;
  }

  Program program_;
  ProgramAnalysis analysis_;
  Grouping grouping_;
  GroupIndex group_;
};

}  // namespace vecc::kg
