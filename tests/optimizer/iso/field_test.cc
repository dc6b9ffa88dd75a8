// The arithmetic of fingerprints: two prime fields, and random numbers by name.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "optimizer/iso/keyed_hash.h"

namespace vecc::opt::iso {
namespace {

template <class Field>
class Fields : public testing::Test {};
using BothFields = testing::Types<FirstField, SecondField>;
TYPED_TEST_SUITE(Fields, BothFields);

std::uint64_t power(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  Uint128 result = 1;
  for (Uint128 square = base; exponent > 0; exponent >>= 1, square = square * square % modulus) {
    if ((exponent & 1) != 0) result = result * square % modulus;
  }
  return static_cast<std::uint64_t>(result);
}

// Miller and Rabin; certain below 3.3 * 10^24 for these bases.
bool is_prime(std::uint64_t n) {
  std::uint64_t odd = n - 1;
  while (odd % 2 == 0) odd /= 2;
  for (const std::uint64_t base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41}) {
    std::uint64_t x = power(base, odd, n);
    bool passes = x == 1;
    for (std::uint64_t exponent = odd; exponent < n - 1 && !passes; exponent *= 2) {
      passes = x == n - 1;
      x = power(x, 2, n);
    }
    if (!passes) return false;
  }
  return true;
}

TYPED_TEST(Fields, have_a_prime_modulus_of_61_bits) {
  EXPECT_TRUE(is_prime(TypeParam::kPrime));
  EXPECT_EQ(TypeParam::kPrime >> 60, 1);
}

TYPED_TEST(Fields, reduce_is_the_remainder) {
  const Uint128 prime = TypeParam::kPrime;
  const Uint128 largest = ~Uint128{0};
  std::vector<Uint128> numbers{0,
                               1,
                               prime - 1,
                               prime,
                               prime + 1,
                               2 * prime,
                               prime * prime,
                               Uint128{1} << 61,
                               (Uint128{1} << 122) - 1,
                               largest,
                               largest - 1};
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) numbers.push_back(Uint128{random()} << 64 | random());
  for (const Uint128 x : numbers) {
    EXPECT_EQ(TypeParam::reduce(x), static_cast<std::uint64_t>(x % prime));
    const auto word = static_cast<std::uint64_t>(x);
    EXPECT_EQ(TypeParam::reduce(word), word % TypeParam::kPrime);
  }
}

TYPED_TEST(Fields, obey_the_laws) {
  using F = TypeParam;
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t a = F::reduce(random());
    const std::uint64_t b = i % 10 == 0 ? F::kPrime - 1 : F::reduce(random());
    const std::uint64_t c = F::reduce(random());
    EXPECT_EQ(F::add(a, b), F::add(b, a));
    EXPECT_EQ(F::multiply(a, b), F::multiply(b, a));
    EXPECT_EQ(F::add(F::add(a, b), c), F::add(a, F::add(b, c)));
    EXPECT_EQ(F::multiply(F::multiply(a, b), c), F::multiply(a, F::multiply(b, c)));
    EXPECT_EQ(F::multiply(a, F::add(b, c)), F::add(F::multiply(a, b), F::multiply(a, c)));
    EXPECT_EQ(F::subtract(F::add(a, b), b), a);
    if (a == 0) continue;
    EXPECT_EQ(F::multiply(a, F::inverse(a)), 1);
  }
}

TEST(Residues, a_long_sum_of_products_is_reduced_in_time) {
  const Residues largest{FirstField::kPrime - 1, SecondField::kPrime - 1};  // -1
  ProductSum sum;
  for (std::uint64_t n = 1; n <= 1000; ++n) {
    sum.add(largest, largest);
    ASSERT_EQ(sum.value(), residues_of(n)) << n;
  }
}

TEST(Residues, averages_are_exact) {
  const Residues x{123456789, 987654321};
  for (std::uint64_t n = 1; n < 100; ++n) {
    Residues sum;
    for (std::uint64_t k = 0; k < n; ++k) sum += x;
    EXPECT_EQ(sum * inverse_of(n), x) << n;
  }
}

// Why one of the fields alone would not do.
TEST(Residues, sixty_one_doublings_meet_in_the_first_field_only) {
  Residues x = kOne;
  for (int i = 0; i < 61; ++i) x += x;
  EXPECT_EQ(x.first, 1);
  EXPECT_NE(x.second, 1);
}

TEST(Keys, zero_and_one_are_themselves_and_other_constants_are_random) {
  const Keys keys(1);
  EXPECT_EQ(keys.constant(0.0), kZero);
  EXPECT_EQ(keys.constant(1.0), kOne);
  EXPECT_NE(keys.constant(2.0), kOne + kOne);
  EXPECT_NE(keys.constant(1.0) + keys.constant(4.0), keys.constant(2.0) + keys.constant(2.0));
  EXPECT_NE(keys.constant(-1.0) + kOne, kZero);
}

TEST(Keys, constants_are_told_apart_by_their_bits) {
  const Keys keys(1);
  EXPECT_NE(keys.constant(-0.0), kZero);
  EXPECT_NE(keys.constant(0.1), keys.constant(std::nextafter(0.1, 1.0)));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(keys.constant(nan), keys.constant(nan));
  EXPECT_EQ(keys.constant(0.1), Keys(1).constant(0.1));
}

TEST(Keys, another_seed_is_another_number_in_both_fields) {
  const Residues a = Keys(1).constant(0.1);
  const Residues b = Keys(2).constant(0.1);
  EXPECT_NE(a.first, b.first);
  EXPECT_NE(a.second, b.second);
  EXPECT_NE(a.first, a.second);
}

TEST(Keys, names_of_any_length_differ) {
  const Keys keys(1);
  const auto of = [&](std::string_view name) {
    return keys.named(HashTag::Parameter, name).value();
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(of("weights"), of("weights"));
  EXPECT_NE(of("a"), of("a\0"sv));
  EXPECT_NE(of("layer_1.W"), of("layer_1.V"));
  EXPECT_NE(of(""), of("\0\0\0\0\0\0\0\0"sv));
  EXPECT_NE(keys.named(HashTag::State, "m").value(), of("m"));
}

TEST(Hash, of_a_list_depends_on_the_order_and_of_a_multiset_on_the_numbers) {
  const Keys keys(1);
  const Residues a = keys.constant(2);
  const Residues b = keys.constant(3);
  const auto list = [&](std::initializer_list<Residues> members) {
    return keys.hash(HashTag::Combination).add(std::span(members.begin(), members.size())).value();
  };
  const auto multiset = [&](std::initializer_list<Residues> members) {
    MultisetHash hash(keys, 0);
    for (const Residues& member : members) hash.add({&member, 1});
    return hash.sum();
  };
  EXPECT_NE(list({a, b}), list({b, a}));
  EXPECT_EQ(multiset({a, b}), multiset({b, a}));
  EXPECT_NE(multiset({a, b}), multiset({a, a, b}));
  EXPECT_NE(multiset({a, a, b}), multiset({a, b, b}));
  EXPECT_NE(multiset({a + b}), multiset({a, b}));
}

}  // namespace
}  // namespace vecc::opt::iso
