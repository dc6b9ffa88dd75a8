// Threads that run one function together, again and again, with barriers in it. For runs of some
// microseconds: threads that have nothing to do spin for a moment, then give their core to others,
// then sleep.
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
  /// body(0) here and body(t) on thread t, which must not throw; returns when all have. Calls from
  /// several threads come one after another.
  void run(const std::function<void(std::uint32_t)>& body);
  /// The same for a body without barriers, which may throw: so does this then, when all are done.
  void run_each(const std::function<void(std::uint32_t)>& body);
  /// Within run(), by all: returns when all are here.
  void barrier();

 private:
  void work(std::uint32_t thread);

  std::uint32_t size_;
  std::mutex runs_;
  std::vector<std::thread> threads_;
  const std::function<void(std::uint32_t)>* body_ = nullptr;
  std::atomic<bool> ends_{false};
  // A cache line each: they are written by different threads.
  alignas(64) std::atomic<std::uint32_t> round_{0};    ///< how many run() there were
  alignas(64) std::atomic<std::uint32_t> arrived_{0};  ///< at the barrier
  alignas(64) std::atomic<std::uint32_t> passed_{0};   ///< how many barriers all passed
};

}  // namespace vecc
