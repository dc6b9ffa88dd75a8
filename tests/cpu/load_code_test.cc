// Texts become code that can be called, once.
#include "backends/cpu/load_code.h"

#include <gmock/gmock.h>

#include <cmath>
#include <thread>

#include "tests/cpu/code_fixture.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using LoadCode = CodeTest;

TEST_F(LoadCode, makes_units_that_can_be_called) {
  const Loaded loaded = load({unit(7), unit(8)});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  EXPECT_EQ(answer_of(*loaded->at(0)), 7);
  EXPECT_EQ(answer_of(*loaded->at(1)), 8);
  EXPECT_EQ(counts_.compiled, 2u);
  EXPECT_EQ(counts_.cached, 0u);
}

TEST_F(LoadCode, links_the_functions_of_libm_and_libc) {
  const cpu::CodeUnit unit{R"(
extern "C" float expf(float);
extern "C" void* memcpy(void*, const void*, unsigned long);
extern "C" __attribute__((visibility("default"))) void apply(float* y, const float* x, unsigned long n) {
  memcpy(y, x, n * sizeof(float));
  for (unsigned long i = 0; i < n; ++i) y[i] = expf(y[i]);
})"};
  const Loaded loaded = load({unit});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  const float x[3] = {0.0f, 1.0f, -2.0f};
  float y[3] = {};
  reinterpret_cast<void (*)(float*, const float*, unsigned long)>(loaded->front()->symbol("apply"))(
      y, x, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(y[i], std::exp(x[i]));
}

TEST_F(LoadCode, contracts_no_product_and_sum_into_one_rounding) {
  const cpu::CodeUnit unit{R"(
extern "C" __attribute__((visibility("default"))) double add(double a, double b, double c) {
  return a * b + c;
})"};
  const Loaded loaded = load({unit});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  const auto add =
      reinterpret_cast<double (*)(double, double, double)>(loaded->front()->symbol("add"));
  const double near_one = 1.0 + 0x1p-30;
  EXPECT_EQ(add(near_one, near_one, -(1.0 + 0x1p-29)), 0.0) << "fused, it is 2^-60";
}

TEST_F(LoadCode, has_null_for_a_symbol_that_is_not_there) {
  const Loaded loaded = load({unit(1)});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  EXPECT_EQ(loaded->front()->symbol("question"), nullptr);
}

TEST_F(LoadCode, compiles_nothing_the_second_time) {
  EXPECT_EQ(load_answer(unit(7)), 7);
  EXPECT_EQ(load_answer(unit(7)), 7);
  EXPECT_EQ(counts_.compiled, 0u);
  EXPECT_EQ(counts_.cached, 1u);
}

TEST_F(LoadCode, compiles_only_the_units_that_are_new) {
  ASSERT_TRUE(load({unit(1), unit(2), unit(3)}).has_value());
  const Loaded loaded = load({unit(3), unit(4), unit(1)});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  EXPECT_EQ(answer_of(*loaded->at(1)), 4);
  EXPECT_EQ(counts_.compiled, 1u);
  EXPECT_EQ(counts_.cached, 2u);
}

TEST_F(LoadCode, compiles_equal_texts_once) {
  const Loaded loaded = load({unit(5), unit(6), unit(5)});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  EXPECT_EQ(loaded->at(0), loaded->at(2));
  EXPECT_EQ(counts_.compiled, 2u);
}

TEST_F(LoadCode, shares_what_this_process_holds) {
  const Loaded first = load({unit(5)});
  std::filesystem::remove_all(cache());
  const Loaded second = load({unit(5)});
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->front(), second->front());
  EXPECT_EQ(counts_.cached, 1u);
}

TEST_F(LoadCode, gives_threads_at_once_the_same_unit) {
  std::vector<Loaded> loaded(4, Errors());
  std::vector<std::thread> threads;
  for (Loaded& one : loaded) {
    threads.emplace_back([&one] { one = cpu::load_code(std::vector{unit(11)}, {}, nullptr); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Loaded& one : loaded) {
    ASSERT_TRUE(one.has_value()) << one.error().text();
    EXPECT_EQ(one->front(), loaded.front()->front());
  }
}

TEST_F(LoadCode, tells_its_progress) {
  std::vector<std::string> steps;
  options_.progress = [&](std::size_t compiled, std::size_t all) {
    steps.push_back(std::to_string(compiled) + "/" + std::to_string(all));
  };
  ASSERT_TRUE(load({unit(1), unit(2), unit(1)}).has_value());
  EXPECT_THAT(steps, ::testing::ElementsAre("1/2", "2/2"));
}

TEST_F(LoadCode, says_what_the_compiler_says_of_a_wrong_text) {
  const Loaded loaded = load({{"int f( { return 1; }\n"}});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().list().front().code, ErrorCode::CompilerFailed);
  EXPECT_THAT(loaded.error().text(), HasSubstr("0.cc:1:"));
  EXPECT_THAT(loaded.error().text(), HasSubstr("error: expected"));
}

TEST_F(LoadCode, leaves_nothing_behind_after_a_wrong_text) {
  EXPECT_FALSE(load({{"wrong"}}).has_value());
  EXPECT_THAT(files_in(cache()), IsEmpty());
  EXPECT_THAT(files_in(folder_.path("temporary")), IsEmpty());
}

TEST_F(LoadCode, leaves_only_entries_behind) {
  ASSERT_TRUE(load({unit(1), unit(2)}).has_value());
  EXPECT_THAT(files_in(cache()), SizeIs(2));
  EXPECT_THAT(files_in(folder_.path("temporary")), IsEmpty());
}

TEST_F(LoadCode, refuses_a_symbol_that_nothing_defines) {
  const Loaded loaded = load({{R"(
int nowhere();
extern "C" __attribute__((visibility("default"))) int answer() { return nowhere(); })"}});
  ASSERT_FALSE(loaded.has_value());
  EXPECT_THAT(loaded.error().text(), HasSubstr("undefined symbol"));
}

TEST_F(LoadCode, leaves_no_descriptor_open) {
  const std::size_t before = files_in("/proc/self/fd").size();
  { ASSERT_TRUE(load({unit(1), unit(2), unit(3)}).has_value()); }
  EXPECT_FALSE(load({{"wrong"}}).has_value());
  EXPECT_EQ(files_in("/proc/self/fd").size(), before);
}

}  // namespace
}  // namespace vecc::test
