// What libtorch throws, as Errors.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/DeviceGuard.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <new>
#include <string>

#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc::libtorch {

/// What was being made when libtorch failed.
struct TorchWork {
  std::string place;  ///< `torch: %7 concat`
  std::uint64_t bytes = 0;
};
[[nodiscard]] TorchWork work_of(const Program& program, ValueId id);

/// OutOfMemory with what was wanted and how much is free, or DeviceFailure.
[[nodiscard]] Errors errors_of(const c10::Error& error, const TorchWork& work,
                               const c10::Device& device);
[[nodiscard]] Errors out_of_memory(const TorchWork& work, const c10::Device& device,
                                   const std::string& reason);

/// Runs `body` with `device` as the current one and turns what libtorch throws into Errors;
/// `work()` is asked then.
template <class GetWork, class Body>
Result<void> guard(const c10::Device& device, GetWork&& work, Body&& body) {
  try {
    const c10::OptionalDeviceGuard current(device);
    body();
    return {};
  } catch (const c10::Error& error) {
    return errors_of(error, work(), device);
  } catch (const std::bad_alloc&) {
    return out_of_memory(work(), c10::Device(c10::kCPU), {});
  }
}

}  // namespace vecc::libtorch
