#include "src/support/thread_team.h"

#include <exception>
#include <system_error>

namespace vecc {
namespace {

// About 2 us of spinning, then as many turns of giving the core away: where there are fewer cores
// than threads, the one that all wait for must get one.
constexpr int kSpins = 1000;
constexpr int kYields = 200;

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Returns when the number is no longer `seen`; sleeps in the end, if that is allowed.
void wait_for_change(const std::atomic<std::uint32_t>& number, std::uint32_t seen, bool sleeps) {
  for (int turn = 0; number.load(std::memory_order_acquire) == seen; ++turn) {
    if (turn < kSpins) {
      pause_core();
    } else if (!sleeps || turn < kSpins + kYields) {
      std::this_thread::yield();
    } else {
      number.wait(seen, std::memory_order_acquire);
    }
  }
}

}  // namespace

ThreadTeam::ThreadTeam(std::uint32_t threads) : size_(threads) {
  try {
    for (std::uint32_t t = 1; t < size_; ++t) threads_.emplace_back([this, t] { work(t); });
  } catch (const std::system_error&) {  // (those there are read the size in the first run)
    size_ = static_cast<std::uint32_t>(threads_.size() + 1);
  }
}

ThreadTeam::~ThreadTeam() {
  ends_.store(true, std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::work(std::uint32_t thread) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_for_change(round_, seen, /*sleeps=*/true);
    if (ends_.load(std::memory_order_relaxed)) return;
    (*body_)(thread);
    barrier();
  }
}

void ThreadTeam::run(const std::function<void(std::uint32_t)>& body) {
  const std::lock_guard lock(runs_);
  body_ = &body;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  body(0);
  barrier();
}

void ThreadTeam::run_each(const std::function<void(std::uint32_t)>& body) {
  std::vector<std::exception_ptr> thrown(size_);
  run([&](std::uint32_t thread) {
    try {
      body(thread);
    } catch (...) {
      thrown[thread] = std::current_exception();
    }
  });
  for (const std::exception_ptr& exception : thrown) {
    if (exception != nullptr) std::rethrow_exception(exception);
  }
}

void ThreadTeam::barrier() {
  const std::uint32_t passed = passed_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
    arrived_.store(0, std::memory_order_relaxed);
    passed_.fetch_add(1, std::memory_order_release);
    return;
  }
  wait_for_change(passed_, passed, /*sleeps=*/false);
}

}  // namespace vecc
