#include "src/kg/train/draws.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/function/draw.h"
#include "vecc/error.h"

namespace vecc::kg {

std::uint64_t Draws::bits(std::uint64_t position) const {
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  const std::uint64_t counter = position | std::uint64_t{static_cast<std::uint8_t>(stream_)} << 56;
  const auto words = philox({low(counter), low(counter >> 32), low(step_), low(step_ >> 32)},
                            {low(seed_), low(seed_ >> 32)});
  return words[0] | std::uint64_t{words[1]} << 32;
}

std::uint32_t Draws::below(std::uint64_t position, std::uint32_t count) const {
  // The upper half of bits * count: of the whole 96-bit product, without a type of 128 bits.
  const std::uint64_t random = bits(position);
  const std::uint64_t lower = (random & 0xFFFFFFFF) * count >> 32;
  return static_cast<std::uint32_t>(((random >> 32) * count + lower) >> 32);
}

double Draws::uniform(std::uint64_t position) const {
  return static_cast<double>(bits(position) >> 11) * 0x1p-53;
}

std::vector<std::uint32_t> draw_order(std::uint64_t seed, std::uint64_t epoch,
                                      std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  const Draws draws(seed, DrawStream::Order, epoch);
  for (std::uint32_t i = count; i > 1; --i) std::swap(order[i - 1], order[draws.below(i, i)]);
  return order;
}

WeightedDraw::WeightedDraw(std::span<const double> weights) : sums_(weights.size()) {
  std::partial_sum(weights.begin(), weights.end(), sums_.begin());
  VECC_CHECK(!sums_.empty() && sums_.back() > 0, "a draw among nothing");
}

std::uint32_t WeightedDraw::draw(const Draws& draws, std::uint64_t position) const {
  const double at = draws.uniform(position) * sums_.back();
  const auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
  if (found != sums_.end()) return static_cast<std::uint32_t>(found - sums_.begin());
  // The product was rounded up: the last that has a weight.
  const auto last = std::lower_bound(sums_.begin(), sums_.end(), sums_.back());
  return static_cast<std::uint32_t>(last - sums_.begin());
}

}  // namespace vecc::kg
