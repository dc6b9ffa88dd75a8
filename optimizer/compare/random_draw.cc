#include "optimizer/compare/random_draw.h"

#include <random>

namespace vecc::opt {

std::vector<double> draw_numbers(std::uint64_t seed, std::string_view name, std::size_t count) {
  std::vector<std::uint32_t> words = {static_cast<std::uint32_t>(seed),
                                      static_cast<std::uint32_t>(seed >> 32)};
  for (const char c : name) words.push_back(static_cast<unsigned char>(c));
  std::seed_seq sequence(words.begin(), words.end());
  std::mt19937_64 engine(sequence);
  std::vector<double> numbers(count);
  // The standard's distributions differ from library to library; its engines do not.
  for (double& v : numbers) v = static_cast<double>(engine() >> 11) * 0x1p-52 - 1;
  return numbers;
}

}  // namespace vecc::opt
