// Dropout of embeddings (Srivastava et al. 2014): a step reads each row with some of its numbers
// as 0 and the others times 1 / (1 - p), so that the mean stays. Which ones is drawn anew for each
// place that a row is read in: for each query's entity, relation and answer, and each drawn
// negative, which all queries of its chunk share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/kg/formulas/kinds.h"

namespace vecc::kg {

/// Probabilities p of a number to be left out; 0: no dropout.
struct TripleDropout {
  double entities = 0;
  double relations = 0;
};

/// p in 2^-16ths, to the nearest one.
[[nodiscard]] std::uint32_t dropout_share(double p);
/// 1 / (1 - p) of a share.
[[nodiscard]] double dropout_scale(std::uint32_t share);

/// That of entities or relations in one step.
template <class T>
class RowDropout {
 public:
  RowDropout(double p, DrawStream stream, std::uint64_t seed, std::uint64_t step);

  [[nodiscard]] bool drops() const { return share_ > 0; }
  /// out = the row as the step reads it in `slot`.
  void apply(std::uint64_t slot, const T* row, std::size_t width, T* out) const;
  /// Adds the derivative by the row, if `gradient` is that by what the step reads in `slot`.
  void add_gradient(std::uint64_t slot, const T* gradient, std::size_t width, T* sum) const;

 private:
  template <class Body>
  void each_stretch(std::uint64_t slot, std::size_t width, const Body& body) const;

  std::uint64_t seed_;
  std::uint64_t step_;
  DrawStream stream_;
  std::uint32_t share_;
  T scale_;
};

}  // namespace vecc::kg
