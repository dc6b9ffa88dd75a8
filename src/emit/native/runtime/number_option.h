// An option of the command line that is a number.
#pragma once

#include <cstdint>
#include <string_view>

namespace vecc::emitted {

template <class Options>
struct NumberOption {
  std::string_view name;
  std::uint64_t least;
  std::uint64_t most;
  std::uint64_t Options::*value;
};

}  // namespace vecc::emitted
