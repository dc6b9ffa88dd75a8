// Random numbers of a training. Each depends on nothing but a seed and what it is drawn for, so
// that any number of threads and a resumed training have the same ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/kg/formulas/kinds.h"

namespace vecc::kg {

/// Those of a stream at a step (order: at an epoch): Philox 4x32-10,
/// keyed by the seed, the counter being position, stream and step.
class Draws {
 public:
  Draws(std::uint64_t seed, DrawStream stream, std::uint64_t step)
      : seed_(seed), step_(step), stream_(stream) {}

  /// 64 random bits; `position` is below 2^56.
  [[nodiscard]] std::uint64_t bits(std::uint64_t position) const;
  /// 0 .. count - 1, each with the probability 1 / count to 2^-64.
  [[nodiscard]] std::uint32_t below(std::uint64_t position, std::uint32_t count) const;
  /// A multiple of 2^-53 in [0, 1).
  [[nodiscard]] double uniform(std::uint64_t position) const;

 private:
  std::uint64_t seed_;
  std::uint64_t step_;
  DrawStream stream_;
};

/// 0 .. count - 1 in an order of its own for each epoch (Fisher and Yates).
[[nodiscard]] std::vector<std::uint32_t> draw_order(std::uint64_t seed, std::uint64_t epoch,
                                                    std::uint32_t count);

/// Numbers with given probabilities.
class WeightedDraw {
 public:
  /// No weight is negative, one at least is more than 0. Number i has weights[i] / their sum.
  explicit WeightedDraw(std::span<const double> weights);
  [[nodiscard]] std::uint32_t draw(const Draws& draws, std::uint64_t position) const;
  /// Of the weights up to and with i.
  [[nodiscard]] std::span<const double> sums() const { return sums_; }

 private:
  std::vector<double> sums_;
};

}  // namespace vecc::kg
