#include "src/support/thread_team.h"

#include <exception>
#include <system_error>

namespace vecc {
namespace {

// About 2 us of spinning, then as many turns of giving the core away: where there are fewer cores
// than threads, the one that all wait for must get one.
constexpr int kSpins = 1000;
constexpr int kYields = 200;

// Of the door: the round is above.
constexpr std::uint64_t kIsOver = std::uint64_t{1} << 31;
constexpr std::uint64_t kInside = kIsOver - 1;

std::uint64_t door_of(std::uint32_t round) {
  return std::uint64_t{round} << 32;
}

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

bool Backoff::pause() {
  if (turn_ < kSpins) {
    pause_core();
  } else {
    std::this_thread::yield();
  }
  if (turn_ < kSpins + kYields) ++turn_;
  return turn_ == kSpins + kYields;
}

ThreadTeam::ThreadTeam(std::uint32_t threads) : size_(threads), door_(kIsOver) {
  try {
    for (std::uint32_t t = 1; t < size_; ++t) threads_.emplace_back([this, t] { work(t); });
  } catch (const std::system_error&) {
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
  for (std::uint32_t seen = 0;;) {
    std::uint32_t round = round_.load(std::memory_order_acquire);
    for (Backoff backoff; round == seen; round = round_.load(std::memory_order_acquire)) {
      if (backoff.pause()) round_.wait(seen, std::memory_order_acquire);
    }
    if (ends_.load(std::memory_order_relaxed)) return;
    seen = round;
    if (!enter(round)) continue;
    (*body_)(thread);
    door_.fetch_sub(1, std::memory_order_release);
  }
}

// Counts itself in, if the round is not over.
bool ThreadTeam::enter(std::uint32_t round) {
  std::uint64_t door = door_.load(std::memory_order_relaxed);
  do {
    if ((door & ~kInside) != door_of(round)) return false;
  } while (!door_.compare_exchange_weak(door, door + 1, std::memory_order_acquire,
                                        std::memory_order_relaxed));
  return true;
}

void ThreadTeam::run(const std::function<void(std::uint32_t)>& body) {
  const std::lock_guard lock(runs_);
  const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
  body_ = &body;
  door_.store(door_of(round), std::memory_order_release);
  round_.store(round, std::memory_order_release);
  round_.notify_all();
  body(0);
  std::uint64_t door = door_.fetch_or(kIsOver, std::memory_order_acquire);
  for (Backoff backoff; (door & kInside) != 0; door = door_.load(std::memory_order_acquire)) {
    backoff.pause();
  }
}

void ThreadTeam::run_throwing(const std::function<void(std::uint32_t)>& body) {
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

}  // namespace vecc
