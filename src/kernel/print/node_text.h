// NodeText of a kernel's nodes as text: entry i of a node, a pointer to its entries, the row that
// an access means.
#pragma once

#include <cstdint>
#include <string>

#include "src/kernel/schedule/kernel_schedule.h"
#include "vecc/kernel.h"

namespace vecc {

/// In C++ a thread runs all of a row; in CUDA C++ lanes share the row's entries (prelude/lanes.h):
/// an array then has those of one lane, of which entry i is number j.
class NodeText {
 public:
  /// `whole`: every lane has all entries, x of operands, y of the result.
  NodeText(const Kernel& kernel, const KernelSchedule& schedule, bool whole = false)
      : kernel_(kernel), schedule_(schedule), whole_(whole) {}

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] const KernelSchedule& schedule() const { return schedule_; }
  [[nodiscard]] const KernelNode& node(std::uint32_t number) const { return kernel_.nodes[number]; }
  [[nodiscard]] std::uint64_t size(std::uint32_t number) const {
    return kernel_.nodes[number].shape.size();
  }

  [[nodiscard]] std::string entry(std::uint32_t number) const;
  [[nodiscard]] std::string pointer(std::uint32_t number) const;
  /// "[j]" of a lane's array, "[i]" of a row's.
  [[nodiscard]] const char* place() const { return schedule_.on_gpu() ? "[j]" : "[i]"; }
  /// Whether something outside of its loop over entries reads a node.
  [[nodiscard]] bool is_in_array(std::uint32_t number) const;
  /// Whether it is a row of which each lane has its entries in registers.
  [[nodiscard]] bool is_shared_out(std::uint32_t number) const;
  /// Whether lanes move packs of an access' rows.
  [[nodiscard]] bool moves_packs(std::uint32_t access) const { return schedule_.packs[access] > 1; }

  /// The row that an access means, from the loop's counter; where it begins.
  [[nodiscard]] std::string row_of(std::uint32_t access, const std::string& counter) const;
  [[nodiscard]] std::string row_pointer(std::uint32_t access, const std::string& counter,
                                        std::uint64_t entries) const;

 private:
  const Kernel& kernel_;
  const KernelSchedule& schedule_;
  bool whole_;
};

/// "r" of a row's loop, "e" of its members'.
[[nodiscard]] inline const char* counter_of(KernelSpace space) {
  return space == KernelSpace::Row ? "r" : "e";
}

}  // namespace vecc
