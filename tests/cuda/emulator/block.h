// Blocks of threads on one processor: each thread is a context of its own, and goes on until it
// waits for others.
#pragma once

#include <functional>

namespace vecc::emulator {

inline constexpr unsigned kMaxThreads = 1024;

/// Runs the body once for each thread of each block, one block after another. Ends the process with
/// a message if threads wait for others that have ended or wait for something else: on a GPU that
/// hangs, or is undefined.
void run_blocks(unsigned blocks, unsigned threads, const std::function<void()>& body);

}  // namespace vecc::emulator
