#include "tests/emit/python/case_programs.h"

#include <memory>

#include "tests/program/random_op.h"

namespace vecc::test {
namespace {

std::vector<double> tame_numbers(RandomSource& random, std::uint64_t count) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(random.real(0.1, 1.5));
  return values;
}

void add_forward_op(RandomSource& random, RandomOps& ops) {
  switch (random.below(8)) {
    case 0: return ops.add_fact();
    case 1: return ops.add_weight();
    case 2: return ops.add_concat();
    case 3: return ops.add_gather();
    case 4: return ops.add_linear();
    case 5: return ops.add_segment();
    case 6: return ops.add_transform();
    default: return ops.add_map();
  }
}

// The same ops over other numbers; parameters have names that a file can hold.
Program tame(const Program& wild, RandomSource& random) {
  Program program(DType::F64);
  for (const Parameter& parameter : wild.parameters()) {
    const std::string name = "p.\"\n" + std::to_string(program.parameters().size());
    auto values = SharedNumbers::of(tame_numbers(random, parameter.rows * parameter.shape.size()));
    (void)*program.add_parameter({name, parameter.rows, parameter.shape, std::move(values)});
  }
  for (const Op& op : wild.ops()) {
    OpAttributes attributes = op.attributes;
    if (auto* fact = std::get_if<FactOp>(&attributes); fact != nullptr && !fact->unit) {
      fact->values = SharedNumbers::of(tame_numbers(random, op.size()));
    }
    const auto id = program.add(std::move(attributes), op.operands, op.note);
    VECC_CHECK(id.has_value(), "a copied op");
  }
  return program;
}

void add_outputs(Program& program, const std::vector<ValueId>& values) {
  std::uint32_t samples = 0;
  for (const ValueId value : values) samples += program.op(value).rows;
  program.set_sample_count(samples);
  std::uint32_t end = samples;  // the last value's samples come first
  for (const ValueId value : values) {
    end -= program.op(value).rows;
    program.output(value, Index::slice(end, program.op(value).rows));
  }
}

// w[r] times x, tanh: of `level`, of what was read.
ValueId add_step(Program& program, ValueId w, ValueId x) {
  const std::string note = "reach/1: rule";
  const ValueId product = program.linear(w, x, {}, note);
  const ValueId sum =
      program.segment(product, Segments::ragged({0, 1, 3, 4}), Combination::Sum, note);
  TransformationSpec tanh;
  tanh.id = Transformation::Tanh;
  return program.transform(sum, tanh, {}, note);
}

Program recursion(bool reads_all) {
  constexpr std::uint32_t kLevels = 2000;
  Program program(DType::F64);
  const auto matrices = SharedNumbers::of(
      std::vector<double>{0.9, -0.4, 0.3, 0.8, 0.7, 0.5, -0.6, 0.4, 0.5, 0.5, -0.2, 0.9});
  (void)*program.add_parameter({"hop", 3, Shape(2, 2), matrices});
  const ValueId w = program.gather(program.weight(0), Index::list({2, 0, 1, 0}));
  ValueId level = program.fact({1, 2, -1, 0.5, 0.25, -2}, 3, Shape::column(2));
  ValueId all = level;
  for (std::uint32_t k = 0; k < kLevels; ++k) {
    const std::uint32_t begin = 3 * k;  // of the last level in `all`
    const std::uint32_t far = k / 2;
    const ValueId x = reads_all
                          ? program.gather(all, Index::list({begin + 2, far, begin, begin + 1}))
                          : program.gather(level, Index::list({2, 0, 0, 1}));
    level = add_step(program, w, x);
    const ValueId both[] = {all, level};
    all = program.concat(both);
  }
  std::vector<std::uint32_t> last;
  for (std::uint32_t k = 0; k <= kLevels; k += 100) last.push_back(3 * k + k % 3);
  add_outputs(program, {program.gather(all, Index::list(last))});
  return program;
}

}  // namespace

Program random_forward_program(std::uint64_t seed) {
  RandomSource random(seed);
  Program wild(DType::F64);
  RandomOps ops(random, wild);
  ops.add_weight();
  ops.add_weight();
  for (std::uint64_t i = 0; i < 25; ++i) add_forward_op(random, ops);
  Program program = tame(wild, random);
  std::vector<ValueId> values;
  const bool all = random.chance(0.5);
  for (ValueId id = 0; id < wild.ops().size(); ++id) {
    if (all || random.chance(0.15)) values.push_back(id);
  }
  if (values.empty()) values.push_back(static_cast<ValueId>(wild.ops().size() - 1));
  add_outputs(program, values);
  return program;
}

std::vector<std::pair<std::string, Program>> recursive_programs() {
  return {{"recursion-of-the-last-level", recursion(false)},
          {"recursion-of-all-levels", recursion(true)}};
}

}  // namespace vecc::test
