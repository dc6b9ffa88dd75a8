// Backends that do not run indices that are values of the step say so before they do anything.
#include <gtest/gtest.h>

#include "vecc/backend.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

Program step_with_draws() {
  return parse_program(R"(vecc program 1 f64 samples 1
%0 = fact {2} : f64[1, 1]
%1 = draw %0 < 3 seed 7 stream 2 : f64[1, 1]
%2 = fact {1, 2, 3} : f64[3, 1]
%3 = take %2, %1 : f64[1, 1]
%4 = sum_equal %3, %1 : f64[1, 1]
%5 = scatter_sum %4, %1 : f64[3, 1]
%6 = state "s" = 0 : f64[3, 1]
%7 = update %6, %4, %1 : f64[1, 1]
%8 = output %4 [0:1] : f64[1, 1]
)",
                       "p.vecc")
      .value();
}

TEST(RowNumberBackends, BackendsWithoutThemSayWhichOpAndWhoRunsIt) {
  const Program program = step_with_draws();
  for (const Backend* const backend : backends()) {
    const std::string name(backend->name());
    SCOPED_TRACE(name);
    ExecutionOptions options;
    if (!backend->available(options.device)) continue;
    const auto compiled = backend->compile(program, options);
    if (name == "interpreter" || name == "cpu") {
      ASSERT_TRUE(compiled) << compiled.error().text();
      EXPECT_TRUE(backend->unsupported(program).empty());
      EXPECT_TRUE((*compiled)->run());
      continue;
    }
    ASSERT_FALSE(compiled);
    std::vector<std::string> refused;
    std::vector<std::string> messages;
    for (const Diagnostic& error : compiled.error().list()) {
      EXPECT_EQ(error.code, ErrorCode::BackendUnsupported);
      EXPECT_NE(error.message.find("only the backends cpu and interpreter run"), std::string::npos);
      messages.push_back(error.message);
      refused.push_back(error.message.substr(0, error.message.find(':')));
    }
    EXPECT_EQ(refused, (std::vector<std::string>{"%1 draw", "%3 take", "%4 sum_equal",
                                                 "%5 scatter_sum", "%7 update"}));
    // `auto` goes on to one that can.
    EXPECT_EQ(backend->unsupported(program), messages);
  }
}

}  // namespace
}  // namespace vecc::test
