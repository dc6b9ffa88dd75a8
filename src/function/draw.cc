#include "src/function/draw.h"

namespace vecc {
namespace {

std::uint32_t word_of(double x) {
  return x >= 0 && x < 4294967296.0 ? static_cast<std::uint32_t>(x) : 0;
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t a = std::uint64_t{counter[0]} * kPhiloxFactors[0];
    const std::uint64_t b = std::uint64_t{counter[2]} * kPhiloxFactors[1];
    const auto high = [](std::uint64_t product) {
      return static_cast<std::uint32_t>(product >> 32);
    };
    counter = {high(b) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               high(a) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += kPhiloxSteps[0];
    key[1] += kPhiloxSteps[1];
  }
  return counter;
}

double draw_number(std::span<const double, kDrawWords> words) {
  const auto drawn =
      philox({word_of(words[2]), word_of(words[3]), word_of(words[4]), word_of(words[5])},
             {word_of(words[0]), word_of(words[1])});
  return ((drawn[0] >> kDrawShift) + 0.5) * kDrawUnit;
}

void draw_entries(std::span<const Element> words, std::span<double> y) {
  std::array<double, kDrawWords> of_entry{};
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t k = 0; k < kDrawWords; ++k) {
      of_entry[k] = words[k].values[words[k].shape.is_scalar() ? 0 : i];
    }
    y[i] = draw_number(of_entry);
  }
}

}  // namespace vecc
