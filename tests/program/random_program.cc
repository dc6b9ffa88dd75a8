#include "tests/program/random_program.h"

#include "tests/program/random_op.h"

namespace vecc::test {
namespace {

// Outputs of two values' rows, samples numbered in a random order.
void add_outputs(RandomSource& random, Program& program) {
  std::vector<ValueId> values{random.below(program.ops().size()),
                              random.below(program.ops().size())};
  if (random.chance(0.3)) values.pop_back();
  std::uint32_t count = 0;
  for (const ValueId value : values) count += program.op(value).rows;
  std::vector<std::uint32_t> samples;
  for (std::uint32_t i = 0; i < count; ++i) samples.push_back(i);
  if (random.chance(0.5)) random.shuffle(samples);
  program.set_sample_count(count);
  auto next = samples.begin();
  for (const ValueId value : values) {
    const auto end = next + program.op(value).rows;
    program.output(value, Index::compact({next, end}));
    next = end;
  }
}

template <class AddOp>
Program program_of_ops(RandomSource& random, std::uint32_t op_count, const AddOp& add_op) {
  Program program(random.chance(0.5) ? DType::F32 : DType::F64);
  RandomOps ops(random, program);
  ops.add_fact();
  for (std::uint32_t i = 0; i < op_count; ++i) add_op(ops);
  add_outputs(random, program);
  return program;
}

}  // namespace

Program random_program(RandomSource& random, std::uint32_t op_count) {
  return program_of_ops(random, op_count, [](RandomOps& ops) { ops.add_any(); });
}

Program random_row_number_program(RandomSource& random, std::uint32_t op_count) {
  return program_of_ops(random, op_count, [&](RandomOps& ops) {
    ops.add_any();
    if (random.chance(0.5)) ops.add_row_numbers();
  });
}

}  // namespace vecc::test
