// Threads that do one work together, again and again. For runs of some microseconds: threads that
// have nothing to do spin for a moment, then give their core to others, then sleep. Nothing waits
// for a thread that has not come: where other programs have the cores, work goes on with the
// threads that run.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace vecc {

class ThreadTeam {
 public:
  /// Starts `threads` - 1 threads, or as many as the system allows; the caller of run() is the
  /// first one.
  explicit ThreadTeam(std::uint32_t threads);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// body(0) here, and body(t) on each thread t that comes before body(0) has returned; returns
  /// when all that came have. So the body takes pieces of work, all of which are taken when it
  /// returns, however few threads there were. It must not throw. Calls from several threads come
  /// one after another.
  void run(const std::function<void(std::uint32_t)>& body);
  /// The same for a body that may throw: so does this then, when all have ended.
  void run_throwing(const std::function<void(std::uint32_t)>& body);

 private:
  void work(std::uint32_t thread);
  [[nodiscard]] bool enter(std::uint32_t round);

  std::uint32_t size_;
  std::mutex runs_;
  std::vector<std::thread> threads_;
  const std::function<void(std::uint32_t)>* body_ = nullptr;
  std::atomic<bool> ends_{false};
  // A cache line each: they are written by different threads.
  alignas(64) std::atomic<std::uint32_t> round_{0};  ///< how many run() there were
  alignas(64) std::atomic<std::uint64_t> door_;  ///< the round, whether it is over, threads in it
};

/// For loops that wait for another thread: pauses that spin for about 2 us in all, and then yield
/// the core.
class Backoff {
 public:
  /// Whether it has waited for so long that a thread with nothing else to do should sleep.
  bool pause();

 private:
  int turn_ = 0;
};

}  // namespace vecc
