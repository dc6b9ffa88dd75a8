// What is stated of a Plan's memory, by what it is for.
#include "src/plan/host_memory.h"

#include <gtest/gtest.h>

namespace vecc::test {
namespace {

// Parameters and states are there for the whole training, whatever the Plan reads of them.
TEST(HostMemory, hasParametersAndStatesThatNothingReads) {
  Program program;
  const auto parameter = [&](const char* name, std::uint32_t rows) {
    return program.add_parameter({name, rows, Shape::column(4), nullptr}).value();
  };
  const ValueId read = program.weight(parameter("read", 3));
  (void)program.weight(parameter("unread", 50));
  (void)parameter("without an op", 7);
  (void)program.add(StateOp{"adam.m/unread", 50, Shape::column(4), 0}, {}).value();
  program.set_sample_count(3);
  program.output(read, Index::slice(0, 3));
  const HostMemory memory = host_memory(program, make_plan(program));
  EXPECT_EQ(memory.parameters, (3 + 50 + 7) * 4 * sizeof(float));
  EXPECT_EQ(memory.states, 50 * 4 * sizeof(float));
  EXPECT_EQ(memory.all_states, memory.states);
}

}  // namespace
}  // namespace vecc::test
