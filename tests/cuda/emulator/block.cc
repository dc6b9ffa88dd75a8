#include "tests/cuda/emulator/block.h"

#include <ucontext.h>

#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>
#include <vector>

struct EmulatedIndex {
  unsigned x;
};
extern "C" {
EmulatedIndex vecc_thread_index{0};
EmulatedIndex vecc_block_index{0};
}

namespace vecc::emulator {
namespace {

constexpr std::size_t kStack = 256 * 1024;
constexpr unsigned kWarp = 32;

// Threads that wait for one another: `generation` goes on when all have come.
struct Meeting {
  unsigned arrived = 0;
  unsigned generation = 0;
};

struct Thread {
  ucontext_t context{};
  std::unique_ptr<char[]> stack;
  bool done = false;
};

class Block {
 public:
  void run(unsigned threads, const std::function<void()>& body) {
    count_ = alive_ = threads;
    body_ = &body;
    block_ = {};
    lanes_.clear();
    if (threads_.size() < threads) threads_.resize(threads);
    for (unsigned t = 0; t < threads; ++t) prepare(threads_[t]);
    while (alive_ > 0) {
      const unsigned long before = steps_;
      for (unsigned t = 0; t < threads; ++t) {
        if (!threads_[t].done) resume(t);
      }
      if (steps_ == before) give_up();
    }
  }

  void sync_block() { meet(block_, count_); }
  void sync_lanes(unsigned mask) {
    if ((mask >> lane() & 1) == 0) {
      std::fprintf(stderr, "emulator: lane %u is not in its own mask %08x\n", lane(), mask);
      std::abort();
    }
    meet(lanes_[{vecc_thread_index.x / kWarp, mask}], static_cast<unsigned>(std::popcount(mask)));
  }
  unsigned long long shuffle(unsigned mask, unsigned long long bits, int from) {
    values_[vecc_thread_index.x] = bits;
    sync_lanes(mask);
    const unsigned source = vecc_thread_index.x / kWarp * kWarp + static_cast<unsigned>(from);
    const unsigned long long found = (mask >> from & 1) != 0 ? values_[source] : bits;
    sync_lanes(mask);
    return found;
  }
  static unsigned lane() { return vecc_thread_index.x % kWarp; }

 private:
  static void start();

  void prepare(Thread& thread) {
    if (!thread.stack) thread.stack = std::make_unique<char[]>(kStack);
    thread.done = false;
    ::getcontext(&thread.context);
    thread.context.uc_stack = {};
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = kStack;
    thread.context.uc_link = &main_;
    ::makecontext(&thread.context, &Block::start, 0);
  }
  void resume(unsigned thread) {
    vecc_thread_index.x = thread;
    ::swapcontext(&main_, &threads_[thread].context);
  }
  void pause() {
    const unsigned thread = vecc_thread_index.x;
    ::swapcontext(&threads_[thread].context, &main_);
  }
  void meet(Meeting& meeting, unsigned expected) {
    ++steps_;
    const unsigned generation = meeting.generation;
    if (++meeting.arrived == expected) {
      meeting.arrived = 0;
      ++meeting.generation;
      return;
    }
    while (meeting.generation == generation) pause();
    ++steps_;
  }
  [[noreturn]] void give_up() const {
    std::fprintf(stderr, "emulator: %u threads of block %u wait for ever\n", alive_,
                 vecc_block_index.x);
    std::abort();
  }

  std::vector<Thread> threads_;
  ucontext_t main_{};
  const std::function<void()>* body_ = nullptr;
  unsigned count_ = 0;
  unsigned alive_ = 0;
  unsigned long steps_ = 0;  // whatever changed what somebody may wait for
  Meeting block_;
  std::map<std::pair<unsigned, unsigned>, Meeting> lanes_;  // by warp and mask
  std::array<unsigned long long, kMaxThreads> values_{};
};

Block& block() {
  static Block& only = *new Block;
  return only;
}

void Block::start() {
  Block& here = block();
  (*here.body_)();
  here.threads_[vecc_thread_index.x].done = true;
  --here.alive_;
  ++here.steps_;
}

}  // namespace

void run_block(unsigned number, unsigned threads, const std::function<void()>& body) {
  vecc_block_index.x = number;
  block().run(threads, body);
}

}  // namespace vecc::emulator

extern "C" {
void vecc_sync_block() {
  vecc::emulator::block().sync_block();
}
void vecc_sync_lanes(unsigned mask) {
  vecc::emulator::block().sync_lanes(mask);
}
unsigned long long vecc_shuffle(unsigned mask, unsigned long long bits, int lane) {
  return vecc::emulator::block().shuffle(mask, bits, lane);
}
int vecc_lane() {
  return static_cast<int>(vecc::emulator::Block::lane());
}
}
