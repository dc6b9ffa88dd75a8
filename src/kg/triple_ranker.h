// Ranks that are asked for again and again.
#pragma once

#include <vector>

#include "src/kg/ranks.h"
#include "vecc/error.h"

namespace vecc::kg {

/// Of the same triples, by the weights of now.
class TripleRanker {
 public:
  virtual ~TripleRanker() = default;
  /// As rank_triples(). Errors: a device's.
  [[nodiscard]] virtual Result<std::vector<Rank>> rank() = 0;
};

}  // namespace vecc::kg
