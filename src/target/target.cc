#include "vecc/target.h"

#include <algorithm>

namespace vecc {
namespace {

constexpr std::uint32_t kVolta = 70;   // lanes of a warp that go their own ways
constexpr std::uint32_t kAmpere = 80;  // tensor cores for TF32 and BF16
constexpr std::uint32_t kHopper = 90;  // kernels that begin before others have ended

}  // namespace

bool Target::has_tensor_cores() const {
  return capability >= kAmpere;
}

bool Target::starts_early() const {
  return capability >= kHopper;
}

std::uint32_t Target::blocks_of_multiprocessor(std::uint32_t block_threads) const {
  return std::max(1u, threads / block_threads);
}

std::uint32_t Target::blocks_at_once(std::uint32_t block_threads) const {
  return multiprocessors * blocks_of_multiprocessor(block_threads);
}

std::string capability_text(std::uint32_t capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

Result<void> check_capability(std::uint32_t capability, const std::string& place,
                              const std::string& gpu) {
  if (capability >= kVolta) return {};
  return Errors(ErrorCode::DeviceAbsent, place,
                gpu + " has compute capability " + capability_text(capability) + ", expected " +
                    capability_text(kVolta) + " or newer; --backend=cpu needs no GPU");
}

Result<void> check_tensor_cores(const Target& target, const std::string& place,
                                const std::string& option) {
  if (target.has_tensor_cores()) return {};
  return Errors(ErrorCode::BackendUnsupported, place,
                option + " needs compute capability " + capability_text(kAmpere) + ", found " +
                    capability_text(target.capability));
}

}  // namespace vecc
