// The next batches are bound by threads of their own while the step of this one runs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "src/train/batch_steps.h"

namespace vecc::training {

/// A queue of batches. Where the first one is not bound yet when it is asked for, the caller's
/// thread binds what none has begun with: all threads are busy, whatever takes longer, binding or
/// running.
class BatchPrefetch {
 public:
  using Samples = std::vector<std::uint32_t>;
  /// Of samples, and the number of the step that they are for.
  using Bind =
      std::function<Result<void>(std::span<const std::uint32_t>, std::uint64_t, BatchStep&)>;

  /// `bind` runs on up to `threads` threads at a time, and the caller's. Without any, batches are
  /// bound when they are asked for. `shortest`: seconds of binding that are worth another thread.
  BatchPrefetch(Bind bind, std::uint32_t threads, double shortest)
      : bind_(std::move(bind)),
        thread_count_(threads),
        shortest_(shortest),
        slots_(most_begun() + 1) {}
  BatchPrefetch(const BatchPrefetch&) = delete;
  BatchPrefetch& operator=(const BatchPrefetch&) = delete;
  ~BatchPrefetch();

  /// The batch of these samples in step `number`, there until the next call: the first that was
  /// begun, or (what was begun is forgotten) bound here. Errors: those of `bind`. Throws what it
  /// throws.
  [[nodiscard]] Result<const BatchStep*> get(const Samples& samples, std::uint64_t number);
  /// Whether binding takes so long that a thread gains by it, and there is one.
  [[nodiscard]] bool is_worth_a_thread() const;
  /// How many were begun and not asked for yet.
  [[nodiscard]] std::size_t begun() const;
  /// So many at most: one for each thread and the caller's, and one that is bound by then.
  [[nodiscard]] std::size_t most_begun() const { return std::size_t{thread_count_} + 2; }
  /// Begins to bind these after the others. There must be room.
  void begin(Samples samples, std::uint64_t number);
  /// Of the arrays of batches.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Slot {
    enum class State : std::uint32_t { Free, Waits, IsBeingBound, IsBound };
    State state = State::Free;
    Samples samples;
    std::uint64_t number = 0;  // of the step
    BatchStep step;
    std::optional<Result<void>> result;
    std::exception_ptr exception;
  };
  using Lock = std::unique_lock<std::mutex>;

  void work();
  [[nodiscard]] Slot* find_waiting();
  [[nodiscard]] Slot& queued(std::size_t place) { return slots_[(first_ + place) % slots_.size()]; }
  void bind(Slot& slot, Lock& lock);
  void forget(Lock& lock);
  [[nodiscard]] Result<const BatchStep*> take_first();

  Bind bind_;
  const std::uint32_t thread_count_;
  const double shortest_;
  std::vector<std::thread> threads_;
  mutable std::mutex mutex_;       // of all below; a slot that is being bound is its thread's
  std::condition_variable begun_;  // one more waits, or all ends
  mutable std::condition_variable bound_;  // one is
  bool ends_ = false;
  bool can_start_threads_ = true;
  double seconds_ = 0;  // that binding took the last time
  // A ring: the queue, and before it the batch that was asked for last.
  std::vector<Slot> slots_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace vecc::training
