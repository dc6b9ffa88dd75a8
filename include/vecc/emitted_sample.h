// What emitted programs show of a sample.
#pragma once

#include <string>

namespace vecc {

/// Its id and its target as vecc prints them, without control characters.
struct EmittedSample {
  std::string id;
  std::string target;
};

}  // namespace vecc
