// Threads over a list of tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace vecc::kg {

/// Runs body(t) on `threads` threads (0: one a processor), on no more than there are tasks; what a
/// body throws is thrown here. body(0) runs on the caller's thread.
void run_on_threads(std::uint32_t threads, std::size_t tasks,
                    const std::function<void(std::uint32_t)>& body);

}  // namespace vecc::kg
