#include "tests/cuda/emulator/streams.h"

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

namespace vecc::emulator {
namespace {

struct Stream {
  std::deque<std::function<void()>> waiting;
  std::uint64_t done = 0;  // works before these

  [[nodiscard]] std::uint64_t started() const { return done + waiting.size(); }
  void run_until(std::uint64_t end) {
    while (done < end) {
      const std::function<void()> work = std::move(waiting.front());
      work();
      waiting.pop_front();
      ++done;
    }
  }
};

// What a stream had started when an event was recorded.
struct Mark {
  Stream* stream = nullptr;
  std::uint64_t end = 0;
};

std::recursive_mutex mutex;
std::deque<Stream> streams(1);  // the first is the null stream
std::map<const char*, std::size_t> pinned;

bool is_late() {
  return std::getenv("VECC_EMULATED_LATE") != nullptr;
}

Stream& of(cuda::CUstream stream) {
  return stream == nullptr ? streams.front() : *reinterpret_cast<Stream*>(stream);
}
Mark& of(cuda::CUevent event) {
  return *reinterpret_cast<Mark*>(event);
}
void reach(const Mark& mark) {
  if (mark.stream != nullptr) mark.stream->run_until(mark.end);
}

}  // namespace

cuda::CUstream make_stream() {
  const std::lock_guard lock(mutex);
  return reinterpret_cast<cuda::CUstream>(&streams.emplace_back());
}

void start(cuda::CUstream stream, std::function<void()> work) {
  const std::lock_guard lock(mutex);
  if (!is_late()) finish_all();
  of(stream).waiting.push_back(std::move(work));
  if (!is_late()) finish(stream);
}

cuda::CUevent make_event() {
  return reinterpret_cast<cuda::CUevent>(new Mark);
}
void forget(cuda::CUevent event) {
  delete &of(event);
}

void record(cuda::CUevent event, cuda::CUstream stream) {
  const std::lock_guard lock(mutex);
  of(event) = {&of(stream), of(stream).started()};
}

void hold(cuda::CUstream stream, cuda::CUevent event) {
  const std::lock_guard lock(mutex);
  start(stream, [mark = of(event)] { reach(mark); });
}

void finish(cuda::CUstream stream) {
  const std::lock_guard lock(mutex);
  of(stream).run_until(of(stream).started());
}

void finish(cuda::CUevent event) {
  const std::lock_guard lock(mutex);
  reach(of(event));
}

void finish_all() {
  const std::lock_guard lock(mutex);
  for (Stream& stream : streams) stream.run_until(stream.started());
}

void pin(void* memory, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  pinned[static_cast<const char*>(memory)] = bytes;
}

void unpin(void* memory) {
  const std::lock_guard lock(mutex);
  pinned.erase(static_cast<const char*>(memory));
}

bool is_pinned(const void* memory) {
  const std::lock_guard lock(mutex);
  const auto* const at = static_cast<const char*>(memory);
  const auto after = pinned.upper_bound(at);
  if (after == pinned.begin()) return false;
  const auto& [first, bytes] = *std::prev(after);
  return at < first + bytes;
}

}  // namespace vecc::emulator
