// Every golden case of every pass: the text it makes, that it is idempotent, and that outputs and
// gradients stay. VECC_REBASE=1 writes what the passes make now into the cases, for review.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>

#if __has_include("optimizer/compare/compare_programs.h")
#include "optimizer/compare/compare_programs.h"
#define VECC_HAS_COMPARE
#endif
#include "tests/optimizer/pass_case.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

// Of which the interpreter has no gradients.
[[maybe_unused]] bool has_updates(const Program& program) {
  return std::ranges::any_of(program.ops(), [](const Op& op) {
    return op.kind() == OpKind::Update || op.kind() == OpKind::Vjp;
  });
}

class PassCases : public testing::TestWithParam<std::string> {};

TEST_P(PassCases, makes_the_text) {
  const auto read = read_pass_case(GetParam());
  ASSERT_TRUE(read.has_value()) << read.error().text();
  PassCase pass_case = *read;
  const auto made = run_pass_case(pass_case);
  ASSERT_TRUE(made.has_value()) << made.error().text();
  if (std::getenv("VECC_REBASE") != nullptr) {
    pass_case.after = *made;
    write_pass_case(pass_case);
    return;
  }
  EXPECT_EQ(*made, pass_case.after) << pass_case.claim << "VECC_REBASE=1 accepts this";
}

TEST_P(PassCases, is_idempotent_and_lossless) {
  const auto pass_case = read_pass_case(GetParam());
  ASSERT_TRUE(pass_case.has_value()) << pass_case.error().text();
  const auto before = parse_program(pass_case->before, GetParam());
  ASSERT_TRUE(before.has_value()) << before.error().text();
  const auto after = optimize(*before, pass_case->options);
  ASSERT_TRUE(after.has_value()) << after.error().text();
  if (find_pass(pass_case->pass)->not_idempotent.empty()) {
    OptimizeReport report;
    const auto again = optimize(*after, pass_case->options, &report);
    ASSERT_TRUE(again.has_value()) << again.error().text();
    EXPECT_FALSE(report.runs.front().changed) << print(*again);
  }
#ifdef VECC_HAS_COMPARE
  opt::CompareOptions options;
  options.gradients = before->sample_count() > 0 && !has_updates(*before);
  const auto comparison = opt::compare_programs(*before, *after, options);
  ASSERT_TRUE(comparison.has_value()) << comparison.error().text();
  EXPECT_TRUE(comparison->equal) << comparison->difference;
#endif
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  const std::filesystem::path path(info.param);
  std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Optimizer, PassCases, testing::ValuesIn(pass_case_paths()), name_of);

TEST(PassCoverage, every_pass_has_cases_with_and_without_a_change) {
  std::set<std::string> changed;
  std::set<std::string> unchanged;
  for (const std::string& path : pass_case_paths()) {
    const auto pass_case = read_pass_case(path);
    ASSERT_TRUE(pass_case.has_value()) << pass_case.error().text();
    (pass_case->after == "unchanged\n" ? unchanged : changed).insert(pass_case->pass);
  }
  for (const PassInfo& pass : passes()) {
    EXPECT_TRUE(changed.contains(std::string(pass.name))) << pass.name;
    EXPECT_TRUE(unchanged.contains(std::string(pass.name))) << pass.name;
  }
}

}  // namespace
}  // namespace vecc::test
