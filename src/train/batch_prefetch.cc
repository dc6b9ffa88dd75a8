#include "src/train/batch_prefetch.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "src/support/seconds_since.h"

namespace vecc::training {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

BatchPrefetch::~BatchPrefetch() {
  {
    const Lock lock(mutex_);
    ends_ = true;
  }
  begun_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

BatchPrefetch::Slot* BatchPrefetch::find_waiting() {
  for (std::size_t place = 0; place < count_; ++place) {
    if (queued(place).state == Slot::State::Waits) return &queued(place);
  }
  return nullptr;
}

void BatchPrefetch::work() {
  for (Lock lock(mutex_);;) {
    begun_.wait(lock, [&] { return ends_ || find_waiting() != nullptr; });
    if (ends_) return;
    bind(*find_waiting(), lock);
  }
}

// Without the lock while it is being bound.
void BatchPrefetch::bind(Slot& slot, Lock& lock) {
  slot.state = Slot::State::IsBeingBound;
  slot.result.reset();
  slot.exception = nullptr;
  lock.unlock();
  const auto start = Clock::now();
  try {
    slot.result = bind_(slot.samples, slot.number, slot.step);
  } catch (...) {
    slot.exception = std::current_exception();
  }
  const double seconds = seconds_since(start);
  lock.lock();
  seconds_ = seconds;
  slot.state = Slot::State::IsBound;
  bound_.notify_all();
}

void BatchPrefetch::forget(Lock& lock) {
  for (std::size_t place = 0; place < count_; ++place) {
    if (queued(place).state == Slot::State::Waits) queued(place).state = Slot::State::Free;
  }
  bound_.wait(lock, [&] {
    return std::ranges::find(slots_, Slot::State::IsBeingBound, &Slot::state) == slots_.end();
  });
  count_ = 0;
}

// It stands before the queue from then on.
Result<const BatchStep*> BatchPrefetch::take_first() {
  Slot& slot = slots_[first_];
  first_ = (first_ + 1) % slots_.size();
  --count_;
  slot.state = Slot::State::Free;
  if (slot.exception != nullptr) std::rethrow_exception(slot.exception);
  VECC_TRY_VOID(*slot.result);
  return &slot.step;
}

Result<const BatchStep*> BatchPrefetch::get(const Samples& samples, std::uint64_t number) {
  Lock lock(mutex_);
  if (count_ == 0 || slots_[first_].samples != samples || slots_[first_].number != number) {
    forget(lock);
    slots_[first_].samples = samples;
    slots_[first_].number = number;
    slots_[first_].state = Slot::State::Waits;
    count_ = 1;
  }
  while (slots_[first_].state != Slot::State::IsBound) {
    if (Slot* const waiting = find_waiting()) {
      bind(*waiting, lock);
    } else {
      bound_.wait(lock);
    }
  }
  return take_first();
}

bool BatchPrefetch::is_worth_a_thread() const {
  const Lock lock(mutex_);
  const std::size_t threads = can_start_threads_ ? thread_count_ : threads_.size();
  return threads > 0 && seconds_ >= shortest_;
}

std::size_t BatchPrefetch::begun() const {
  const Lock lock(mutex_);
  return count_;
}

void BatchPrefetch::begin(Samples samples, std::uint64_t number) {
  Lock lock(mutex_);
  try {
    if (can_start_threads_ && threads_.size() < thread_count_) {
      threads_.emplace_back([this] { work(); });
    }
  } catch (const std::system_error&) {  // no more threads are left: those that began bind
    can_start_threads_ = false;
  }
  if (threads_.empty()) return;  // batches are bound when they are asked for
  VECC_CHECK(count_ < most_begun(), "a batch is begun where there is no room");
  Slot& slot = queued(count_);
  slot.samples = std::move(samples);
  slot.number = number;
  slot.state = Slot::State::Waits;
  ++count_;
  begun_.notify_one();
}

std::uint64_t BatchPrefetch::bytes() const {
  Lock lock(mutex_);
  bound_.wait(lock, [&] {
    return std::ranges::find(slots_, Slot::State::IsBeingBound, &Slot::state) == slots_.end();
  });
  std::uint64_t bytes = 0;
  for (const Slot& slot : slots_) {
    if (slot.step.bound) bytes += slot.step.bound->bytes();
  }
  return bytes;
}

}  // namespace vecc::training
