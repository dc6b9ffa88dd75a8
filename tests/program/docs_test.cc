// Every program text in docs/program.md parses and prints as it stands there.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

// The fenced blocks of a page that hold ops.
std::vector<std::string> op_blocks(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> blocks;
  std::string block;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("```", 0) == 0) {
      if (inside && (block.rfind("%", 0) == 0 || block.rfind("vecc program", 0) == 0)) {
        blocks.push_back(block);
      }
      inside = !inside;
      block.clear();
    } else if (inside) {
      block += line + "\n";
    }
  }
  return blocks;
}

// What the page's sentences give its examples to read.
std::string whole_text(const std::string& block) {
  if (block.rfind("vecc", 0) == 0) return block;
  std::string text = "vecc program 1 f32 samples 4\nparameter \"w\" [1, 2x2]\n";
  if (block.rfind("%0", 0) != 0) {
    text += "%0 = fact {1, 2, 3, 4} : f32[4, 1]\n%1 = fact {1, 2, 3, 4} : f32[2, 2x1]\n";
  }
  return text + block;
}

TEST(Docs, examples_parse_and_print_as_they_stand) {
  const char* root = std::getenv("VECC_SOURCE_DIR");
  ASSERT_NE(root, nullptr) << "run by ctest, or set VECC_SOURCE_DIR";
  const auto blocks = op_blocks(std::string(root) + "/docs/program.md");
  EXPECT_GE(blocks.size(), 12u);
  for (const std::string& block : blocks) {
    const std::string text = whole_text(block);
    EXPECT_EQ(print(program_of(text), full_options()), text);
  }
}

}  // namespace
}  // namespace vecc::test
