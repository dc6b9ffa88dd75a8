// The interpreter's gradients against central differences, op by op. Every Program's outputs are
// summed with random factors; every element of every parameter is moved.
#include "tests/reference/program_gradient_check.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

constexpr double kStep = 1e-5;

class DifferenceCheck {
 public:
  DifferenceCheck(const std::string& text, double low, double high)
      : program_(parse_program("vecc program 1 f64 " + text, "test").value()), random_(7) {
    draw_parameters(program_, 11, low, high);
    const auto valid = verify(program_);
    EXPECT_TRUE(valid) << valid.error().text();
    executable_ = compile_for_gradients(program_);
    EXPECT_TRUE(executable_->run());
    for (const auto& output : executable_->outputs().value()) {
      for (std::size_t i = 0; i < output.value.size(); ++i) factors_.push_back(random_.real(-1, 1));
    }
  }

  void expect_equal() {
    const auto gradients = program_gradients(program_, factors_);
    for (ParameterIndex p = 0; p < gradients.size(); ++p) {
      const std::vector<double> values = program_.parameters()[p].values.doubles();
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double difference =
            (sum_at(p, values, i, kStep) - sum_at(p, values, i, -kStep)) / (2 * kStep);
        EXPECT_NEAR(gradients[p][i], difference, 1e-8 * std::max(1.0, std::abs(difference)))
            << program_.parameters()[p].name << " element " << i;
      }
      EXPECT_TRUE(executable_->set_parameter(p, values));
    }
  }

 private:
  double sum_at(ParameterIndex p, std::vector<double> values, std::size_t i, double step) {
    values[i] += step;
    EXPECT_TRUE(executable_->set_parameter(p, values));
    EXPECT_TRUE(executable_->run());
    double sum = 0;
    auto factor = factors_.begin();
    for (const auto& output : executable_->outputs().value()) {
      for (const double v : output.value) sum += v * *factor++;
    }
    return sum;
  }

  Program program_;
  RandomSource random_;
  std::unique_ptr<Executable> executable_;
  std::vector<double> factors_;
};

void expect_differences(const std::string& text, double low = -1, double high = 1) {
  SCOPED_TRACE(text);
  DifferenceCheck(text, low, high).expect_equal();
}

TEST(ProgramDifferences, GatherByEveryFormOfIndex) {
  for (const char* index : {"[1:3]", "[0:4:3]", "[repeat 2 x 1]", "[interleave 1 x 2]", "[3, 3]"}) {
    expect_differences(std::string(R"(samples 2
parameter "w" [4, 2x1]
%0 = weight "w" : f64[4, 2x1]
%1 = gather %0 )") + index +
                       R"( : f64[2, 2x1]
%2 = transform %1 tanh : f64[2, 2x1]
%3 = output %2 [0:2] : f64[2, 2x1])");
  }
}

// The gather of a gather, read twice, once by the output itself.
TEST(ProgramDifferences, GatherOfAGather) {
  expect_differences(R"(samples 5
parameter "w" [3, 1]
%0 = weight "w" : f64[3, 1]
%1 = gather %0 [2, 2, 0, 1] : f64[4, 1]
%2 = gather %1 [3, 0, 0] : f64[3, 1]
%3 = segment %2 [0, 1, 3] elproduct : f64[2, 1]
%4 = output %3 [0:2] : f64[2, 1]
%5 = output %2 [4, 2, 3] : f64[3, 1])");
}

// %2 is in %3's memory, %3 in %4's; %5 copies both, and the fact between them wants nothing.
TEST(ProgramDifferences, ConcatsOfConcats) {
  expect_differences(R"(samples 14
parameter "w" [2, 1]
%0 = weight "w" : f64[2, 1]
%1 = fact {3, 4} : f64[2, 1]
%2 = linear %0, %1 : f64[2, 1]
%3 = concat %2, %0 : f64[4, 1]
%4 = concat %1, %3, %2 : f64[8, 1]
%5 = concat %3, %1 : f64[6, 1]
%6 = transform %4 square : f64[8, 1]
%7 = transform %5 tanh : f64[6, 1]
%8 = output %6 [0:8] : f64[8, 1]
%9 = output %7 [8:14] : f64[6, 1])");
}

TEST(ProgramDifferences, LinearOfEveryShape) {
  const std::pair<const char*, const char*> shapes[] = {
      {"1", "1"}, {"1", "2x3"}, {"2x3", "1"}, {"3x1", "1x2"}, {"1x3", "3x1"}, {"2x3", "3x4"}};
  const char* const results[] = {"1", "2x3", "2x3", "3x2", "1", "2x4"};
  for (std::size_t k = 0; k < std::size(shapes); ++k) {
    const auto [left, right] = shapes[k];
    const std::string result = std::string(": f64[2, ") + results[k] + "]\n";
    expect_differences(std::string("samples 2\nparameter \"a\" [2, ") + left +
                       "]\nparameter \"b\" [2, " + right + "]\n%0 = weight \"a\" : f64[2, " + left +
                       "]\n%1 = weight \"b\" : f64[2, " + right + "]\n%2 = linear %0, %1 " +
                       result + "%3 = output %2 [0:2] " + result);
  }
}

TEST(ProgramDifferences, LinearTransposedAndLifted) {
  expect_differences(R"(samples 6
parameter "a" [3, 2x3]
parameter "b" [2, 1x2]
%0 = weight "a" : f64[3, 2x3]
%1 = weight "b" : f64[2, 1x2]
%2 = linear transpose %0 lift(repeat 2), transpose %1 lift(interleave 3) : f64[6, 3x1]
%3 = output %2 [0:6] : f64[6, 3x1])");
  expect_differences(R"(samples 6
parameter "a" [3, 2x3]
parameter "b" [2, 1x2]
%0 = weight "a" : f64[3, 2x3]
%1 = weight "b" : f64[2, 1x2]
%2 = linear %1 lift(repeat 3), %0 lift(interleave 2) : f64[6, 1x3]
%3 = output %2 [0:6] : f64[6, 1x3])");
}

// One value on both sides, once transposed: both parts add up.
TEST(ProgramDifferences, LinearOfAValueWithItself) {
  expect_differences(R"(samples 2
parameter "a" [2, 3x1]
%0 = weight "a" : f64[2, 3x1]
%1 = linear transpose %0, %0 : f64[2, 1]
%2 = output %1 [0:2] : f64[2, 1])");
}

TEST(ProgramDifferences, SegmentsOfEveryKind) {
  const char* const segments[] = {"[0, 2, 5, 6]", "[fixed 2 dim 1]", "[fixed 2 dim 2]"};
  const char* const combinations[] = {"sum", "avg", "max", "min", "elproduct"};
  for (const char* segment : segments) {
    for (const char* combination : combinations) {
      expect_differences(std::string(R"(samples 3
parameter "w" [6, 2x1]
%0 = weight "w" : f64[6, 2x1]
%1 = transform %0 tanh : f64[6, 2x1]
%2 = segment %1 )") + segment +
                         " " + combination +
                         R"( : f64[3, 2x1]
%3 = output %2 [0:3] : f64[3, 2x1])");
    }
    for (const char* combination : {"softmax", "sparsemax"}) {
      expect_differences(std::string(R"(samples 6
parameter "w" [6, 1]
%0 = weight "w" : f64[6, 1]
%1 = segment %0 )") + segment +
                         " " + combination +
                         R"( : f64[6, 1]
%2 = output %1 [0:6] : f64[6, 1])");
    }
  }
}

TEST(ProgramDifferences, SegmentConcat) {
  expect_differences(R"(samples 2
parameter "w" [6, 1x2]
%0 = weight "w" : f64[6, 1x2]
%1 = gather %0 [5, 0, 0, 2] : f64[4, 1x2]
%2 = segment %1 [fixed 2 dim 2] concat : f64[2, 4x1]
%3 = transform %2 square : f64[2, 4x1]
%4 = output %3 [0:2] : f64[2, 4x1])");
}

TEST(ProgramDifferences, SegmentsWithoutMembersAndCounts) {
  expect_differences(R"(samples 8
parameter "w" [3, 1]
%0 = weight "w" : f64[3, 1]
%1 = segment %0 [0, 0, 3, 3] avg : f64[3, 1]
%2 = segment %0 [0, 0, 3] elproduct : f64[2, 1]
%3 = segment %0 [0, 0, 3] count : f64[2, 1]
%4 = segment %0 [0, 0, 3] softmax : f64[3, 1]
%5 = segment %4 [fixed 3 dim 2] max : f64[1, 1]
%6 = concat %1, %2, %3, %5 : f64[8, 1]
%7 = output %6 [0:8] : f64[8, 1])");
}

TEST(ProgramDifferences, Transforms) {
  const std::array<const char*, 3> cases[] = {// function, operand, result
                                              {"sigmoid", "3x2", "3x2"},
                                              {"leakyrelu(0.2)", "3x2", "3x2"},
                                              {"log", "3x2", "3x2"},
                                              {"norm", "4x1", "4x1"},
                                              {"softmax", "1x3", "3x1"},
                                              {"sparsemax", "3x1", "3x1"},
                                              {"transp", "3x2", "2x3"},
                                              {"reshape(6x1)", "3x2", "6x1"},
                                              {"broadcast(2x2)", "1", "2x2"},
                                              {"slice [1, 3, 0, 1]", "3x2", "2x1"},
                                              {"slice [1, 2, 0, 2, 2, 3, 0, 2]", "3x2", "1x2"},
                                              {"atindex [4, 0]", "6x1", "1"}};
  for (const auto& [function, operand, result] : cases) {
    const std::string from = std::string("[2, ") + operand + "]\n";
    const std::string to = std::string(" : f64[2, ") + result + "]\n";
    expect_differences("samples 2\nparameter \"w\" " + from + "%0 = weight \"w\" : f64" + from +
                           "%1 = transform %0 " + function + to + "%2 = output %1 [0:2]" + to,
                       0.1, 1);
  }
}

TEST(ProgramDifferences, MapWithBroadcastOperands) {
  expect_differences(R"(samples 3
parameter "a" [3, 2x1]
parameter "b" [1, 2x1]
parameter "c" [1, 1]
%0 = weight "a" : f64[3, 2x1]
%1 = weight "b" : f64[1, 2x1]
%2 = weight "c" : f64[1, 1]
%3 = gather %0 [2, 0, 2] : f64[3, 2x1]
%4 = map concat(cossim($0, $1), crosssum($0, $2), product($2, elproduct($3, tanh($1)))) %0, %1, %2, %3 : f64[3, 5x1]
%5 = output %4 [0:3] : f64[3, 5x1])");
}

TEST(ProgramDifferences, ContractOfEveryShape) {
  const std::array<const char*, 3> shapes[] = {
      // g, x, weight
      {"1", "1", "1"},       {"2x3", "2x3", "1"},   {"2x3", "1", "2x3"},  {"1", "3x1", "1x3"},
      {"2x1", "3x1", "2x3"}, {"3x2", "1x2", "3x1"}, {"2x4", "3x4", "2x3"}};
  for (const auto& [g, x, weight] : shapes) {
    const std::string result = std::string(" : f64[2, ") + weight + "]\n";
    expect_differences(std::string("samples 2\nparameter \"g\" [3, ") + g +
                       "]\nparameter \"x\" [3, " + x + "]\n%0 = weight \"g\" : f64[3, " + g +
                       "]\n%1 = weight \"x\" : f64[3, " + x + "]\n%2 = contract %0, %1 [1, 0, 1]" +
                       result + "%3 = output %2 [0:2]" + result);
  }
}

// A parameter read by two weight ops, and one that no output reads.
TEST(ProgramDifferences, ParametersReadTwiceAndNever) {
  expect_differences(R"(samples 1
parameter "twice" [1, 1]
parameter "never" [2, 1]
parameter "unread" [1, 1]
%0 = weight "twice" : f64[1, 1]
%1 = weight "twice" : f64[1, 1]
%2 = weight "never" : f64[2, 1]
%3 = transform %2 tanh : f64[2, 1]
%4 = linear %0, %1 : f64[1, 1]
%5 = output %4 [0:1] : f64[1, 1])");
}

}  // namespace
}  // namespace vecc::test
