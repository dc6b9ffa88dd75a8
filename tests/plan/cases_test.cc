// The text of Plans: tests/plan/cases/CLAIM.txt holds a claim in comment lines (with `# options:`
// keep_values, no_fuse, kept=ID, second_stage=ID; target=NAME: for a GPU, with how threads share
// the rows of each launch), a Program, `=>`, and its Plan. VECC_REBASE=1 writes what is made now,
// for review.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "src/plan/launch_layout.h"
#include "vecc/plan.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArrow = "=>\n";
constexpr std::string_view kOptions = "# options:";

std::vector<std::string> case_paths() {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  std::vector<std::string> paths;
  const fs::path folder = fs::path(source != nullptr ? source : ".") / "tests/plan/cases";
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

void read_option(const std::string& option, PlanOptions& options) {
  const std::size_t equals = option.find('=');
  const std::string name = option.substr(0, equals);
  const auto id = [&] { return static_cast<ValueId>(std::stoul(option.substr(equals + 1))); };
  if (option == "keep_values") {
    options.keep_values = true;
  } else if (option == "no_fuse") {
    options.fuse = false;
  } else if (name == "kept") {
    options.kept.push_back(id());
  } else if (name == "target") {
    const Target* const target = find_target(option.substr(equals + 1));
    EXPECT_NE(target, nullptr) << option;
    if (target != nullptr) options.target = *target;
  } else if (name == "second_stage") {
    options.second_stage = id();
  } else {
    ADD_FAILURE() << "no such option: " << option;
  }
}

PlanOptions options_of(const std::string& claim) {
  PlanOptions options;
  std::istringstream lines(claim);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kOptions)) continue;
    std::istringstream words(line.substr(kOptions.size()));
    for (std::string word; words >> word;) read_option(word, options);
  }
  return options;
}

class PlanCases : public testing::TestWithParam<std::string> {};

TEST_P(PlanCases, MakeTheText) {
  std::ifstream file(GetParam());
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t arrow = text.find("\n" + std::string(kArrow)) + 1;
  const std::size_t begin = text.find("vecc program");
  ASSERT_NE(arrow, 0u) << "expected a claim, a program, `=>`";
  const auto program = parse_program(text.substr(begin, arrow - begin), GetParam());
  ASSERT_TRUE(program) << program.error().text();
  const Plan plan = make_plan(*program, options_of(text.substr(0, begin)));
  const auto verified = verify(plan);
  EXPECT_TRUE(verified) << verified.error().text();
  const bool on_gpu = plan.target.multiprocessors > 0;
  const std::string made = text_of(plan, *program) + (on_gpu ? "\n" + text_of_layout(plan) : "");
  if (std::getenv("VECC_REBASE") != nullptr) {
    std::ofstream(GetParam()) << text.substr(0, arrow) << kArrow << made;
    return;
  }
  EXPECT_EQ(made, text.substr(arrow + kArrow.size())) << "VECC_REBASE=1 accepts this";
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  return fs::path(info.param).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Plan, PlanCases, testing::ValuesIn(case_paths()), name_of);

}  // namespace
}  // namespace vecc::test
