// A shuffle that is the same on every machine for the same words (that of the standard is not).
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

namespace vecc::training {

/// std::seed_seq: the same numbers for the same words, by the formulas of the standard
/// ([rand.util.seedseq]). Where numbers are stored goes round without divisions, which take three
/// quarters of the library's time: as long as a short epoch's steps on a GPU.
class SeedWords {
 public:
  using result_type = std::uint32_t;

  SeedWords(std::initializer_list<std::uint32_t> words) : words_(words) {}

  template <class Iterator>
  void generate(Iterator begin, Iterator end) const {
    const auto n = static_cast<std::size_t>(std::distance(begin, end));
    if (n == 0) return;
    std::fill(begin, end, 0x8b8b8b8bu);
    const std::size_t t = n >= 623 ? 11 : n >= 68 ? 7 : n >= 39 ? 5 : n >= 7 ? 3 : (n - 1) / 2;
    const std::size_t p = (n - t) / 2;
    const std::size_t m = std::max(words_.size() + 1, n);
    std::size_t at = 0;  // k % n, and then (k + p) % n, (k + p + t) % n, (k - 1) % n
    std::size_t near = p % n;
    std::size_t far = (p + t) % n;
    std::size_t last = n - 1;
    const auto go_on = [&] {
      last = at;
      for (std::size_t* const place : {&at, &near, &far}) *place = *place + 1 == n ? 0 : *place + 1;
    };
    for (std::size_t k = 0; k < m; ++k, go_on()) {
      const std::uint32_t a = 1664525u * mixed(begin[at] ^ begin[near] ^ begin[last]);
      std::uint32_t b = a + static_cast<std::uint32_t>(k == 0 ? words_.size() : at);
      if (k > 0 && k <= words_.size()) b += words_[k - 1];
      begin[near] += a;
      begin[far] += b;
      begin[at] = b;
    }
    for (std::size_t k = 0; k < n; ++k, go_on()) {
      const std::uint32_t a = 1566083941u * mixed(begin[at] + begin[near] + begin[last]);
      const std::uint32_t b = a - static_cast<std::uint32_t>(at);
      begin[near] ^= a;
      begin[far] ^= b;
      begin[at] = b;
    }
  }

 private:
  [[nodiscard]] static std::uint32_t mixed(std::uint32_t x) { return x ^ x >> 27; }

  std::vector<std::uint32_t> words_;
};

/// Fisher and Yates's shuffle by a Mersenne twister that begins with `words`.
template <class T>
void shuffle_by(SeedWords words, std::vector<T>& items) {
  std::mt19937_64 random(words);
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

}  // namespace vecc::training
