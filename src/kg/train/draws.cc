#include "src/kg/train/draws.h"

#include <numeric>
#include <utility>

#include "src/kg/formulas/draws.h"
#include "vecc/error.h"

namespace vecc::kg {

std::uint64_t Draws::bits(std::uint64_t position) const {
  return formulas::draw_bits(seed_, stream_, step_, position);
}

std::uint32_t Draws::below(std::uint64_t position, std::uint32_t count) const {
  return formulas::draw_below(bits(position), count);
}

double Draws::uniform(std::uint64_t position) const {
  return formulas::draw_uniform(bits(position));
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
  return formulas::draw_weighted(draws.bits(position), sums_.data(),
                                 static_cast<std::uint32_t>(sums_.size()));
}

}  // namespace vecc::kg
