#include "optimizer/same_program.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "vecc/optimize.h"
#include "vecc/program_text.h"

namespace vecc::opt {
namespace {

const std::string kText = R"(vecc program 1 f64 samples 2
parameter "w" [2, 1] = {1, 2}
%0 = weight "w" : f64[2, 1]
%1 = fact {1, 2, 3} : f64[3, 1]
%2 = gather %0 [1, 0, 1] : f64[3, 1]
%3 = linear %1, %2 : f64[3, 1]
%4 = segment %3 [0, 1, 3] sum : f64[2, 1]
%5 = transform %4 leakyrelu(0.2) : f64[2, 1]
%6 = map elproduct($0, 2) %5 : f64[2, 1]
%7 = vjp $0 of transform %5, %6 tanh : f64[2, 1]
%8 = contract %7, %6 [0, 1] : f64[2, 1]
%9 = state "m" = 0 : f64[2, 1]
%10 = update %9, %8 : f64[2, 1]
%11 = output %6 [0:2] : f64[2, 1]
)";

// The text, with one thing of it replaced.
Program program_with(const std::string& found, const std::string& instead) {
  std::string text = kText;
  if (!found.empty()) text.replace(text.find(found), found.size(), instead);
  Result<Program> program = parse_program(text, "p");
  EXPECT_TRUE(program.has_value()) << text << (program ? "" : program.error().text());
  return program ? *std::move(program) : Program();
}

TEST(SamePrograms, are_those_of_one_fingerprint) {
  const std::vector<std::pair<std::string, std::string>> changes{
      {"", ""},
      {"{1, 2, 3}", "{1, 2, 4}"},
      {"{1, 2, 3}", "{-0, 2, 3}"},
      {"{1, 2, 3}", "{0, 2, 3}"},
      {"{1, 2}", "{5, 6}"},  // values of parameters are not compared
      {"[1, 0, 1] : f64[3", "[1, 1, 1] : f64[3"},
      {"[1, 0, 1] : f64[3", "[0, 0, 1] : f64[3"},
      {"linear %1, %2", "linear %2, %1"},
      {"linear %1, %2", "linear transpose %1, %2"},
      {"[0, 1, 3] sum", "[0, 2, 3] sum"},
      {"[0, 1, 3] sum", "[0, 1, 3] avg"},
      {"leakyrelu(0.2)", "leakyrelu(0.1)"},
      {"leakyrelu(0.2)", "tanh"},
      {"elproduct($0, 2)", "elproduct($0, 3)"},
      {"tanh :", "sigmoid :"},
      {"[0, 1] : f64[2", "[1, 0] : f64[2"},
      {"\"m\" = 0", "\"m\" = 1"},
      {"\"m\" = 0", "\"n\" = 0"},
      {"update %9, %8", "update %9, %7"},
      {"update %9, %8", "update %0, %8"},
      {"[0:2] : f64[2", "[1, 0] : f64[2"},
  };
  std::vector<Program> programs;
  for (const auto& [found, instead] : changes) programs.push_back(program_with(found, instead));
  std::size_t same = 0;
  for (std::size_t a = 0; a < programs.size(); ++a) {
    for (std::size_t b = 0; b < programs.size(); ++b) {
      const bool is_same = fingerprint(programs[a]) == fingerprint(programs[b]);
      EXPECT_EQ(is_same_program(programs[a], programs[b]), is_same) << a << ", " << b;
      same += is_same ? 1 : 0;
    }
  }
  EXPECT_EQ(same, programs.size() + 2);  // each with itself, the two of other values
  EXPECT_TRUE(is_same_program(program_with("", ""), programs[0]));
}

}  // namespace
}  // namespace vecc::opt
