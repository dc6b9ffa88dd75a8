// Laws that RapidCheck draws: passes in any order lose nothing on random graphs. The same draws
// every time, unless RC_PARAMS (as in RC_PARAMS="max_success=10000 seed=7") asks for others.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>

#include "tests/optimizer/lossless/lossless_check.h"
#include "tests/program/random_program.h"
#include "tests/support/random_graph.h"

namespace vecc::test {
namespace {

RandomGraphOptions draw_graph_options() {
  RandomGraphOptions options;
  options.seed = *rc::gen::arbitrary<std::uint32_t>();
  options.facts = *rc::gen::inRange(1u, 17u);
  options.groups = *rc::gen::inRange(0u, 9u);
  options.neurons = *rc::gen::inRange(1u, 9u);
  options.depth = *rc::gen::inRange(0u, 9u);
  options.side = *rc::gen::inRange(1u, 4u);
  options.exact = *rc::gen::arbitrary<bool>();
  return options;
}

// Up to eight passes, with repetitions, in any order.
Setting draw_setting() {
  std::vector<std::string> names;
  for (auto count = *rc::gen::inRange(1u, 9u); count > 0; --count) {
    names.emplace_back(passes()[*rc::gen::inRange<std::size_t>(0, passes().size())].name);
  }
  Setting setting = setting_of_passes(std::move(names));
  const auto presets = gather_presets();
  setting.options.gather_preset = presets[*rc::gen::inRange<std::size_t>(0, presets.size())].name;
  setting.name += " with " + setting.options.gather_preset;
  return setting;
}

void expect_lossless(const NamedProgram& program, const Setting& setting) {
  const std::string problem = check_lossless(program, setting);
  if (!problem.empty()) RC_FAIL(problem);
}

TEST(LosslessProperties, passes_in_any_order_on_random_graphs) {
  EXPECT_TRUE(rc::check("passes in any order lose nothing of a graph", [] {
    const RandomGraph random = random_graph(draw_graph_options());
    expect_lossless(vectorized("random graph", random.graph), draw_setting());
  }));
}

TEST(LosslessProperties, passes_in_any_order_on_random_programs) {
  EXPECT_TRUE(rc::check("passes in any order lose nothing of a Program", [] {
    RandomSource random(*rc::gen::arbitrary<std::uint32_t>());
    Program program = random_row_number_program(random, *rc::gen::inRange(1u, 25u));
    expect_lossless({"random program", std::move(program)}, draw_setting());
  }));
}

}  // namespace
}  // namespace vecc::test

int main(int argc, char** argv) {
  constexpr int kKeepTheCallers = 0;
  setenv("RC_PARAMS", "max_success=300 seed=1", kKeepTheCallers);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
