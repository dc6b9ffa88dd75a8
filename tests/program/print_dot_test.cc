// The DOT picture, read by a small reader of DOT's grammar.
#include <algorithm>
#include <cctype>

#include "tests/program/random_program.h"
#include "tests/program/text_case.h"

namespace vecc::test {
namespace {

const std::string kText =
    "vecc program 1 f32 samples 2\n"
    "%0 = fact {1, 2} : f32[2, 1]\n"
    "%1 = linear %0, %0 : f32[2, 1]  # a \"b\"\n"
    "%2 = output %1 [0:2] : f32[2, 1]\n";

TEST(PrintDot, a_box_an_op_and_an_edge_an_operand) {
  EXPECT_EQ(print_dot(program_of(kText)),
            "digraph G {\n"
            "node [shape=box];\n"
            "0[label=\"%0 = fact {1, 2} : f32[2, 1]\", style=rounded];\n"
            "1[label=\"%1 = linear %0, %0 : f32[2, 1]\\na \\\"b\\\"\"];\n"
            "2[label=\"%2 = output %1 [0:2] : f32[2, 1]\", style=bold];\n"
            "0->1 ;\n"
            "0->1 ;\n"
            "1->2 ;\n"
            "}\n");
}

// Tokens of DOT: quoted strings, names and numbers, punctuation. Empty if something else stands
// there or a string does not end.
std::vector<std::string> tokens_of(const std::string& dot) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < dot.size();) {
    const auto c = static_cast<unsigned char>(dot[at]);
    std::size_t end = at + 1;
    if (std::isspace(c)) {
      at = end;
      continue;
    }
    if (c == '"') {
      while (end < dot.size() && dot[end] != '"') end += dot[end] == '\\' ? 2 : 1;
      if (end >= dot.size()) return {};
      ++end;
    } else if (std::isalnum(c)) {
      while (end < dot.size() && std::isalnum(static_cast<unsigned char>(dot[end]))) ++end;
    } else if (dot.compare(at, 2, "->") == 0) {
      end = at + 2;
    } else if (std::string("{}[]=,;").find(dot[at]) == std::string::npos) {
      return {};
    }
    tokens.push_back(dot.substr(at, end - at));
    at = end;
  }
  return tokens;
}

TEST(PrintDot, random_programs_give_statements_only) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomSource random(seed);
    const Program program = random_program(random, 20);
    const std::string dot = print_dot(program);
    const auto tokens = tokens_of(dot);
    ASSERT_FALSE(tokens.empty()) << dot;
    std::size_t edges = 0;
    for (const Op& op : program.ops()) edges += op.operands.size();
    EXPECT_EQ(static_cast<std::size_t>(std::count(tokens.begin(), tokens.end(), "->")), edges);
    EXPECT_EQ(static_cast<std::size_t>(std::count(tokens.begin(), tokens.end(), "label")),
              program.ops().size());
    EXPECT_EQ(std::count(tokens.begin(), tokens.end(), "{"), 1);
    EXPECT_EQ(tokens.back(), "}");
  }
}

}  // namespace
}  // namespace vecc::test
