#include "tests/cuda/emulator/block.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
constexpr unsigned kAll = ~0u;  // the mask of all lanes

// Threads that wait for one another: `generation` goes on when all have come.
struct Meeting {
  unsigned arrived = 0;
  unsigned generation = 0;
};

// Where a thread goes on. Unlike setcontext(), which starts it, _setjmp() and _longjmp() save no
// signals: no system calls, which were nine tenths of an emulated kernel's time.
struct Place {
  ::jmp_buf registers;
};
[[gnu::noinline]] void go(Place& from, Place& to) {
  if (::_setjmp(from.registers) == 0) ::_longjmp(to.registers, 1);
}

// What a thread has in flight to shared memory.
struct Copy {
  char* to;
  const char* from;
  unsigned bytes;
};

struct Thread {
  Place place{};
  std::vector<Copy> copies;
  std::unique_ptr<char[]> stack;
  bool begun = false;  // on its stack, where it then runs the body of block after block
  bool done = false;
  const Meeting* waits_for = nullptr;
  unsigned generation = 0;  // of the meeting, when it came there

  [[nodiscard]] bool can_go_on() const {
    return !done && (waits_for == nullptr || waits_for->generation != generation);
  }
};

// A lane's words of the operands of a product by tensor cores.
struct Fragment {
  std::array<unsigned, 4> a;
  std::array<unsigned, 2> b;
};

// 16 x 8 times 8 x 8, of numbers that were rounded: a word each.
struct Tf32Operands {
  static constexpr unsigned kTerms = 8;
  static double number(unsigned word) {
    if ((word & 0x1FFFu) != 0) {
      std::fprintf(stderr, "emulator: %08x was not rounded to TF32\n", word);
      std::abort();
    }
    return static_cast<double>(std::bit_cast<float>(word));
  }
  static double left(const Fragment* warp, unsigned row, unsigned k) {
    return number(warp[row % 8 * 4 + k % 4].a[row / 8 + k / 4 * 2]);
  }
  static double right(const Fragment* warp, unsigned k, unsigned column) {
    return number(warp[column * 4 + k % 4].b[k / 4]);
  }
};
// 16 x 16 times 16 x 8: two a word.
struct Bf16Operands {
  static constexpr unsigned kTerms = 16;
  static double number(unsigned word, unsigned half) {
    return static_cast<double>(std::bit_cast<float>(word >> (half * 16) << 16));
  }
  static double left(const Fragment* warp, unsigned row, unsigned k) {
    return number(warp[row % 8 * 4 + k % 8 / 2].a[row / 8 + k / 8 * 2], k % 2);
  }
  static double right(const Fragment* warp, unsigned k, unsigned column) {
    return number(warp[column * 4 + k % 8 / 2].b[k / 8], k % 2);
  }
};

class Block {
 public:
  void prepare(unsigned number, unsigned threads, const std::function<void()>& body) {
    number_ = number;
    count_ = alive_ = threads;
    body_ = &body;
    block_ = {};
    lanes_.clear();
    warps_ = {};
    if (threads_.size() < threads) threads_.resize(threads);
    for (unsigned t = 0; t < threads; ++t) prepare(threads_[t]);
  }
  // Until all threads have ended.
  void run() {
    vecc_block_index.x = number_;
    while (alive_ > 0) {
      const unsigned long before = steps_;
      for (unsigned t = 0; t < count_; ++t) {
        if (threads_[t].can_go_on()) resume(t);
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
    const unsigned warp = vecc_thread_index.x / kWarp;
    meet(mask == kAll ? warps_[warp] : lanes_[{warp, mask}],
         static_cast<unsigned>(std::popcount(mask)));
  }
  unsigned long long shuffle(unsigned mask, unsigned long long bits, int from) {
    values_[vecc_thread_index.x] = bits;
    sync_lanes(mask);
    const unsigned source = vecc_thread_index.x / kWarp * kWarp + static_cast<unsigned>(from);
    const unsigned long long found = (mask >> from & 1) != 0 ? values_[source] : bits;
    sync_lanes(mask);
    return found;
  }
  // Of one product a warp's lanes have parts of both operands; each computes four of its entries.
  template <class Operands>
  void multiply(const unsigned* a, const unsigned* b, float* sum) {
    Fragment& own = fragments_[vecc_thread_index.x];
    std::copy_n(a, own.a.size(), own.a.begin());
    std::copy_n(b, own.b.size(), own.b.begin());
    sync_lanes(kAll);
    const Fragment* const warp = &fragments_[vecc_thread_index.x / kWarp * kWarp];
    for (unsigned c = 0; c < 4; ++c) {
      const unsigned row = lane() / 4 + c / 2 * 8;
      const unsigned column = lane() % 4 * 2 + c % 2;
      double total = sum[c];
      for (unsigned k = 0; k < Operands::kTerms; ++k) {
        total += Operands::left(warp, row, k) * Operands::right(warp, k, column);
      }
      sum[c] = static_cast<float>(total);
    }
    sync_lanes(kAll);
  }
  // Until they are there, what is read is no number.
  void begin_copy(const Copy& copy) {
    std::memset(copy.to, 0xFF, copy.bytes);
    threads_[vecc_thread_index.x].copies.push_back(copy);
  }
  void wait_for_copies() {
    std::vector<Copy>& copies = threads_[vecc_thread_index.x].copies;
    for (const Copy& copy : copies) std::memcpy(copy.to, copy.from, copy.bytes);
    copies.clear();
  }
  static unsigned lane() { return vecc_thread_index.x % kWarp; }

 private:
  [[noreturn]] static void start();

  static void prepare(Thread& thread) {
    if (!thread.stack) thread.stack = std::make_unique<char[]>(kStack);
    thread.done = false;
    thread.waits_for = nullptr;
  }
  [[noreturn]] void give_up() const {
    std::fprintf(stderr, "emulator: %u threads of block %u wait for ever\n", alive_, number_);
    std::abort();
  }
  void resume(unsigned number) {
    vecc_thread_index.x = number;
    Thread& thread = threads_[number];
    if (thread.begun) {
      go(main_, thread.place);
    } else {
      thread.begun = true;
      begin(thread);
    }
  }
  // Its first call is on its own stack.
  [[gnu::noinline]] void begin(Thread& thread) {
    ucontext_t context;
    ::getcontext(&context);
    context.uc_stack = {};
    context.uc_stack.ss_sp = thread.stack.get();
    context.uc_stack.ss_size = kStack;
    context.uc_link = nullptr;  // start() never returns
    ::makecontext(&context, &Block::start, 0);
    if (::_setjmp(main_.registers) == 0) ::setcontext(&context);
  }
  void meet(Meeting& meeting, unsigned expected) {
    ++steps_;
    const unsigned generation = meeting.generation;
    if (++meeting.arrived == expected) {
      meeting.arrived = 0;
      ++meeting.generation;
      return;
    }
    Thread& own = threads_[vecc_thread_index.x];
    own.waits_for = &meeting;
    own.generation = generation;
    go(own.place, main_);  // others go on until all have come
    ++steps_;
  }
  std::vector<Thread> threads_;
  Place main_{};
  const std::function<void()>* body_ = nullptr;
  unsigned number_ = 0;
  unsigned count_ = 0;
  unsigned alive_ = 0;
  unsigned long steps_ = 0;  // changes of what a thread may wait for
  Meeting block_;
  std::array<Meeting, kMaxThreads / kWarp> warps_{};        // whole ones
  std::map<std::pair<unsigned, unsigned>, Meeting> lanes_;  // parts, by warp and mask
  std::array<unsigned long long, kMaxThreads> values_{};
  std::array<Fragment, kMaxThreads> fragments_{};
};

Block& block() {
  static auto& running = *new Block;  // its threads' stacks are used again
  return running;
}

void Block::start() {
  Block& here = block();
  for (;;) {
    (*here.body_)();
    Thread& own = here.threads_[vecc_thread_index.x];
    if (!own.copies.empty()) {
      std::fprintf(stderr, "emulator: a thread ends with copies in flight\n");
      std::abort();
    }
    own.done = true;
    --here.alive_;
    ++here.steps_;
    go(own.place, here.main_);
  }
}

}  // namespace

void run_blocks(unsigned count, unsigned threads, const std::function<void()>& body) {
  for (unsigned b = 0; b < count; ++b) {
    block().prepare(b, threads, body);
    block().run();
  }
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
void vecc_multiply_tf32(const unsigned* a, const unsigned* b, float* sum) {
  vecc::emulator::block().multiply<vecc::emulator::Tf32Operands>(a, b, sum);
}
void vecc_multiply_bf16(const unsigned* a, const unsigned* b, float* sum) {
  vecc::emulator::block().multiply<vecc::emulator::Bf16Operands>(a, b, sum);
}
void vecc_begin_copy(void* to, const void* from, unsigned bytes) {
  vecc::emulator::block().begin_copy(
      {static_cast<char*>(to), static_cast<const char*>(from), bytes});
}
void vecc_wait_for_copies() {
  vecc::emulator::block().wait_for_copies();
}
int vecc_lane() {
  return static_cast<int>(vecc::emulator::Block::lane());
}
}
