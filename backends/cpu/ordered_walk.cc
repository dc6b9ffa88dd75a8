#include "backends/cpu/ordered_walk.h"

#include <utility>

namespace vecc::cpu {

OrderedWalk::OrderedWalk(TileOrder order, const std::vector<BoundLaunch>& launches)
    : order_(std::move(order)),
      steps_(launches.size()),
      is_done_(new std::atomic<bool>[order_.steps.size()]),
      done_(new std::atomic<std::uint32_t>[launches.size()]) {
  for (std::uint32_t s = 0; s < order_.steps.size(); ++s) {
    const std::uint32_t launch = order_.steps[s].launch;
    steps_[launch].push_back(s);
    has_scratch_ = has_scratch_ || launches[launch].scratch_bytes > 0;
  }
}

void OrderedWalk::run_step(const TileWalk& walk, std::uint32_t step, std::uint32_t thread) const {
  const TileStep& of = order_.steps[step];
  for (std::uint32_t t = of.first; t < of.last; ++t) {
    walk.run_tile(of.launch, order_.tiles[t], thread);
  }
}

void OrderedWalk::wait_for(const TileStep& step) const {
  for (std::uint32_t w = step.first_wait; w < step.last_wait; ++w) {
    const TileWait& wait = order_.waits[w];
    const std::atomic<std::uint32_t>& done = done_[wait.launch];
    for (Backoff backoff; done.load(std::memory_order_acquire) < wait.steps;) backoff.pause();
  }
}

// Steps of a launch end in any order. Of two threads that end neighbours one sees both: stores and
// loads of all are in one order.
void OrderedWalk::note_done(std::uint32_t step) {
  is_done_[step].store(true);
  const std::uint32_t launch = order_.steps[step].launch;
  const std::vector<std::uint32_t>& steps = steps_[launch];
  std::uint32_t first = done_[launch].load();
  while (first < steps.size() && is_done_[steps[first]].load()) {
    if (done_[launch].compare_exchange_strong(first, first + 1)) ++first;
  }
}

// All that its steps wait for are of this turn, or of one that another thread has taken before.
void OrderedWalk::run_turn(const TileWalk& walk, std::uint32_t turn, std::uint32_t thread) {
  for (std::uint32_t s = order_.turns[turn]; s < order_.turns[turn + 1]; ++s) {
    wait_for(order_.steps[s]);
    run_step(walk, s, thread);
    note_done(s);
  }
}

void OrderedWalk::run(const TileWalk& walk, ThreadTeam& team) {
  if (team.size() == 1) {
    for (std::uint32_t s = 0; s < order_.steps.size(); ++s) run_step(walk, s, 0);
    return;
  }
  for (std::size_t s = 0; s < order_.steps.size(); ++s) is_done_[s].store(false);
  for (std::size_t l = 0; l < steps_.size(); ++l) done_[l].store(0);
  std::atomic<std::uint32_t> taken{0};
  const auto turns = static_cast<std::uint32_t>(order_.turns.size()) - 1;
  team.run([&](std::uint32_t thread) {
    for (std::uint32_t t = taken.fetch_add(1); t < turns; t = taken.fetch_add(1)) {
      run_turn(walk, t, thread);
    }
  });
}

}  // namespace vecc::cpu
