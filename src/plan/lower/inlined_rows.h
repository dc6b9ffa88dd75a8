// Rows of a value that no kernel stores, computed where they are read (find_inlined).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/plan/lower/op_lowering.h"

namespace vecc {

/// What reading `read` loads: those rows, or what they are made of.
void add_loads(const OpLowering& lowering, const RowRead& read, std::vector<RowRead>& loads);
/// The same of all that an op reads.
[[nodiscard]] std::vector<RowRead> loads_of(const OpLowering& lowering,
                                            std::span<const std::optional<RowRead>> reads);

/// The node of a row that is read.
[[nodiscard]] NodeIndex read_row(const OpLowering& lowering, const KernelBuilder& kernel,
                                 const RowRead& read);
/// The node of a row of the op `id`, which is made of `reads` (rows_read).
[[nodiscard]] NodeIndex make_row(const OpLowering& lowering, const KernelBuilder& kernel,
                                 ValueId id, std::span<const std::optional<RowRead>> reads);

}  // namespace vecc
