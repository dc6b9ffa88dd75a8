#include "src/graph/member_counts.h"

namespace vecc::graph {

using Counts = SampledMembers::Counts;

std::optional<Counts> counts_of(Combination combination) {
  switch (combination) {
    case Combination::Sum: return Counts::InSum;
    case Combination::Avg: return Counts::InMean;
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin:
    case Combination::Softmax:
    case Combination::Sparsemax: return Counts::There;
    case Combination::Count:
    case Combination::Concat:
    case Combination::Product:
    case Combination::ElProduct:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: return std::nullopt;
  }
  return std::nullopt;
}

std::string why_not_sampled(Combination combination) {
  if (counts_of(combination)) return {};
  return "by " + std::string(info(combination).text) +
         ", and only sums, means, max, min, softmax and sparsemax can be sampled";
}

std::string why_attention_is_not_sampled(Combination combination) {
  return "by " + std::string(info(combination).text) +
         " of products with a softmax's entries, of which only sums can be sampled";
}

}  // namespace vecc::graph
