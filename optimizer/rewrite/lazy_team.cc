#include "optimizer/rewrite/lazy_team.h"

#include <algorithm>
#include <thread>

namespace vecc::opt {
namespace {

constexpr std::uint32_t kMostThreads = 64;
constexpr std::uint32_t kManyRows = 1 << 16;

}  // namespace

LazyTeam::LazyTeam(std::uint32_t threads)
    : threads_(threads > 0 ? std::min(threads, kMostThreads)
                           : std::clamp(std::thread::hardware_concurrency(), 1u, kMostThreads)) {}

std::uint32_t LazyTeam::ranges_of(std::uint32_t count) const {
  return count < kManyRows ? 1 : threads_;
}

void LazyTeam::for_ranges(
    std::uint32_t count,
    const std::function<void(std::uint32_t, std::uint32_t, std::uint32_t)>& body) {
  const std::uint32_t ranges = ranges_of(count);
  if (ranges == 1) return body(0, 0, count);
  const auto bound = [&](std::uint64_t range) {
    return static_cast<std::uint32_t>(count * range / ranges);
  };
  ThreadTeam& team = get();
  team.run_each([&](std::uint32_t thread) {  // fewer threads where the system allows no more
    for (std::uint32_t range = thread; range < ranges; range += team.size()) {
      body(range, bound(range), bound(range + 1));
    }
  });
}

}  // namespace vecc::opt
