// Threads that executables share.
#pragma once

#include <cstdint>
#include <memory>

#include "src/support/thread_team.h"

namespace vecc::cpu {

/// One team a number of threads (0: as many as there are cores), shared by the executables that
/// want it: a training has one for each kind of batch, and runs them in turn.
[[nodiscard]] std::shared_ptr<ThreadTeam> team_of(std::uint32_t threads);

}  // namespace vecc::cpu
