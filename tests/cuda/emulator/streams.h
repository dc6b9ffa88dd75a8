// Streams and events of the emulator. What is started runs at once; with the environment's
// VECC_EMULATED_LATE as late as a GPU may run it: when the host waits for it, or what runs waits
// for it on another stream. Work that lacks an event to wait for gets other numbers then.
#pragma once

#include <cstddef>
#include <functional>

#include "backends/cuda/driver.h"

namespace vecc::emulator {

[[nodiscard]] cuda::CUstream make_stream();
/// Behind all that was started on the stream.
void start(cuda::CUstream stream, std::function<void()> work);

[[nodiscard]] cuda::CUevent make_event();
void forget(cuda::CUevent event);
/// The event is what was started on the stream by now.
void record(cuda::CUevent event, cuda::CUstream stream);
/// What is started on the stream from now on waits for it.
void hold(cuda::CUstream stream, cuda::CUevent event);

/// The host waits.
void finish(cuda::CUstream stream);
void finish(cuda::CUevent event);
/// For all streams: before what they may use goes.
void finish_all();

/// Of the host, from which copies are late, too; other memory is read, and written, at once.
void pin(void* memory, std::size_t bytes);
void unpin(void* memory);
[[nodiscard]] bool is_pinned(const void* memory);

}  // namespace vecc::emulator
