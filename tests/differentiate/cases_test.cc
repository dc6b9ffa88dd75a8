// The text of the backward pass: tests/differentiate/cases/CLAIM.txt holds a claim in comment
// lines, a Program whose outputs all have gradients of ones, `=>`, and the ops that are appended,
// with the gradient of every parameter. VECC_REBASE=1 writes what is made now, for review.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/differentiate/gradient_case.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArrow = "=>\n";

std::vector<std::string> case_paths() {
  const char* const source = std::getenv("VECC_SOURCE_DIR");
  std::vector<std::string> paths;
  const fs::path folder = fs::path(source != nullptr ? source : ".") / "tests/differentiate/cases";
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

std::string appended_text(const Program& before) {
  const Differentiated both = differentiate_outputs(
      before, std::vector<double>(random_output_gradients(before, 1).size(), 1.0));
  PrintOptions options;
  options.long_arrays = LongArrays::Full;
  std::string text;
  for (auto id = static_cast<ValueId>(before.ops().size()); id < both.program.ops().size(); ++id) {
    text += print_op(both.program, id, options) + "\n";
  }
  for (ParameterIndex p = 0; p < both.gradients.size(); ++p) {
    text += "gradient \"" + before.parameters()[p].name +
            "\" = " + (both.gradients[p] ? "%" + std::to_string(*both.gradients[p]) : "none") +
            "\n";
  }
  return text;
}

class GradientCases : public testing::TestWithParam<std::string> {};

TEST_P(GradientCases, AppendTheText) {
  std::ifstream file(GetParam());
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t arrow = text.find("\n" + std::string(kArrow)) + 1;
  ASSERT_NE(arrow, 0u) << "expected a claim, a program, `=>`";
  const std::size_t begin = text.find("vecc program");
  const auto program = parse_program(text.substr(begin, arrow - begin), GetParam());
  ASSERT_TRUE(program) << program.error().text();
  const std::string made = appended_text(*program);
  if (std::getenv("VECC_REBASE") != nullptr) {
    std::ofstream(GetParam()) << text.substr(0, arrow) << kArrow << made;
    return;
  }
  EXPECT_EQ(made, text.substr(arrow + kArrow.size())) << "VECC_REBASE=1 accepts this";
  EXPECT_EQ(gradient_difference(*program), "");
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  return fs::path(info.param).stem().string();
}

INSTANTIATE_TEST_SUITE_P(Differentiate, GradientCases, testing::ValuesIn(case_paths()), name_of);

}  // namespace
}  // namespace vecc::test
