// What no program in C++ or CUDA holds.
#include <gmock/gmock.h>

#include "vecc/emit_native.h"
#include "vecc/program_text.h"

namespace vecc {
namespace {

using ::testing::ElementsAre;

// Each op once, in their order.
TEST(EmitNative, RefusesStepsAndIndicesThatAreValues) {
  const Program program = parse_program(R"(vecc program 1 f64 samples 0
%0 = fact {2} : f64[1, 1]
%1 = state "s" = 0 : f64[3, 1]
%2 = take %1, %0 : f64[1, 1]
%3 = update %1, %2, %0 : f64[1, 1]
)",
                                        "test")
                              .value();
  EXPECT_THAT(
      unsupported_in_native(program),
      ElementsAre("%1 state: the program holds a forward pass, no training step",
                  "%2 take: its row numbers are values of the step, which only the backends "
                  "cpu and interpreter run",
                  "%3 update: the program holds a forward pass, no training step"));
}

}  // namespace
}  // namespace vecc
