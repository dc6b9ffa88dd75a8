// The next batch is bound by a thread of its own while the step of this one runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "src/train/batch_steps.h"

namespace vecc::training {

class BatchPrefetch {
 public:
  using Samples = std::vector<std::uint32_t>;
  using Bind = std::function<Result<void>(std::span<const std::uint32_t>, BatchStep&)>;

  /// `bind` runs on either thread, one call at a time. Without `has_thread` batches are bound when
  /// they are asked for.
  BatchPrefetch(Bind bind, bool has_thread) : bind_(std::move(bind)), has_thread_(has_thread) {}
  BatchPrefetch(const BatchPrefetch&) = delete;
  BatchPrefetch& operator=(const BatchPrefetch&) = delete;
  ~BatchPrefetch();

  /// The batch of these samples, there until the next call: the one that was begun, or bound here.
  /// Errors: those of `bind`. Throws what it throws.
  [[nodiscard]] Result<const BatchStep*> get(const Samples& samples);
  /// Whether binding takes so long that a thread gains by it, and there is one.
  [[nodiscard]] bool is_worth_a_thread() const;
  /// Begins to bind these; what was begun before is forgotten.
  void begin(Samples samples);
  /// Of the arrays of batches.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  enum class State : std::uint32_t { Idle, Begun, Ends };
  void work();
  void bind_next();
  void wait_for_next() const;

  Bind bind_;
  bool has_thread_;
  std::thread thread_;
  std::atomic<State> state_{State::Idle};
  BatchStep current_;
  double seconds_ = 0;  // that binding took the last time
  // The thread's while the state is Begun.
  BatchStep next_;
  Samples next_samples_;
  std::optional<Result<void>> next_result_;  // none: nothing was begun
  std::exception_ptr next_exception_;
};

}  // namespace vecc::training
