// A shuffle that is the same on every machine for the same words (that of the standard is not).
#pragma once

#include <random>
#include <utility>
#include <vector>

namespace vecc::training {

/// Fisher and Yates's shuffle by a Mersenne twister that begins with `words`.
template <class T>
void shuffle_by(std::seed_seq& words, std::vector<T>& items) {
  std::mt19937_64 random(words);
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

}  // namespace vecc::training
