// Texts become code that can be called, once.
#include "backends/cpu/load_code.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <thread>

#include "tests/cpu/code_fixture.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using LoadCode = CodeTest;

TEST_F(LoadCode, makes_code_that_can_be_called) {
  const Loaded loaded = load({part(7), part(8)});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  EXPECT_EQ(answer_of(*loaded->at(0), 7), 7);
  EXPECT_EQ(answer_of(*loaded->at(1), 8), 8);
  EXPECT_EQ(counts_.compiled, 2u);
  EXPECT_EQ(counts_.cached, 0u);
}

TEST_F(LoadCode, links_the_functions_of_libm_and_libc) {
  const cpu::CodePart part{R"(
extern "C" float expf(float);
extern "C" void* memcpy(void*, const void*, unsigned long);
extern "C" __attribute__((visibility("default"))) void apply(float* y, const float* x, unsigned long n) {
  memcpy(y, x, n * sizeof(float));
  for (unsigned long i = 0; i < n; ++i) y[i] = expf(y[i]);
})"};
  const Loaded loaded = load({part});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  const float x[3] = {0.0f, 1.0f, -2.0f};
  float y[3] = {};
  reinterpret_cast<void (*)(float*, const float*, unsigned long)>(loaded->front()->symbol("apply"))(
      y, x, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(y[i], std::exp(x[i]));
}

TEST_F(LoadCode, contracts_no_product_and_sum_into_one_rounding) {
  const cpu::CodePart part{R"(
extern "C" __attribute__((visibility("default"))) double add(double a, double b, double c) {
  return a * b + c;
})"};
  const Loaded loaded = load({part});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  const auto add =
      reinterpret_cast<double (*)(double, double, double)>(loaded->front()->symbol("add"));
  const double near_one = 1.0 + 0x1p-30;
  EXPECT_EQ(add(near_one, near_one, -(1.0 + 0x1p-29)), 0.0) << "fused, it is 2^-60";
}

TEST_F(LoadCode, has_null_for_a_symbol_that_is_not_there) {
  const Loaded loaded = load({part(1)});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  EXPECT_EQ(loaded->front()->symbol("question"), nullptr);
}

TEST_F(LoadCode, compiles_nothing_the_second_time) {
  EXPECT_EQ(load_answer(7), 7);
  EXPECT_EQ(load_answer(7), 7);
  EXPECT_EQ(counts_.compiled, 0u);
  EXPECT_EQ(counts_.cached, 1u);
}

TEST_F(LoadCode, compiles_only_what_is_new) {
  ASSERT_TRUE(load({part(1), part(2), part(3)}).has_value());
  const Loaded loaded = load({part(3), part(4), part(1)});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  EXPECT_EQ(answer_of(*loaded->at(1), 4), 4);
  EXPECT_EQ(counts_.compiled, 1u);
  EXPECT_EQ(counts_.cached, 2u);
}

TEST_F(LoadCode, compiles_equal_texts_once) {
  const Loaded loaded = load({part(5), part(6), part(5)});
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
  EXPECT_EQ(loaded->at(0), loaded->at(2));
  EXPECT_EQ(counts_.compiled, 2u);
}

TEST_F(LoadCode, shares_what_this_process_holds) {
  const Loaded first = load({part(5)});
  std::filesystem::remove_all(cache());
  const Loaded second = load({part(5)});
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ(first->front(), second->front());
  EXPECT_EQ(counts_.cached, 1u);
}

TEST_F(LoadCode, gives_threads_at_once_the_same_code) {
  std::vector<Loaded> loaded(4, Errors());
  std::vector<std::thread> threads;
  for (Loaded& one : loaded) {
    threads.emplace_back([&one] { one = cpu::load_code("", std::vector{part(11)}, {}, nullptr); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Loaded& one : loaded) {
    ASSERT_TRUE(one.has_value()) << one.error().text();
    EXPECT_EQ(one->front(), loaded.front()->front());
  }
}

// Parts 0 to 99 in a few units.
class SharedUnits : public CodeTest {
 protected:
  static constexpr int kParts = 100;

  SharedUnits() {
    options_.compile.jobs = 2;
    common_ = "int common();\n";
  }
  static std::vector<cpu::CodePart> parts(int first = 0, int step = 1) {
    std::vector<cpu::CodePart> parts;
    for (int i = first; i < kParts; i += step) parts.push_back(part(i));
    return parts;
  }
  void expect_answers(const Loaded& loaded, int first = 0, int step = 1) {
    ASSERT_TRUE(loaded.has_value()) << loaded.error().text();
    for (std::size_t i = 0; i < loaded->size(); ++i) {
      const int number = first + static_cast<int>(i) * step;
      EXPECT_EQ(answer_of(*loaded->at(i), number), number);
    }
  }
  [[nodiscard]] std::vector<std::string> files_of(const std::string& ending) const {
    std::vector<std::string> files = files_in(cache());
    std::erase_if(files, [&](const std::string& file) { return !file.ends_with(ending); });
    return files;
  }
};

TEST_F(SharedUnits, are_few) {
  expect_answers(load(parts()));
  EXPECT_EQ(counts_.compiled, 100u);
  EXPECT_EQ(counts_.units, 100 / cpu::kPartsOfUnit);
  EXPECT_THAT(files_of(".so"), SizeIs(counts_.units));
}

TEST_F(SharedUnits, are_as_many_as_parts_where_these_are_few) {
  ASSERT_TRUE(load({part(1), part(2), part(3), part(4)}).has_value());
  EXPECT_EQ(counts_.units, 4u);
  ASSERT_TRUE(load({part(5), part(6), part(7), part(8), part(9), part(10)}).has_value());
  EXPECT_EQ(counts_.units, 4u) << "two for each compiler that runs at once";
}

TEST_F(SharedUnits, are_found_by_each_of_their_parts) {
  ASSERT_TRUE(load(parts()).has_value());
  expect_answers(load(parts(3, 7)), 3, 7);
  EXPECT_EQ(counts_.compiled, 0u);
  EXPECT_EQ(counts_.units, 0u);
  EXPECT_EQ(counts_.cached, 14u);
  EXPECT_EQ(load_answer(55), 55);
  EXPECT_EQ(counts_.cached, 1u);
}

TEST_F(SharedUnits, are_not_found_behind_another_beginning) {
  ASSERT_TRUE(load(parts()).has_value());
  common_ = "int other();\n";
  EXPECT_EQ(load_answer(55), 55);
  EXPECT_EQ(counts_.compiled, 1u);
}

TEST_F(SharedUnits, that_are_damaged_or_gone_are_made_again_for_what_is_asked) {
  ASSERT_TRUE(load(parts()).has_value());
  for (const std::string& file : files_of(".so")) {
    if (file == files_of(".so").front()) {
      std::filesystem::remove(file);
    } else {
      std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
    }
  }
  expect_answers(load(parts(0, 10)), 0, 10);
  EXPECT_EQ(counts_.compiled, 10u);
  expect_answers(load(parts(0, 10)), 0, 10);
  EXPECT_EQ(counts_.compiled, 0u);
}

TEST_F(SharedUnits, are_not_taken_from_where_a_wrong_place_leads) {
  ASSERT_TRUE(load(parts()).has_value());
  // Every part is said to be in the first library, or in a file outside.
  const std::string library = files_of(".so").front();
  const std::string outside = folder_.path("outside.so");
  std::filesystem::copy_file(library, outside);
  for (const std::string& place : files_of(".in")) {
    std::ofstream(place) << std::filesystem::path(library).filename().string();
  }
  expect_answers(load(parts()));
  EXPECT_GT(counts_.compiled, 0u);
  EXPECT_GT(counts_.cached, 0u) << "those that are in it";
  for (const std::string& place : files_of(".in")) std::ofstream(place) << "../../" + outside;
  expect_answers(load(parts(0, 3)), 0, 3);
}

TEST_F(SharedUnits, of_processes_at_once_may_overlap) {
  std::vector<pid_t> children;
  for (int step = 1; step <= 4; ++step) {
    const pid_t pid = ::fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      expect_answers(load(parts(0, step)), 0, step);
      ::_exit(HasFailure() ? 1 : 0);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  expect_answers(load(parts()));
  EXPECT_EQ(counts_.compiled, 0u);
}

TEST_F(SharedUnits, are_trimmed_with_their_places) {
  ASSERT_TRUE(load(parts()).has_value());
  for (const std::string& file : files_in(cache())) {
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(9));
  }
  options_.cache_bytes = 1;
  const Loaded held = load({part(1000)});
  EXPECT_THAT(files_in(cache()), SizeIs(1)) << "what this process holds";
}

TEST_F(SharedUnits, work_without_a_cache) {
  const ScopedVariable nowhere("VECC_CACHE_DIR", "/proc/none");
  expect_answers(load(parts()));
  EXPECT_THAT(warnings_, SizeIs(1));
  EXPECT_THAT(files_in(folder_.path("temporary")), IsEmpty());
}

TEST_F(LoadCode, tells_its_progress) {
  std::vector<std::string> steps;
  options_.progress = [&](std::size_t compiled, std::size_t all) {
    steps.push_back(std::to_string(compiled) + "/" + std::to_string(all));
  };
  ASSERT_TRUE(load({part(1), part(2), part(1)}).has_value());
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
  ASSERT_TRUE(load({part(1), part(2)}).has_value());
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
  { ASSERT_TRUE(load({part(1), part(2), part(3)}).has_value()); }
  EXPECT_FALSE(load({{"wrong"}}).has_value());
  EXPECT_EQ(files_in("/proc/self/fd").size(), before);
}

}  // namespace
}  // namespace vecc::test
