// Restricted Programs with updates of statistics: kept whole, or gone with all that only they read.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/program/forward.h"
#include "vecc/batch_program.h"
#include "vecc/program_text.h"

namespace vecc {
namespace {

Program with_statistics() {
  const auto program = parse_program(R"(vecc program 1 f64 samples 3
parameter "mean" [1, 1] = {0}
%0 = fact {1, 2, 3, 4} : f64[4, 1]
%1 = weight "mean" : f64[1, 1]
%2 = segment %0 [0, 4] avg : f64[1, 1]
%3 = map sum($0, $1) %0, %1 : f64[4, 1]
%4 = gather %3 [0, 2, 3] : f64[3, 1]
%5 = output %4 [0:3] : f64[3, 1]
%6 = update %1, %2 : f64[1, 1]
)",
                                     "test");
  EXPECT_TRUE(program) << (program ? "" : program.error().text());
  return *program;
}

std::size_t count(const Program& program, OpKind kind) {
  return static_cast<std::size_t>(
      std::ranges::count_if(program.ops(), [&](const Op& op) { return op.kind() == kind; }));
}

TEST(Updates, AreDroppedWithWhatOnlyTheyRead) {
  const Program program = with_statistics();
  const std::uint32_t samples[] = {2, 0};
  const Program restricted = BatchProgram(program).restrict_to(samples);
  EXPECT_TRUE(verify(restricted));
  EXPECT_EQ(count(restricted, OpKind::Update), 0u);
  EXPECT_EQ(count(restricted, OpKind::Segment), 0u);
  EXPECT_EQ(restricted.op(0).rows, 2u);
}

TEST(Updates, AreKeptWithAllTheyRead) {
  const Program program = with_statistics();
  const std::uint32_t samples[] = {2, 0};
  const Program restricted = BatchProgram(program).restrict_to(samples, RestrictUpdates::Keep);
  EXPECT_TRUE(verify(restricted));
  ASSERT_EQ(count(restricted, OpKind::Update), 1u);
  EXPECT_EQ(restricted.op(0).rows, 4u);  // the mean is of all
  for (const Op& op : restricted.ops()) {
    if (op.kind() == OpKind::Output) {
      EXPECT_EQ(op.rows, 2u);
    }
    if (op.kind() == OpKind::Segment) {
      EXPECT_EQ(restricted.op(op.operands[0]).rows, 4u);
    }
  }
}

// Rows that a value numbers are not known before the run.
TEST(Updates, bad_indices_that_are_values) {
  const std::string head = R"(vecc program 1 f64 samples 3
parameter "w" [3, 1] = {0, 0, 0}
%0 = fact {1, 2, 3} : f64[3, 1]
%1 = fact {2, 1, 0} : f64[3, 1]
%2 = weight "w" : f64[3, 1]
)";
  const std::uint32_t samples[] = {2, 0};
  const auto restrict_text = [&](const std::string& ops, RestrictUpdates updates) {
    const Program program = parse_program(head + ops, "test").value();
    EXPECT_FALSE(is_forward(program));
    return print(BatchProgram(program).restrict_to(samples, updates));
  };
  const std::string stored = R"(%3 = output %0 [0:3] : f64[3, 1]
%4 = update %2, %0, %1 : f64[3, 1]
)";
  EXPECT_THROW(restrict_text(stored, RestrictUpdates::Keep), InternalError);
  EXPECT_EQ(restrict_text(stored, RestrictUpdates::Drop).find("update"), std::string::npos);
  const std::string taken = R"(%3 = take %2, %1 : f64[3, 1]
%4 = output %3 [0:3] : f64[3, 1]
)";
  try {
    restrict_text(taken, RestrictUpdates::Drop);
    FAIL() << "restricted";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("%3 take"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace vecc
