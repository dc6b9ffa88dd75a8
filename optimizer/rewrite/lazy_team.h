// Threads for the few ops that have many rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "src/support/thread_team.h"

namespace vecc::opt {

/// A team that is started when first asked for: most Programs need none.
class LazyTeam {
 public:
  /// `threads`: 0: as many as the machine has. At most 64.
  explicit LazyTeam(std::uint32_t threads);

  [[nodiscard]] ThreadTeam& get() { return team_ ? *team_ : team_.emplace(threads_); }
  /// Calls `body(range, begin, end)` for ranges 0 .. ranges_of(count)-1, which together are 0 ..
  /// count-1 in order, several at once. A short count is one range.
  void for_ranges(std::uint32_t count,
                  const std::function<void(std::uint32_t, std::uint32_t, std::uint32_t)>& body);
  [[nodiscard]] std::uint32_t ranges_of(std::uint32_t count) const;

 private:
  std::uint32_t threads_;
  std::optional<ThreadTeam> team_;
};

}  // namespace vecc::opt
