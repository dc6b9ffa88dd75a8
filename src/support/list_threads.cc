#include "src/support/list_threads.h"

#include <thread>

namespace vecc {
namespace {

constexpr std::uint32_t kMostThreads = 64;

thread_local ListThreads* scope_of_thread = nullptr;

}  // namespace

ListThreads::ListThreads(std::uint32_t threads) {
  if (scope_of_thread != nullptr) return;
  is_outer_ = true;
  threads_ =
      std::clamp(threads > 0 ? threads : std::thread::hardware_concurrency(), 1u, kMostThreads);
  scope_of_thread = this;
}

ListThreads::~ListThreads() {
  if (is_outer_) scope_of_thread = nullptr;
}

bool ListThreads::has_threads() {
  return scope_of_thread != nullptr && scope_of_thread->threads_ > 1;
}

std::size_t ListThreads::ranges_of(std::size_t count) {
  return count < kLong || !has_threads() ? 1 : scope_of_thread->threads_;
}

void ListThreads::share(std::size_t pieces, const std::function<void(std::size_t)>& body) {
  ListThreads* const scope = scope_of_thread;
  ThreadTeam& team = scope->team_ ? *scope->team_ : scope->team_.emplace(scope->threads_);
  // What a body does with other lists it does alone: the team is at work.
  struct Alone {
    explicit Alone(ListThreads* of) : scope(of) { scope_of_thread = nullptr; }
    ~Alone() { scope_of_thread = scope; }
    ListThreads* scope;
  };
  const Alone alone(scope);
  std::atomic<std::size_t> next{0};
  team.run_throwing([&](std::uint32_t) {
    for (std::size_t piece = next++; piece < pieces; piece = next++) body(piece);
  });
}

}  // namespace vecc
