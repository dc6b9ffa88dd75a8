#include "vecc/shared_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>

#include "src/support/free_memory.h"
#include "src/support/list_threads.h"

namespace vecc::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kLong = 3'000'001;  // of which pages go back while it becomes floats

bool have_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

std::vector<double> long_floats() {
  std::vector<double> values(kLong);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 7.0f;
  return values;
}

TEST(SharedNumbers, are_floats_where_nothing_is_lost) {
  const double denormal = std::numeric_limits<float>::denorm_min();
  const double largest = std::numeric_limits<float>::max();
  for (const double value :
       {0.0, -0.0, 0.5, -3.0, denormal, largest, kInfinity, -kInfinity, kNan}) {
    const std::vector<double> values{1, value};
    const SharedNumbers numbers = SharedNumbers::of(values);
    EXPECT_TRUE(numbers.are_floats()) << value;
    EXPECT_EQ(numbers.bytes(), 8u);
    EXPECT_TRUE(have_same_bits(numbers.doubles(), values)) << value;
  }
}

TEST(SharedNumbers, are_doubles_where_one_is_no_float) {
  const double payload = std::bit_cast<double>(std::uint64_t{0x7FF8000000000001});
  const double denormal = double{std::numeric_limits<float>::denorm_min()} / 2;
  for (const double value :
       {0.1, 1e300, -1e39, 1e-300, denormal, payload, 1 + std::numeric_limits<double>::epsilon()}) {
    const std::vector<double> values{1, value, 2};
    const SharedNumbers numbers = SharedNumbers::of(values);
    EXPECT_FALSE(numbers.are_floats()) << value;
    EXPECT_EQ(numbers.bytes(), 24u);
    EXPECT_TRUE(have_same_bits(numbers.doubles(), values)) << value;
    EXPECT_TRUE(
        have_same_bits(SharedNumbers::of(std::span<const double>(values)).doubles(), values));
  }
}

TEST(SharedNumbers, no_list_is_no_empty_list) {
  const SharedNumbers none;
  const SharedNumbers empty = SharedNumbers::of(std::vector<double>());
  EXPECT_FALSE(none);
  EXPECT_TRUE(bool(empty));
  EXPECT_EQ(empty.size(), 0u);
  EXPECT_FALSE(none == empty);
  EXPECT_FALSE(none.is_same(empty));
  EXPECT_TRUE(none.is_same(nullptr));
  EXPECT_TRUE(none.doubles().empty());
}

TEST(SharedNumbers, do_not_depend_on_threads) {
  const std::vector<double> floats = long_floats();
  std::vector<double> doubles = floats;
  doubles.back() = 0.1;
  for (const std::uint32_t count : {1u, 2u, 5u}) {
    const ListThreads threads(count);
    const SharedNumbers narrow = SharedNumbers::of(floats);  // a copy, which is taken
    EXPECT_TRUE(narrow.are_floats());
    EXPECT_EQ(narrow.doubles(), floats);
    EXPECT_TRUE(narrow.is_same(SharedNumbers::of(std::span<const double>(floats))));
    const SharedNumbers wide = SharedNumbers::of(doubles);
    EXPECT_FALSE(wide.are_floats());
    EXPECT_EQ(wide.doubles(), doubles);
    EXPECT_FALSE(wide.is_same(narrow));
    std::vector<float> part(1000);
    wide.copy_to(kLong - 1000, part);
    EXPECT_EQ(part.back(), 0.1f);
    EXPECT_EQ(part.front(), static_cast<float>(doubles[kLong - 1000]));
  }
}

// By one thread, too, which goes through all of them.
TEST(SharedNumbers, hold_no_list_twice_while_it_becomes_floats) {
  constexpr std::size_t kNumbers = 20'000'000;
  std::vector<double> values(kNumbers, 0.5);
  const std::uint64_t before = process_memory().resident;
  const SharedNumbers numbers = SharedNumbers::of(std::move(values));
  EXPECT_TRUE(numbers.are_floats());
  const std::uint64_t peak = process_peak().resident;
  EXPECT_LT(peak, before + numbers.bytes() / 2) << before;
}

TEST(SharedNumbers, compare_as_numbers_and_as_bits) {
  const SharedNumbers zero = SharedNumbers::of(std::vector<double>{0, 1});
  const SharedNumbers minus = SharedNumbers::of(std::vector<double>{-0.0, 1});
  EXPECT_EQ(zero, minus);
  EXPECT_FALSE(zero.is_same(minus));
  const SharedNumbers nan = SharedNumbers::of(std::vector<double>{kNan});
  EXPECT_FALSE(nan == SharedNumbers::of(std::vector<double>{kNan}));
  EXPECT_TRUE(nan.is_same(SharedNumbers::of(std::vector<double>{kNan})));
  // Of one list kept in two ways.
  const auto owner = std::make_shared<std::vector<double>>(std::vector<double>{0, 1});
  const SharedNumbers wide = SharedNumbers::shared(owner, std::span<const double>(*owner));
  EXPECT_FALSE(wide.are_floats());
  EXPECT_TRUE(wide.is_same(zero));
  EXPECT_FALSE(wide.is_same(minus));
  EXPECT_EQ(wide, minus);
}

TEST(SharedNumbers, share_what_an_owner_holds) {
  const auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4, 5, 6});
  const SharedNumbers all = SharedNumbers::shared(owner, std::span<const float>(*owner));
  EXPECT_EQ(all.data(), owner->data());
  const SharedNumbers most = all.part(1, 4);
  EXPECT_EQ(most.data(), owner->data() + 1);
  EXPECT_THAT(most.doubles(), ::testing::ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(all.part(0, 6).data(), owner->data());
}

TEST(SharedNumbers, a_few_keep_no_long_list) {
  auto owner = std::make_shared<std::vector<float>>(1000, 0.5f);
  const std::weak_ptr<std::vector<float>> lives = owner;
  SharedNumbers all = SharedNumbers::shared(owner, std::span<const float>(*owner));
  const SharedNumbers few = all.part(10, 3);
  SharedNumbers most = all.part(0, 600);
  const SharedNumbers part_of_part = most.part(0, 500);
  owner = nullptr;
  all = nullptr;
  EXPECT_FALSE(lives.expired());
  most = nullptr;
  EXPECT_TRUE(lives.expired());
  EXPECT_THAT(few.doubles(), ::testing::ElementsAre(0.5, 0.5, 0.5));
  EXPECT_EQ(part_of_part.size(), 500u);
}

TEST(SharedNumbers, a_part_is_of_floats_if_it_may) {
  const SharedNumbers wide = SharedNumbers::of(std::vector<double>{0.1, 1, 2, 3});
  EXPECT_FALSE(wide.are_floats());
  EXPECT_TRUE(wide.part(1, 3).are_floats());
  EXPECT_TRUE(wide.part(1, 3).is_same(SharedNumbers::of(std::vector<double>{1, 2, 3})));
  EXPECT_FALSE(wide.part(0, 3).are_floats());
}

TEST(NumberColumn, is_of_floats_up_to_the_first_double) {
  NumberColumn column;
  column.reserve(5);
  const float floats[] = {1, 2};
  column.append(std::span(floats));
  column.push_back(-0.0);
  EXPECT_EQ(column.bytes(), 5 * sizeof(float));
  column.push_back(0.1);
  column.append(std::span(floats).first(1));
  EXPECT_EQ(column.bytes(), 5 * sizeof(double));
  EXPECT_EQ(column[3], 0.1);
  const SharedNumbers numbers = column.take();
  EXPECT_TRUE(have_same_bits(numbers.doubles(), {1, 2, -0.0, 0.1, 1}));
  EXPECT_EQ(column.size(), 0u);
}

}  // namespace
}  // namespace vecc::test
