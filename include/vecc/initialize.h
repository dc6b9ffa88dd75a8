// Initial values of weights: NeuraLogic's initializers with java.util.Random's stream, so that a
// seed gives NeuraLogic's weights.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"
#include "vecc/shape.h"

namespace vecc {

enum class Initializer : std::uint8_t {
  Uniform,   ///< (r - 0.5) * 2, r in [0, 1): NeuraLogic's default ("simple")
  Normal,    ///< standard normal * 2
  Constant,  ///< 0.1
  Glorot,    ///< uniform in +-sqrt(6) / sqrt(rows + cols); a vector of n +-sqrt(6) / sqrt(n + 1), a
             ///< scalar +-sqrt(3) (Glorot and Bengio 2010)
  He,        ///< uniform in +-sqrt(6) / sqrt(cols) (He et al. 2015)
};
/// uniform, normal, constant, glorot, he; none for other text.
[[nodiscard]] std::optional<Initializer> parse_initializer(std::string_view text);
[[nodiscard]] std::string_view text_of(Initializer initializer);

/// java.util.Random: a 48-bit linear congruential generator, bit for bit.
class JavaRandom {
 public:
  explicit JavaRandom(std::int64_t seed);
  /// The next `bits` (at most 32) bits.
  std::int32_t next(int bits);
  /// Uniform in [0, 1), 53 bits.
  double next_double();
  /// Standard normal by the polar method; every second one is kept from the call before.
  double next_gaussian();
  /// Uniform in 0 .. bound-1, without bias. bound > 0.
  std::int32_t next_int(std::int32_t bound);

 private:
  std::uint64_t state_;
  std::optional<double> next_gaussian_;
};

/// Draws the values of one weight, row-major.
void draw_weight(Initializer initializer, Shape shape, JavaRandom& random,
                 std::span<double> values);

/// Gives values to all weight tables that have none, in the order of weight ids (NeuraLogic's
/// template order). Returns how many weights got them.
std::uint64_t initialize_weights(NeuronGraph& graph, Initializer initializer, std::int64_t seed);

}  // namespace vecc
