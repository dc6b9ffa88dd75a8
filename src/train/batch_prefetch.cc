#include "src/train/batch_prefetch.h"

#include <chrono>
#include <system_error>
#include <utility>

namespace vecc::training {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// To wake a thread takes some microseconds of both.
constexpr double kShortestBinding = 50e-6;

}  // namespace

BatchPrefetch::~BatchPrefetch() {
  if (!thread_.joinable()) return;
  wait_for_next();
  state_.store(State::Ends, std::memory_order_release);
  state_.notify_all();
  thread_.join();
}

void BatchPrefetch::work() {
  for (;;) {
    state_.wait(State::Idle, std::memory_order_acquire);
    if (state_.load(std::memory_order_acquire) == State::Ends) return;
    bind_next();
    state_.store(State::Idle, std::memory_order_release);
    state_.notify_all();
  }
}

void BatchPrefetch::bind_next() {
  const auto start = Clock::now();
  try {
    next_result_ = bind_(next_samples_, next_);
  } catch (...) {
    next_exception_ = std::current_exception();
  }
  seconds_ = seconds_since(start);
}

void BatchPrefetch::wait_for_next() const {
  state_.wait(State::Begun, std::memory_order_acquire);
}

Result<const BatchStep*> BatchPrefetch::get(const Samples& samples) {
  wait_for_next();
  const std::exception_ptr exception = std::exchange(next_exception_, nullptr);
  const std::optional<Result<void>> result = std::exchange(next_result_, std::nullopt);
  const bool is_next = samples == next_samples_;
  if (is_next && exception != nullptr) std::rethrow_exception(exception);
  if (is_next && result) {
    if (!*result) return result->error();
    std::swap(current_, next_);
    return &current_;
  }
  const auto start = Clock::now();
  VECC_TRY_VOID(bind_(samples, current_));
  seconds_ = seconds_since(start);
  return &current_;
}

bool BatchPrefetch::is_worth_a_thread() const {
  wait_for_next();
  return has_thread_ && seconds_ >= kShortestBinding;
}

void BatchPrefetch::begin(Samples samples) {
  wait_for_next();
  next_result_.reset();
  next_exception_ = nullptr;
  next_samples_ = std::move(samples);
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {  // no thread is left: batches are bound when asked for
    has_thread_ = false;
    return;
  }
  state_.store(State::Begun, std::memory_order_release);
  state_.notify_all();
}

std::uint64_t BatchPrefetch::bytes() const {
  wait_for_next();
  std::uint64_t bytes = 0;
  for (const BatchStep* step : {&current_, &next_}) {
    if (step->bound) bytes += step->bound->bytes();
  }
  return bytes;
}

}  // namespace vecc::training
