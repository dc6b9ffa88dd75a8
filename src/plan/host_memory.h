// What a Plan takes of the host's memory once it is bound there (the cpu backend), known before any
// of it is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "src/plan/plan_tables.h"
#include "vecc/plan.h"
#include "vecc/program.h"

namespace vecc {

/// In bytes, by what it is for.
struct HostMemory {
  std::uint64_t values = 0;      ///< the arena: a run writes all of it
  std::uint64_t constants = 0;   ///< rows of facts
  std::uint64_t parameters = 0;  ///< all of the Program
  std::uint64_t states = 0;      ///< of an optimizer
  std::uint64_t all_states = 0;  ///< the same, wherever they are: what a copy of them takes
  std::uint64_t read = 0;        ///< index arrays that kernels read with 32 bits an entry,
  std::uint64_t own = 0;         ///< those of them that the Program has not,
  std::uint64_t narrow = 0;      ///< and copies with 16 bits
  std::uint64_t outputs = 0;     ///< what Executable::outputs() returns
  /// Arrays and numbers that the Plan and the Program hold, that no kernel reads there: they go
  /// when the Plan is bound and the Program is gone.
  std::uint64_t left = 0;
};

/// Of a Plan of that Program. `stays`: a Program that lives on, what it holds is not left; null:
/// none does. Linear in what both hold.
[[nodiscard]] HostMemory host_memory(const Program& program, const Plan& plan,
                                     const Program* stays = nullptr);

/// The same of a Plan on a GPU: of tables those that are on the host (pinned); values and index
/// arrays are none there, but for what batches are bound by, which they keep.
[[nodiscard]] HostMemory host_memory_of_device(const Program& program, const Plan& plan,
                                               const std::vector<PlacedTable>& tables,
                                               bool runs_batches, const Program* stays);

/// `bytes` as the allocator counts them: what one of many small pieces takes.
[[nodiscard]] std::uint64_t bytes_of_piece(std::uint64_t bytes);

}  // namespace vecc
