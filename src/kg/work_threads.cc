#include "src/kg/work_threads.h"

#include <algorithm>
#include <thread>

#include "src/support/thread_team.h"

namespace vecc::kg {

void run_on_threads(std::uint32_t threads, std::size_t tasks,
                    const std::function<void(std::uint32_t)>& body) {
  const std::uint32_t wanted =
      threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  ThreadTeam team(static_cast<std::uint32_t>(std::clamp<std::size_t>(tasks, 1, wanted)));
  team.run_each(body);
}

}  // namespace vecc::kg
