#include "backends/cpu/thread_teams.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

namespace vecc::cpu {

std::shared_ptr<ThreadTeam> team_of(std::uint32_t threads) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  static std::mutex mutex;
  static std::map<std::uint32_t, std::weak_ptr<ThreadTeam>> teams;
  const std::lock_guard lock(mutex);
  std::shared_ptr<ThreadTeam> team = teams[threads].lock();
  if (!team) teams[threads] = team = std::make_shared<ThreadTeam>(threads);
  return team;
}

}  // namespace vecc::cpu
