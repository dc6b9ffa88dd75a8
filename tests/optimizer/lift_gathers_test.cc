// lift-gathers beyond what cases show: the thresholds of all presets, chains, the size limit, and
// the rows of graph convolutions of which no gather is left.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "optimizer/passes/passes.h"
#include "tests/support/random_source.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

std::map<std::string, std::uint64_t> run_lifts(Program& program, const GatherPreset& preset) {
  const OptimizeOptions options;
  opt::PassContext context(options, preset, PadMode::Never);
  const Fingerprint before = fingerprint(program);
  const bool changed = lift_gathers(program, context);
  EXPECT_EQ(changed, fingerprint(program) != before);
  EXPECT_TRUE(verify(program));
  const auto counters = context.take_counters();
  return {counters.begin(), counters.end()};
}

std::size_t count_gathers(const Program& program) {
  return static_cast<std::size_t>(std::ranges::count(program.ops(), OpKind::Gather, &Op::kind));
}

// Unit rows, a transform of them, and the transform's rows read again and again.
Program repeated_rows(std::uint32_t old_rows, std::uint32_t new_rows) {
  Program program;
  program.set_sample_count(new_rows);
  std::vector<std::uint32_t> rows(new_rows);
  for (std::uint32_t i = 0; i < new_rows; ++i) rows[i] = i % old_rows;
  const ValueId transform =
      program.transform(program.unit_fact(old_rows), {Transformation::Tanh, 0, {}});
  program.output(program.gather(transform, Index::list(std::move(rows))),
                 Index::slice(0, new_rows));
  return program;
}

bool lifts(const GatherPreset& preset, std::uint32_t old_rows, std::uint32_t new_rows) {
  Program program = repeated_rows(old_rows, new_rows);
  run_lifts(program, preset);
  return count_gathers(program) == 0;
}

// The most rows that a preset makes of 1 and of 10,000; 0: any number.
struct Threshold {
  const char* preset;
  std::uint32_t of_one;
  std::uint32_t of_many;
  bool through_broadcasts;
};
constexpr std::uint32_t kAny = 0;

class Presets : public testing::TestWithParam<Threshold> {};

TEST_P(Presets, lift_up_to_their_thresholds) {
  const GatherPreset& preset = *find_gather_preset(GetParam().preset);
  const auto [name, of_one, of_many, through] = GetParam();
  for (const auto& [rows, most] : {std::pair(1u, of_one), std::pair(10000u, of_many)}) {
    if (most == kAny) {
      EXPECT_TRUE(lifts(preset, rows, 30000));
    } else {
      EXPECT_TRUE(most == rows || lifts(preset, rows, most));
      EXPECT_FALSE(lifts(preset, rows, most + 1));
    }
  }
}

TEST_P(Presets, go_through_broadcasts_or_not) {
  Program program;
  program.set_sample_count(2);
  const ParameterIndex w = *program.add_parameter({"w", 2, Shape(), nullptr});
  const LinearOp lifted{false, false, {Lift::Kind::Repeat, 2}, {}};
  const ValueId product = program.linear(program.weight(w), program.unit_fact(4), lifted);
  const ValueId sums = program.segment(product, Segments::fixed(2), Combination::Sum);
  program.output(program.gather(sums, Index::list({1, 0})), Index::slice(0, 2));
  run_lifts(program, *find_gather_preset(GetParam().preset));
  EXPECT_EQ(count_gathers(program) == 0, GetParam().through_broadcasts);
}

INSTANTIATE_TEST_SUITE_P(
    LiftGathers, Presets,
    testing::Values(
        Threshold{"free_only", 1, 10000, true}, Threshold{"free_only_presym", 1, 10000, true},
        Threshold{"margin_S", 11, 10526, true}, Threshold{"margin_M_presym", 31, 10526, true},
        Threshold{"margin_M_keepsym", 31, 10526, false}, Threshold{"margin_M", 31, 10526, true},
        Threshold{"margin_L_presym", 51, 10526, true},
        Threshold{"margin_L_keepsym", 51, 10526, false}, Threshold{"margin_L", 51, 10526, true},
        Threshold{"margin_XL_presym", 51, 12500, true},
        Threshold{"margin_XL_keepsym", 51, 12500, false}, Threshold{"margin_XL", 51, 12500, true},
        Threshold{"margin_XXL_presym", 51, 20000, true},
        Threshold{"margin_XXL_keepsym", 51, 20000, false}, Threshold{"margin_XXL", 51, 20000, true},
        Threshold{"agg_max_keepsym", kAny, kAny, false},
        Threshold{"agg_max_propsym", kAny, kAny, true},
        Threshold{"agg_true_unlimited", kAny, kAny, true}),
    [](const auto& test) { return std::string(test.param.preset); });

TEST(LiftGathers, knows_every_preset) {
  EXPECT_EQ(gather_presets().size(), 18u);
}

// Five transforms, each reading every row of the one before it twice: 1, 2, 4, 8, 16, 32 rows.
Program doubling_chain() {
  Program program;
  program.set_sample_count(32);
  ValueId value = program.unit_fact(1);
  for (std::uint32_t rows = 1; rows < 32; rows *= 2) {
    value = program.transform(program.gather(value, Index::repeat(rows, 2)),
                              {Transformation::Tanh, 0, {}});
  }
  program.output(value, Index::slice(0, 32));
  return program;
}

TEST(LiftGathers, keeps_one_gather_after_each_chain_depth_of_lifts) {
  const std::map<std::uint32_t, std::size_t> gathers_by_depth{
      {0, 5}, {1, 2}, {2, 1}, {3, 1}, {4, 1}, {5, 0}, {GatherPreset::kUnlimited, 0}};
  for (const auto& [depth, gathers] : gathers_by_depth) {
    Program program = doubling_chain();
    const auto counts = run_lifts(program, GatherPreset{"test", 0, 0, depth, false, true});
    EXPECT_EQ(count_gathers(program), gathers) << depth;
    const auto lifted = counts.find("non-free lifts");
    EXPECT_EQ(lifted == counts.end() ? 0 : lifted->second, 5 - gathers) << depth;
  }
}

TEST(LiftGathers, free_lifts_do_not_count_in_a_chain) {
  Program program;
  program.set_sample_count(4);
  ValueId value = program.unit_fact(2);
  value =
      program.transform(program.gather(value, Index::repeat(2, 2)), {Transformation::Tanh, 0, {}});
  value = program.transform(program.gather(value, Index::list({3, 2, 1, 0})),
                            {Transformation::Tanh, 0, {}});
  program.output(program.gather(value, Index::list({3, 0, 1, 2})), Index::slice(0, 4));
  const auto counts = run_lifts(program, GatherPreset{"test", 0, 0, 1, false, true});
  EXPECT_EQ(count_gathers(program), 0u);
  EXPECT_EQ(counts.at("gathers lifted"), 3u);
  EXPECT_EQ(counts.at("non-free lifts"), 1u);
  EXPECT_EQ(counts.at("rows added"), 2u);
}

// 1,000 rows of 256 KiB, read `times` times.
Program wide_rows(std::uint32_t times) {
  Program program;
  program.set_sample_count(1000 * times);
  const ValueId wide =
      program.transform(program.unit_fact(1000), {Transformation::Broadcast, 0, Shape(256, 256)});
  program.output(program.gather(wide, Index::repeat(1000, times)), Index::slice(0, 1000 * times));
  return program;
}

TEST(LiftGathers, refuses_what_would_not_fit_memory) {
  const GatherPreset& preset = *find_gather_preset("agg_true_unlimited");
  Program fits = wide_rows(3);
  EXPECT_EQ(run_lifts(fits, preset).count("lifts refused by size"), 0u);
  EXPECT_EQ(count_gathers(fits), 0u);
  Program too_large = wide_rows(9);
  EXPECT_EQ(run_lifts(too_large, preset).at("lifts refused by size"), 1u);
  EXPECT_EQ(count_gathers(too_large), 1u);
}

TEST(LiftGathers, counts_rows_before_it_makes_them) {
  // Each of 2^20 gathered rows is a segment of 2^20 members: 2^40 rows.
  constexpr std::uint32_t kMany = 1u << 20;
  Program program;
  program.set_sample_count(kMany);
  const ValueId sum =
      program.segment(program.unit_fact(kMany), Segments::ragged({0, kMany}), Combination::Sum);
  program.output(program.gather(sum, Index::repeat(1, kMany)), Index::slice(0, kMany));
  const auto counts = run_lifts(program, *find_gather_preset("agg_true_unlimited"));
  EXPECT_EQ(counts.at("lifts refused by size"), 1u);
}

// A graph by its lists of in-neighbours.
using Neighbours = std::vector<std::vector<std::uint32_t>>;

Neighbours random_neighbours(std::uint32_t nodes, std::uint64_t seed) {
  RandomSource random(seed);
  Neighbours neighbours(nodes);
  for (auto& list : neighbours) {
    for (std::uint32_t k = random.below(5); k > 0; --k) list.push_back(random.below(nodes));
  }
  return neighbours;
}

// A graph convolution of `size` outputs, without normalisation.
ValueId add_convolution(Program& program, ValueId x, const Neighbours& neighbours,
                        const std::string& name) {
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> offsets{0};
  for (const auto& list : neighbours) {
    sources.insert(sources.end(), list.begin(), list.end());
    offsets.push_back(static_cast<std::uint32_t>(sources.size()));
  }
  const auto edges = static_cast<std::uint32_t>(sources.size());
  const ParameterIndex w = *program.add_parameter({name, 1, Shape(2, 2), nullptr});
  const ValueId product = program.linear(program.gather(program.weight(w), Index::repeat(1, edges)),
                                         program.gather(x, Index::list(std::move(sources))));
  const ValueId sum =
      program.segment(product, Segments::ragged(std::move(offsets)), Combination::Sum);
  return program.transform(sum, {Transformation::Relu, 0, {}});
}

TEST(LiftGathers, leaves_no_gather_in_two_convolutions_but_of_weights) {
  constexpr std::uint32_t kNodes = 60;
  const Neighbours neighbours = random_neighbours(kNodes, 3);
  Program program;
  program.set_sample_count(kNodes);
  ValueId x = program.fact(std::vector<double>(2 * kNodes, 1.0), kNodes, Shape::column(2));
  x = add_convolution(program, x, neighbours, "w1");
  x = add_convolution(program, x, neighbours, "w2");
  program.output(x, Index::slice(0, kNodes));
  run_lifts(program, *find_gather_preset("agg_true_unlimited"));

  std::uint32_t edges = 0;
  std::uint32_t paths = 0;  // of two edges
  for (const auto& list : neighbours) {
    edges += static_cast<std::uint32_t>(list.size());
    for (const std::uint32_t middle : list) {
      paths += static_cast<std::uint32_t>(neighbours[middle].size());
    }
  }
  std::vector<std::uint32_t> fact_rows;
  std::vector<std::uint32_t> linear_rows;
  for (const Op& op : program.ops()) {
    if (op.kind() == OpKind::Fact) fact_rows.push_back(op.rows);
    if (op.kind() == OpKind::Linear) linear_rows.push_back(op.rows);
    if (op.kind() != OpKind::Gather) continue;
    EXPECT_EQ(program.op(op.operands[0]).kind(), OpKind::Weight);
  }
  EXPECT_EQ(fact_rows, (std::vector<std::uint32_t>{paths}));
  EXPECT_EQ(linear_rows, (std::vector<std::uint32_t>{paths, edges}));
}

TEST(LiftGathers, every_preset_is_idempotent_on_two_convolutions) {
  for (const GatherPreset& preset : gather_presets()) {
    Program program;
    const Neighbours neighbours = random_neighbours(30, 5);
    program.set_sample_count(30);
    ValueId x = program.fact(std::vector<double>(60, 1.0), 30, Shape::column(2));
    x = add_convolution(program, x, neighbours, "w1");
    x = add_convolution(program, x, neighbours, "w2");
    program.output(x, Index::slice(0, 30));
    run_lifts(program, preset);
    const Fingerprint once = fingerprint(program);
    run_lifts(program, preset);
    EXPECT_EQ(fingerprint(program), once) << preset.name;
  }
}

}  // namespace
}  // namespace vecc::test
