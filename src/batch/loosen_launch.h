// Launches that take any of their rows and members.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "vecc/plan.h"

namespace vecc {

/// Changes launches of a Plan, and gives them kernels that are.
class LaunchLoosener {
 public:
  explicit LaunchLoosener(Plan& plan) : plan_(plan) {}

  /// Its rows come by a list: on a GPU always, on a CPU where the kernel's loop gains by it, else
  /// in runs.
  void take_order(Launch& launch);
  /// Its segments are ragged, all members are listed, and its rows too if there are several: rows
  /// and members may be renumbered.
  void list_members(Launch& launch);
  /// All that it reads and stores by number is listed, its rows too if there are several: rows may
  /// be renumbered, and members with all others of their row. Its segments stay.
  void list_rows(Launch& launch);

 private:
  enum class Change : std::uint8_t { Order, Members, MembersOfOne, Rows, RowsOfOne };
  [[nodiscard]] std::uint32_t changed_kernel(std::uint32_t kernel, Change change);
  [[nodiscard]] ArrayIndex add_array(std::vector<std::uint32_t> array);
  /// What a strided launch's members have in `list` (kNone: their counters), row by row.
  [[nodiscard]] ArrayIndex members_by_row(const Launch& launch, ArrayIndex list);
  /// 0, 1, ... count - 1.
  [[nodiscard]] ArrayIndex numbers_to(std::uint32_t count);

  Plan& plan_;
  std::map<std::pair<std::uint32_t, Change>, std::uint32_t> kernels_;
  std::map<std::uint32_t, ArrayIndex> numbers_;
};

/// Whether the rows of a kernel are one loop of independent steps: it takes runs of rows.
[[nodiscard]] bool is_one_loop(const Kernel& kernel);
/// Whether tiles have a type, so that rows come in an order.
[[nodiscard]] bool has_tile_types(const Kernel& kernel);

}  // namespace vecc
