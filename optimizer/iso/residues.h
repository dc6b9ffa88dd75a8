// Numbers as fingerprints hold them: the residues of one integer modulo two primes.
//
// Both fields have 61 bits: p = 2^61 - 1 and q = 2^61 - 31. One prime would do for random values,
// but not for what sums count: 2^61 = 1 modulo p, so that a row doubled by 61 layers would meet
// itself. Modulo q the order of 2 is 288230376151711740; a count that vanishes in both fields is
// a multiple of p * q, about 2^122.
#pragma once

#include <cstdint>

namespace vecc::opt::iso {

__extension__ using Uint128 = unsigned __int128;

/// The field of integers modulo 2^61 - kBelow, a prime; kBelow < 32. Elements are 0 .. kPrime-1.
template <std::uint64_t kBelow>
struct PrimeField {
  static constexpr std::uint64_t kMask = (1ull << 61) - 1;
  static constexpr std::uint64_t kPrime = (1ull << 61) - kBelow;

  /// x modulo the prime: 2^61 is kBelow, so the bits above count kBelow times.
  [[nodiscard]] static constexpr std::uint64_t reduce(Uint128 x) {
    const Uint128 once = (x >> 61) * kBelow + (x & kMask);
    const std::uint64_t twice = static_cast<std::uint64_t>(once >> 61) * kBelow +
                                (static_cast<std::uint64_t>(once) & kMask);
    return twice >= kPrime ? twice - kPrime : twice;
  }
  [[nodiscard]] static constexpr std::uint64_t reduce(std::uint64_t x) {
    const std::uint64_t once = (x >> 61) * kBelow + (x & kMask);
    return once >= kPrime ? once - kPrime : once;
  }
  [[nodiscard]] static constexpr std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum >= kPrime ? sum - kPrime : sum;
  }
  [[nodiscard]] static constexpr std::uint64_t subtract(std::uint64_t a, std::uint64_t b) {
    return a >= b ? a - b : a + kPrime - b;
  }
  [[nodiscard]] static constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    return reduce(Uint128{a} * b);
  }
  /// 1 / a, by Fermat: a^(kPrime - 2). a is not 0.
  [[nodiscard]] static constexpr std::uint64_t inverse(std::uint64_t a) {
    std::uint64_t result = 1;
    for (std::uint64_t exponent = kPrime - 2; exponent > 0; exponent >>= 1) {
      if ((exponent & 1) != 0) result = multiply(result, a);
      a = multiply(a, a);
    }
    return result;
  }
};
using FirstField = PrimeField<1>;
using SecondField = PrimeField<31>;

/// An integer (or a fraction) modulo both primes. No operation mixes the two.
struct Residues {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  constexpr bool operator==(const Residues&) const = default;
  [[nodiscard]] constexpr bool is_zero() const { return (first | second) == 0; }

  friend constexpr Residues operator+(const Residues& a, const Residues& b) {
    return {FirstField::add(a.first, b.first), SecondField::add(a.second, b.second)};
  }
  friend constexpr Residues operator-(const Residues& a, const Residues& b) {
    return {FirstField::subtract(a.first, b.first), SecondField::subtract(a.second, b.second)};
  }
  friend constexpr Residues operator*(const Residues& a, const Residues& b) {
    return {FirstField::multiply(a.first, b.first), SecondField::multiply(a.second, b.second)};
  }
  constexpr Residues& operator+=(const Residues& b) { return *this = *this + b; }
  constexpr Residues& operator*=(const Residues& b) { return *this = *this * b; }
};
inline constexpr Residues kZero{0, 0};
inline constexpr Residues kOne{1, 1};

/// n and 1 / n; n below 2^60, not 0 for the inverse.
[[nodiscard]] constexpr Residues residues_of(std::uint64_t n) {
  return {n, n};
}
[[nodiscard]] constexpr Residues inverse_of(std::uint64_t n) {
  return {FirstField::inverse(n), SecondField::inverse(n)};
}

/// A sum of products, reduced only now and then: 64 products of 122 bits fit into 128.
class ProductSum {
 public:
  static constexpr unsigned kUnreduced = 62;  ///< products, beside a sum that is reduced

  constexpr void add(const Residues& a, const Residues& b) {
    if (++count_ > kUnreduced) {
      first_ = FirstField::reduce(first_);
      second_ = SecondField::reduce(second_);
      count_ = 1;
    }
    add_one_of_few(a, b);
  }
  /// Where no more than kUnreduced are added, and all by this.
  constexpr void add_one_of_few(const Residues& a, const Residues& b) {
    first_ += Uint128{a.first} * b.first;
    second_ += Uint128{a.second} * b.second;
  }
  [[nodiscard]] constexpr Residues value() const {
    return {FirstField::reduce(first_), SecondField::reduce(second_)};
  }

 private:
  Uint128 first_ = 0;
  Uint128 second_ = 0;
  unsigned count_ = 0;
};

}  // namespace vecc::opt::iso
