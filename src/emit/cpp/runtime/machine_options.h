// Options of a program that runs on the CPU.
#pragma once

#include <cstdint>
#include <span>

#include "src/emit/native/runtime/number_option.h"
#include "src/runtime/tile_walk.h"

namespace vecc::emitted {

struct MachineOptions {
  std::uint64_t threads = 0;  ///< 0: as many as the machine has
  std::uint64_t shared_work = cpu::kSharedWork;
};

inline constexpr NumberOption<MachineOptions> kMachineOptions[] = {
    {"--threads", 0, 4096, &MachineOptions::threads},
    {"--shared-work", 0, ~std::uint64_t{0}, &MachineOptions::shared_work}};

inline constexpr const char* kMachineHelp =
    R"(  --threads=N      CPU threads; 0, as without it: as many as the machine has. Any number gives the
                   same bits
  --shared-work=N  The least work (multiply-adds and moved numbers) of a launch that is shared out
                   among threads. For tests: with 0, all of more than one tile are
)";

}  // namespace vecc::emitted
