// The command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/cpu/tile_walk.h"

namespace vecc::emitted {

struct Options {
  std::string data;     ///< the folder of data.safetensors; empty: found beside the executable
  std::string weights;  ///< empty: those that the program was written with
  std::string facts;    ///< the same
  std::uint32_t threads = 0;  ///< 0: as many as the machine has
  std::uint32_t repeat = 1;
  std::uint64_t shared_work = cpu::kSharedWork;
};

/// Nothing after --help, which is printed. Throws Failure.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv);

}  // namespace vecc::emitted
