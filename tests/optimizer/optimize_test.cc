// The runner: which passes run, in which order, and what is said about them.
#include "vecc/optimize.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "optimizer/pipeline.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;

Program program_with_a_dead_op() {
  Result<Program> program = parse_program(
      "vecc program 1 f32 samples 1\n"
      "%0 = fact {0.5} : f32[1, 1]\n"
      "%1 = transform %0 tanh : f32[1, 1]\n"
      "%2 = output %0 [0:1] : f32[1, 1]\n",
      "p");
  return std::move(program.value());
}

// Presets differ in whether the second gather goes through the tanh: six rows, one gather.
Program program_with_a_choice() {
  Result<Program> program = parse_program(
      "vecc program 1 f32 samples 3\n"
      "parameter \"w\" [5, 1] = {1, 2, 3, 4, 5}\n"
      "%0 = weight \"w\" : f32[5, 1]\n"
      "%1 = gather %0 [4, 2, 0] : f32[3, 1]\n"
      "%2 = transform %1 tanh : f32[3, 1]\n"
      "%3 = gather %2 [0, 1, 1, 2, 2, 0] : f32[6, 1]\n"
      "%4 = segment %3 [fixed 2 dim 2] sum : f32[3, 1]\n"
      "%5 = output %4 [0:3] : f32[3, 1]\n",
      "p");
  return std::move(program.value());
}

std::vector<std::string> names_of(const OptimizeReport& report) {
  std::vector<std::string> names;
  for (const PassRun& run : report.runs) names.push_back(run.pass);
  return names;
}

OptimizeReport report_of(const OptimizeOptions& options,
                         const Program& program = program_with_a_dead_op()) {
  OptimizeReport report;
  const auto optimized = optimize(program, options, &report);
  EXPECT_TRUE(optimized.has_value()) << optimized.error().text();
  return report;
}

TEST(Optimize, every_step_of_the_pipeline_has_its_reason) {
  for (const opt::PipelineStep& step : opt::pipeline()) {
    EXPECT_FALSE(step.reason.empty()) << opt::pass_of(step.pass).info.name;
  }
}

TEST(Optimize, passes_stand_in_the_order_of_the_pipeline) {
  std::vector<std::string_view> first;
  for (const opt::PipelineStep& step : opt::pipeline()) {
    const std::string_view name = opt::pass_of(step.pass).info.name;
    if (std::ranges::find(first, name) == first.end()) first.push_back(name);
  }
  std::vector<std::string_view> listed;
  for (const PassInfo& pass : passes()) listed.push_back(pass.name);
  EXPECT_EQ(listed, first);
}

TEST(Optimize, a_level_runs_the_passes_up_to_it) {
  for (const std::uint32_t level : {0u, 1u, 2u}) {
    OptimizeOptions options;
    options.level = level;
    for (const std::string& name : names_of(report_of(options))) {
      EXPECT_LE(find_pass(name)->level, level) << name;
    }
  }
}

TEST(Optimize, lift_gathers_runs_once_where_the_preset_wants_it) {
  OptimizeOptions options;
  options.pad_mode = PadMode::Never;
  const auto place = [&](const char* preset, const char* pass) {
    options.gather_preset = preset;
    const auto names = names_of(report_of(options));
    EXPECT_EQ(std::ranges::count(names, "lift-gathers"), 1) << preset;
    return std::ranges::find(names, pass) - names.begin();
  };
  EXPECT_GT(place("margin_L", "lift-gathers"), place("margin_L", "broadcast-linear"));
  EXPECT_LT(place("margin_L_presym", "lift-gathers"), place("margin_L_presym", "broadcast-linear"));
}

// Three graphs of two nodes each: the mean over a graph's nodes of their sums of 30 W x /
// sqrt(degree), the same rows x with other degrees.
Program program_of_normalized_sums() {
  Program program(DType::F64);
  program.set_sample_count(3);
  const auto w = program.add_parameter({"w", 1, Shape(16, 16), nullptr});
  const auto x = program.add_parameter({"x", 90, Shape::column(16), nullptr});
  const ValueId matrices =
      program.gather(program.weight(*w), Index::list(std::vector<std::uint32_t>(90, 0)));
  const ValueId products = program.linear(matrices, program.weight(*x));
  const ValueId degrees = program.fact({4, 9, 16}, 3, Shape::scalar());
  ValueId factors = program.transform(degrees, {.id = Transformation::Sqrt, .target = {}});
  factors = program.transform(factors, {.id = Transformation::Inverse, .target = {}});
  std::vector<std::uint32_t> neighbours;
  std::vector<std::uint32_t> by_degree;
  for (std::uint32_t i = 0; i < 180; ++i) {
    neighbours.push_back(i % 30 + i / 60 * 30);
    by_degree.push_back(i % 3);
  }
  const ValueId members = program.linear(program.gather(products, Index::list(neighbours)),
                                         program.gather(factors, Index::list(by_degree)));
  const ValueId nodes = program.segment(members, Segments::fixed(30), Combination::Sum);
  const ValueId graphs = program.segment(nodes, Segments::fixed(2), Combination::Avg);
  program.output(graphs, Index::slice(0, 3));
  return program;
}

TEST(Optimize, a_collapsed_sum_of_products_is_multiplied_once) {
  OptimizeReport report;
  const auto optimized = optimize(program_of_normalized_sums(), {}, &report);
  ASSERT_TRUE(optimized.has_value()) << optimized.error().text();
  EXPECT_EQ(std::ranges::count(names_of(report), "reorder-linear"), 2);
  std::uint64_t products = 0;
  for (const Op& op : optimized->ops()) {
    const bool is_linear = op.kind() == OpKind::Linear;
    if (is_linear && !optimized->op(op.operands[0]).shape.is_scalar()) products += op.rows;
  }
  EXPECT_EQ(products, 3u);
}

TEST(Optimize, sums_that_nothing_collapsed_are_reordered_once) {
  EXPECT_EQ(std::ranges::count(names_of(report_of({})), "reorder-linear"), 1);
}

TEST(Optimize, a_disabled_pass_does_not_run) {
  OptimizeOptions options;
  options.disabled = {"drop-dead"};
  EXPECT_THAT(names_of(report_of(options)), ::testing::Not(::testing::Contains("drop-dead")));
}

TEST(Optimize, exactly_the_passes_asked_for_run_and_may_repeat) {
  OptimizeOptions options;
  options.passes = {{"drop-dead", "merge-units", "drop-dead"}};
  const OptimizeReport report = report_of(options);
  EXPECT_THAT(names_of(report), ::testing::ElementsAre("drop-dead", "merge-units", "drop-dead"));
  EXPECT_TRUE(report.runs[0].changed);
  EXPECT_FALSE(report.runs[2].changed);
  EXPECT_EQ(report.runs[0].before.ops, 3u);
  EXPECT_EQ(report.runs[0].after.ops, 2u);
}

TEST(Optimize, level_2_looks_at_candidates_and_takes_the_one_predicted_fastest) {
  const OptimizeReport report = report_of({});
  ASSERT_FALSE(report.candidates.empty());
  const auto best = std::ranges::min_element(report.candidates, {}, &Candidate::predicted_seconds);
  EXPECT_EQ(best->gather_preset, report.gather_preset);
  EXPECT_EQ(best->pad_mode, report.pad_mode);
}

TEST(Optimize, a_candidate_comes_out_as_if_it_were_the_only_one) {
  OptimizeOptions options;
  const OptimizeReport report = report_of(options, program_with_a_choice());
  std::vector<double> predicted;
  for (const Candidate& candidate : report.candidates) {
    options.gather_preset = candidate.gather_preset;
    options.pad_mode = candidate.pad_mode;
    const auto alone = optimize(program_with_a_choice(), options);
    ASSERT_TRUE(alone.has_value());
    EXPECT_EQ(predict_seconds(*alone, options.cost), candidate.predicted_seconds)
        << candidate.gather_preset;
    predicted.push_back(candidate.predicted_seconds);
  }
  EXPECT_NE(std::ranges::min(predicted), std::ranges::max(predicted));
}

TEST(Optimize, level_3_takes_the_one_measured_fastest) {
  OptimizeOptions options;
  options.level = 3;
  double seconds = 5;
  options.measure = [&](const Program&) -> Result<double> { return seconds -= 1; };
  const OptimizeReport report = report_of(options, program_with_a_choice());
  EXPECT_LT(seconds, 4);  // more than one was measured
  const auto chosen = std::ranges::find_if(report.candidates, [&](const Candidate& candidate) {
    return candidate.gather_preset == report.gather_preset && candidate.pad_mode == report.pad_mode;
  });
  ASSERT_NE(chosen, report.candidates.end());
  EXPECT_EQ(chosen->measured_seconds, seconds);
}

TEST(Optimize, level_3_measures_equal_programs_once) {
  OptimizeOptions options;
  options.level = 3;
  int runs = 0;
  options.measure = [&](const Program&) -> Result<double> { return ++runs; };
  const OptimizeReport report = report_of(options);
  EXPECT_GT(report.candidates.size(), 1u);
  EXPECT_EQ(runs, 1);
}

TEST(Optimize, steps_that_come_to_the_same_are_one_program) {
  OptimizeOptions options;
  options.level = 3;
  std::vector<std::string> measured;  // gathers are lifted before or after the broadcasts
  options.measure = [&](const Program& program) -> Result<double> {
    measured.push_back(print(program));
    return 1;
  };
  const OptimizeReport report = report_of(options, program_with_a_choice());
  EXPECT_GT(report.candidates.size(), measured.size());
  EXPECT_EQ(std::set(measured.begin(), measured.end()).size(), measured.size());
}

TEST(Optimize, an_error_of_measuring_ends_it) {
  OptimizeOptions options;
  options.level = 3;
  options.measure = [](const Program&) -> Result<double> {
    return Errors(ErrorCode::OutOfMemory, "device", "no memory");
  };
  const auto optimized = optimize(program_with_a_dead_op(), options);
  ASSERT_FALSE(optimized.has_value());
  EXPECT_EQ(optimized.error().list().front().code, ErrorCode::OutOfMemory);
}

TEST(Optimize, unknown_names_are_usage_errors) {
  const auto error_of_options = [](const OptimizeOptions& options) {
    const auto optimized = optimize(program_with_a_dead_op(), options);
    return optimized ? std::string() : optimized.error().text();
  };
  OptimizeOptions options;
  options.passes = {{"nonsense"}};
  EXPECT_THAT(error_of_options(options), HasSubstr("no pass \"nonsense\"; passes: merge-units"));
  options = {};
  options.disabled = {"nonsense"};
  EXPECT_THAT(error_of_options(options), HasSubstr("--disable-pass"));
  options = {};
  options.gather_preset = "nonsense";
  EXPECT_THAT(error_of_options(options), HasSubstr("presets: free_only"));
  options = {};
  options.level = 4;
  EXPECT_THAT(error_of_options(options), HasSubstr("expected 0 to 3"));
}

TEST(Optimize, an_observer_sees_each_pass_and_its_error_names_it) {
  OptimizeOptions options;
  options.passes = {{"drop-dead"}};
  options.observe = [](const PassRun& run, const Program& before,
                       const Program& after) -> Result<void> {
    EXPECT_EQ(before.ops().size(), after.ops().size() + 1);
    return Errors(ErrorCode::BadPass, "pass " + run.pass, "changes what the program computes");
  };
  const auto optimized = optimize(program_with_a_dead_op(), options);
  ASSERT_FALSE(optimized.has_value());
  EXPECT_THAT(optimized.error().text(), HasSubstr("pass drop-dead"));
}

TEST(Optimize, the_same_program_gives_the_same_program) {
  const auto text = [] {
    const auto optimized = optimize(program_with_a_dead_op());
    return print(optimized.value());
  };
  EXPECT_EQ(text(), text());
}

TEST(Fingerprint, differs_where_a_program_differs) {
  const Program program = program_with_a_dead_op();
  const Fingerprint own = fingerprint(program);
  EXPECT_EQ(own, fingerprint(program_with_a_dead_op()));
  EXPECT_EQ(own.text().size(), 32u);
  const std::string text = print(program);
  for (const auto& [from, to] :
       {std::pair{"{0.5}", "{0.25}"}, std::pair{"tanh", "relu"},
        std::pair{"output %0", "output %1"}, std::pair{"program 1 f32", "program 1 f64"}}) {
    std::string other = text;
    for (auto at = other.find(from); at != std::string::npos; at = other.find(from, at + 1)) {
      other.replace(at, std::string_view(from).size(), to);
    }
    if (std::string_view(to).ends_with("f64")) {
      for (auto at = other.find("f32"); at != std::string::npos; at = other.find("f32")) {
        other.replace(at, 3, "f64");
      }
    }
    const auto changed = parse_program(other, "p");
    ASSERT_TRUE(changed.has_value()) << changed.error().text();
    EXPECT_NE(fingerprint(*changed), own) << to;
  }
}

TEST(Presets, all_eighteen_have_their_numbers) {
  EXPECT_EQ(gather_presets().size(), 18u);
  const GatherPreset& large = *find_gather_preset("margin_XXL_keepsym");
  EXPECT_EQ(large.margin, 50u);
  EXPECT_EQ(large.rate, 0.5);
  EXPECT_FALSE(large.before_broadcast);
  EXPECT_FALSE(large.through_broadcasts);
  const GatherPreset& unlimited = *find_gather_preset("agg_true_unlimited");
  EXPECT_EQ(unlimited.chain_depth, GatherPreset::kUnlimited);
  EXPECT_TRUE(unlimited.before_broadcast);
  EXPECT_EQ(find_gather_preset("nonsense"), nullptr);
}

}  // namespace
}  // namespace vecc::test
