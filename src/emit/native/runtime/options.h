// The command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "machine_options.h"  // the language's own

namespace vecc::emitted {

struct Options {
  std::string data;     ///< the folder of data.safetensors; empty: found beside the executable
  std::string weights;  ///< empty: those that the program was written with
  std::string facts;    ///< the same
  std::uint64_t repeat = 1;
  MachineOptions machine;
};

/// Nothing after --help, which is printed. Throws Failure.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv);

}  // namespace vecc::emitted
