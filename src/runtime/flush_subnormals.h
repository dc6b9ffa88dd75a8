// Subnormal numbers as zero, while a thread updates tables. The mean of gradients that have become
// 0 halves every few steps until it is subnormal, and stays so for ever, rounded up again each
// time: a processor takes a hundred times as long for such a number. Stands on the standard library
// alone.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#endif

namespace vecc::cpu {

/// Until it goes, subnormal numbers that the thread reads or computes are 0, if `flush`. Without
/// such a mode of the processor it does nothing.
class FlushSubnormals {
 public:
#if defined(__SSE2__)
  explicit FlushSubnormals(bool flush) : flush_(flush) {
    constexpr unsigned kResultsAndOperands = 0x8040;
    if (!flush_) return;
    before_ = _mm_getcsr();
    _mm_setcsr(before_ | kResultsAndOperands);
  }
  ~FlushSubnormals() {
    if (flush_) _mm_setcsr(before_);
  }
#elif defined(__aarch64__)
  explicit FlushSubnormals(bool flush) : flush_(flush) {
    constexpr std::uint64_t kResultsAndOperands = std::uint64_t{1} << 24;
    if (!flush_) return;
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" : : "r"(before_ | kResultsAndOperands));
  }
  ~FlushSubnormals() {
    if (flush_) asm volatile("msr fpcr, %0" : : "r"(before_));
  }
#else
  explicit FlushSubnormals(bool) {}
#endif
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
#if defined(__SSE2__)
  bool flush_;
  unsigned before_ = 0;
#elif defined(__aarch64__)
  bool flush_;
  std::uint64_t before_ = 0;
#endif
};

}  // namespace vecc::cpu
