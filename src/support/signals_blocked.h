// What a signal's handler cleans up comes to be and is noted in one step.
#pragma once

#include <signal.h>
#include <time.h>

#include <atomic>

namespace vecc {

/// While it lives no handler runs on this thread: between the making of a file, folder or child and
/// its note for the handler that removes it. Nothing that may wait for long belongs there.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &old_);
    count_.fetch_add(1);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() {
    count_.fetch_sub(1);
    ::pthread_sigmask(SIG_SETMASK, &old_, nullptr);
  }

  /// For a handler that ends the process: until other threads have noted what they are making; at
  /// most 0.2 s.
  static void wait_for_others() {
    constexpr timespec kPause{0, 1'000'000};
    for (int i = 0; i < 200 && count_.load() > 0; ++i) ::nanosleep(&kPause, nullptr);
  }

 private:
  inline static std::atomic<int> count_{0};
  static_assert(std::atomic<int>::is_always_lock_free);

  sigset_t old_;
};

}  // namespace vecc
