// Steps of optimizers against the formulas written out here, over several steps, on every backend.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/train/direct_network.h"
#include "tests/train/train_check.h"
#include "vecc/optimize.h"
#include "vecc/program_text.h"
#include "vecc/train.h"
#include "vecc/train_step.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<double>;
using Rows = std::vector<std::uint32_t>;  // none: all

constexpr int kSteps = 5;
constexpr double kRate = 0.05;

double gradient_at(int step, std::size_t parameter, std::size_t i) {
  return std::sin(1.7 * step + 0.9 * static_cast<double>(i) + 2.3 * static_cast<double>(parameter));
}

// One parameter as the textbook has it.
struct Written {
  std::size_t size = 1;  // of a row
  Numbers w, m, v, u;

  void step(const OptimizerOptions& o, int t, double rate, const Numbers& gradient,
            const Rows& touched) {
    for (std::size_t i = 0; i < w.size(); ++i) {
      const auto row = static_cast<std::uint32_t>(i / size);
      if (!touched.empty() && std::ranges::find(touched, row) == touched.end()) continue;
      step_entry(o, t, rate, gradient[i], i);
    }
  }
  void step_entry(const OptimizerOptions& o, int t, double rate, double g, std::size_t i) {
    if (o.optimizer != Optimizer::AdamW) g += *o.weight_decay * w[i];
    switch (o.optimizer) {
      case Optimizer::Sgd:
        m[i] = *o.momentum * m[i] + g;
        w[i] -= rate * m[i];
        return;
      case Optimizer::AdamW: w[i] -= rate * *o.weight_decay * w[i]; [[fallthrough]];
      case Optimizer::Adam:
      case Optimizer::LazyAdam: {
        m[i] = *o.beta1 * m[i] + (1 - *o.beta1) * g;
        v[i] = *o.beta2 * v[i] + (1 - *o.beta2) * g * g;
        const double first = m[i] / (1 - std::pow(*o.beta1, t));
        const double second = v[i] / (1 - std::pow(*o.beta2, t));
        w[i] -= rate * first / (std::sqrt(second) + *o.epsilon);
        return;
      }
      case Optimizer::RmsProp: {
        v[i] = *o.alpha * v[i] + (1 - *o.alpha) * g * g;
        u[i] = *o.alpha * u[i] + (1 - *o.alpha) * g;
        const double variance = *o.centered != 0 ? v[i] - u[i] * u[i] : v[i];
        m[i] = *o.momentum * m[i] + g / (std::sqrt(variance) + *o.epsilon);
        w[i] -= rate * m[i];
        return;
      }
      case Optimizer::Adagrad:
        if (t == 1) v[i] = *o.initial_accumulator_value;
        v[i] += g * g;
        w[i] -= rate / (1 + (t - 1) * *o.lr_decay) * g / (std::sqrt(v[i]) + *o.epsilon);
        return;
    }
  }
};

void clip(const OptimizerOptions& o, std::vector<Numbers>& gradients) {
  double squares = 0;
  for (const Numbers& gradient : gradients) {
    for (const double g : gradient) squares += g * g;
  }
  const double factor = o.clip_norm ? *o.clip_norm / (std::sqrt(squares) + 1e-6) : 1;
  for (Numbers& gradient : gradients) {
    for (double& g : gradient) {
      g *= std::min(1.0, factor);
      if (o.clip_value) g = std::clamp(g, -*o.clip_value, *o.clip_value);
    }
  }
}

// Parameters "a", three columns, and "b", one scalar; their gradients are parameters.
struct StepProgram {
  Program program{DType::F64};
  StepOps ops;
  std::vector<Written> expected;

  StepProgram(const OptimizerOptions& options, const Rows& touched) {
    add("a", 3, Shape::column(2), {0.5, -1, 2, 0.1, -0.3, 1.5});
    add("b", 1, Shape(), {0.7});
    std::vector<ParameterGradient> gradients;
    for (ParameterIndex p = 0; p < 2; ++p) {
      const Parameter weight = program.parameters()[p];
      const ValueId gradient = add_weight(program, "gradient of " + weight.name, weight.rows,
                                          weight.shape, weight.values.doubles());
      gradients.push_back({p, gradient, {}});
    }
    if (!touched.empty()) gradients[0].touched = Index::list(touched);
    ops = value_of(append_step(program, gradients, options));
    EXPECT_TRUE(verify(program));
  }
  void add(const std::string& name, std::uint32_t rows, Shape shape, const Numbers& values) {
    add_weight(program, name, rows, shape, values);
    const Numbers zeros(values.size());
    expected.push_back({shape.size(), values, zeros, zeros, zeros});
  }
};

void expect_states(Executable& executable, const StepProgram& step) {
  for (const std::string& state : step.ops.states) {
    const Written& of = step.expected[state.ends_with("/a") ? 0 : 1];
    const bool is_square = state.starts_with("adam.v") || state.starts_with("rmsprop.square") ||
                           state.starts_with("adagrad.sum");
    const Numbers& expected = state.starts_with("rmsprop.mean") ? of.u : is_square ? of.v : of.m;
    expect_near(value_of(executable.state(state)), expected);
  }
}

void check_steps(const OptimizerOptions& given, std::size_t states, const Rows& touched = {}) {
  SCOPED_TRACE(std::string(text_of(given.optimizer)));
  const OptimizerOptions options = with_defaults(given);
  on_each_backend([&](const Backend& backend) {
    StepProgram step(options, touched);
    EXPECT_EQ(step.ops.states.size(), states);
    const auto executable = compile_on(backend, step.program);
    for (int t = 1; t <= kSteps; ++t) {
      const double rate = kRate / t;
      std::vector<Numbers> gradients;
      for (std::size_t p = 0; p < 2; ++p) {
        Numbers& gradient = gradients.emplace_back(step.expected[p].w.size());
        for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = gradient_at(t, p, i);
        expect_ok(executable->set_parameter(static_cast<ParameterIndex>(2 + p), gradient));
      }
      clip(options, gradients);
      step.expected[0].step(options, t, rate, gradients[0], touched);
      step.expected[1].step(options, t, rate, gradients[1], {});
      expect_ok(
          set_parameters(*executable, step_values(step.ops, static_cast<std::uint64_t>(t), rate)));
      expect_ok(executable->run());
      for (ParameterIndex p = 0; p < 2; ++p) {
        expect_near(value_of(executable->parameter(p)), step.expected[p].w);
      }
      expect_states(*executable, step);
    }
  });
}

TEST(Step, Sgd) {
  check_steps({.optimizer = Optimizer::Sgd}, 0);
  check_steps({.optimizer = Optimizer::Sgd, .weight_decay = 0.1}, 0);
  check_steps({.optimizer = Optimizer::Sgd, .momentum = 0.9}, 2);
  check_steps({.optimizer = Optimizer::Sgd, .momentum = 0.5, .weight_decay = 0.1}, 2);
}

TEST(Step, Adam) {
  check_steps({.optimizer = Optimizer::Adam}, 4);
  check_steps({.optimizer = Optimizer::Adam, .weight_decay = 0.1, .beta1 = 0.5, .beta2 = 0.8}, 4);
  check_steps({.optimizer = Optimizer::Adam, .epsilon = 0.3}, 4);
}

TEST(Step, AdamW) {
  check_steps({.optimizer = Optimizer::AdamW}, 4);
  check_steps({.optimizer = Optimizer::AdamW, .weight_decay = 0.1}, 4);
}

TEST(Step, RmsProp) {
  check_steps({.optimizer = Optimizer::RmsProp}, 2);
  check_steps({.optimizer = Optimizer::RmsProp, .weight_decay = 0.1, .alpha = 0.7}, 2);
  check_steps({.optimizer = Optimizer::RmsProp, .momentum = 0.9, .epsilon = 0.3}, 4);
  check_steps({.optimizer = Optimizer::RmsProp, .centered = 1}, 4);
  check_steps({.optimizer = Optimizer::RmsProp, .momentum = 0.5, .centered = 1}, 6);
}

TEST(Step, Adagrad) {
  check_steps({.optimizer = Optimizer::Adagrad}, 2);
  check_steps({.optimizer = Optimizer::Adagrad, .weight_decay = 0.1, .epsilon = 0.3}, 2);
  check_steps({.optimizer = Optimizer::Adagrad, .lr_decay = 0.2, .initial_accumulator_value = 0.5},
              2);
}

TEST(Step, OnlyTouchedRowsChange) {
  check_steps({.optimizer = Optimizer::LazyAdam}, 4, {2, 0});
  check_steps({.optimizer = Optimizer::LazyAdam, .weight_decay = 0.1}, 4, {1});
  check_steps({.optimizer = Optimizer::Sgd, .momentum = 0.9, .weight_decay = 0.1}, 2, {1, 2});
}

TEST(Step, GradientsAreClipped) {
  check_steps({.optimizer = Optimizer::Sgd, .clip_value = 0.4}, 0);
  check_steps({.optimizer = Optimizer::Sgd, .clip_norm = 0.5}, 0);
  check_steps({.optimizer = Optimizer::Adam, .clip_norm = 1.1, .clip_value = 0.6}, 4);
  check_steps({.optimizer = Optimizer::Sgd, .clip_norm = 1e6}, 0);  // no limit to any
}

TEST(Step, ClippingKeepsZeroGradientsAndTellsTheNorm) {
  StepProgram step({.optimizer = Optimizer::Sgd, .clip_norm = 1}, {});
  ASSERT_TRUE(step.ops.gradient_norm);
  ExecutionOptions options;
  options.kept = {*step.ops.gradient_norm};
  on_each_backend([&](const Backend& backend) {
    const auto executable = compile_on(backend, step.program, options);
    expect_ok(executable->set_parameter(2, Numbers(6)));
    expect_ok(executable->set_parameter(3, Numbers(1)));
    expect_ok(executable->run());
    expect_near(value_of(executable->parameter(0)), step.expected[0].w);
    expect_near(value_of(executable->read(*step.ops.gradient_norm)), {0});
    expect_ok(executable->set_parameter(2, Numbers{2, 0, 0, -1, 0, 0}));
    expect_ok(executable->set_parameter(3, Numbers{2}));
    expect_ok(executable->run());
    expect_near(value_of(executable->read(*step.ops.gradient_norm)), {3});
  });
}

// Every optimizer, with its defaults and with none of them.
std::vector<OptimizerOptions> all_options() {
  std::vector<OptimizerOptions> all;
  for (const OptimizerInfo& each : optimizers()) {
    all.push_back({.optimizer = each.id});
    OptimizerOptions& changed = all.emplace_back(each.defaults);
    for (const HyperparameterInfo& hyperparameter : hyperparameters()) {
      auto& value = changed.*hyperparameter.value;
      if (!value) continue;
      value = hyperparameter.range == HyperparameterRange::Flag ? 1 - *value : 0.5 * *value + 0.1;
    }
  }
  return all;
}

void run_steps(Executable& executable, const StepOps& ops, std::uint64_t first,
               std::uint64_t last) {
  for (std::uint64_t t = first; t <= last; ++t) {
    for (std::size_t p = 0; p < 2; ++p) {
      Numbers gradient(p == 0 ? 6 : 1);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        gradient[i] = gradient_at(static_cast<int>(t), p, i);
      }
      expect_ok(executable.set_parameter(static_cast<ParameterIndex>(2 + p), gradient));
    }
    expect_ok(set_parameters(executable, step_values(ops, t, kRate)));
    expect_ok(executable.run());
  }
}

// Parameters and states.
std::vector<Numbers> kept_values(Executable& executable, const StepOps& ops) {
  std::vector<Numbers> kept;
  for (ParameterIndex p = 0; p < 2; ++p) kept.push_back(value_of(executable.parameter(p)));
  for (const std::string& state : ops.states) kept.push_back(value_of(executable.state(state)));
  return kept;
}

// The same steps twice, and after a restart from a checkpoint's values.
TEST(Step, IsRepeatableAndRestarts) {
  for (const OptimizerOptions& options : all_options()) {
    SCOPED_TRACE(std::string(text_of(options.optimizer)));
    const StepProgram step(options, {});
    on_each_backend([&](const Backend& backend) {
      const auto once = compile_on(backend, step.program);
      const auto again = compile_on(backend, step.program);
      run_steps(*once, step.ops, 1, 6);
      const std::vector<Numbers> expected = kept_values(*once, step.ops);
      run_steps(*again, step.ops, 1, 3);
      const auto restarted = compile_on(backend, step.program);
      const std::vector<Numbers> checkpoint = kept_values(*again, step.ops);
      for (ParameterIndex p = 0; p < 2; ++p) {
        expect_ok(restarted->set_parameter(p, checkpoint[p]));
      }
      for (std::size_t s = 0; s < step.ops.states.size(); ++s) {
        expect_ok(restarted->set_state(step.ops.states[s], checkpoint[2 + s]));
      }
      run_steps(*again, step.ops, 4, 6);
      run_steps(*restarted, step.ops, 4, 6);
      EXPECT_EQ(kept_values(*again, step.ops), expected);
      EXPECT_EQ(kept_values(*restarted, step.ops), expected);
    });
  }
}

TEST(Step, BackendsAgreeWithTheInterpreter) {
  const Backend* const interpreter = find_backend("interpreter");
  ASSERT_NE(interpreter, nullptr);
  for (const OptimizerOptions& options : all_options()) {
    SCOPED_TRACE(std::string(text_of(options.optimizer)));
    const StepProgram step(options, {});
    const auto expected = compile_on(*interpreter, step.program);
    run_steps(*expected, step.ops, 1, 20);
    const std::vector<Numbers> values = kept_values(*expected, step.ops);
    EXPECT_NE(values[0], step.expected[0].w);
    on_each_backend([&](const Backend& backend) {
      const auto executable = compile_on(backend, step.program);
      run_steps(*executable, step.ops, 1, 20);
      const std::vector<Numbers> found = kept_values(*executable, step.ops);
      for (std::size_t i = 0; i < values.size(); ++i) expect_near(found[i], values[i]);
    });
  }
}

// Blocks of a GPU share a gradient of so many numbers, the last of them with lanes to spare.
TEST(Step, OfAMatrixThatDoesNotFillItsBlocks) {
  constexpr std::uint32_t kRows = 40;
  constexpr Shape kMatrix(3, 500);
  const auto numbers = [](std::size_t count) {
    Numbers all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = gradient_at(1, 0, i);
    return all;
  };
  Program program(DType::F64);
  add_weight(program, "w", 1, kMatrix, numbers(kMatrix.size()));
  const ValueId g = program.fact(numbers(3 * kRows), kRows, Shape::column(3));
  const ValueId x = program.fact(numbers(500 * kRows), kRows, Shape::column(500));
  const ValueId gradient =
      value_of(program.add(ContractOp{Index::repeat(1, kRows), 1, kMatrix}, {g, x}));
  const std::vector<ParameterGradient> gradients{{0, gradient, {}}};
  const StepOps ops =
      value_of(append_step(program, gradients, with_defaults({.optimizer = Optimizer::Adam})));
  const auto values_after = [&](const Backend& backend) {
    const auto executable = compile_on(backend, program);
    for (std::uint64_t t = 1; t <= 3; ++t) {
      expect_ok(set_parameters(*executable, step_values(ops, t, kRate)));
      expect_ok(executable->run());
    }
    return value_of(executable->parameter(0));
  };
  const Numbers expected = values_after(*find_backend("interpreter"));
  on_each_backend([&](const Backend& backend) { expect_near(values_after(backend), expected); });
}

TEST(Step, TextOfAnAdamStep) {
  Program program(DType::F64);
  add_weight(program, "w", 2, Shape(), {1, 2});
  const ValueId gradient = program.fact({3, 4}, 2, Shape());
  const ParameterGradient gradients[] = {{0, gradient, {}}};
  const StepOps ops = value_of(append_step(program, gradients, {}));
  EXPECT_EQ(ops.states, (std::vector<std::string>{"adam.m/w", "adam.v/w"}));
  EXPECT_EQ(print_op(program, 6),
            "%6 = map sum(elproduct(0.9, $0), elproduct(0.09999999999999998, $1)) %5, %1 : "
            "f64[2, 1]  # step");
  EXPECT_EQ(print_op(program, ops.updates[2]), "%12 = update %0, %9 : f64[2, 1]  # step");
}

TEST(Step, bad_options_and_gradients) {
  Program program;
  add_weight(program, "w", 2, Shape(), {1, 2});
  const ValueId good = program.fact({3, 4}, 2, Shape());
  const ValueId wide = program.fact({3, 4}, 1, Shape::column(2));
  const auto error = [&](std::vector<ParameterGradient> gradients,
                         const OptimizerOptions& options = {}) {
    Program copy = program;
    return append_step(copy, gradients, options).error().text();
  };
  EXPECT_EQ(error({{0, wide, {}}}),
            "parameter \"w\": error: has a gradient of [1, 2x1], expected [2, 1] [E050]");
  EXPECT_EQ(error({{0, good, {}}, {0, good, {}}}),
            "parameter \"w\": error: has two gradients [E050]");
  EXPECT_EQ(error({{0, good, Index::list({1, 1})}}),
            "parameter \"w\": error: a row is touched twice [E050]");
  EXPECT_EQ(error({{0, good, Index::list({2})}}),
            "parameter \"w\": error: row 2 is touched, of 2 [E050]");
  EXPECT_EQ(error({}, {.beta1 = 1}), "optimizer: error: beta1: expected 0 to less than 1 [E050]");
  EXPECT_EQ(error({}, {.momentum = 0.9}),
            "optimizer: error: momentum is of sgd and rmsprop, and adam has none [E050]");
  EXPECT_EQ(error({}, {.clip_norm = 0}),
            "optimizer: error: a limit of gradients: expected more than 0 [E050]");
}

TEST(RateSchedule, Formulas) {
  const RateSchedule constant{.base = 0.1};
  EXPECT_EQ(constant.rate_at(0), 0.1);
  EXPECT_EQ(constant.rate_at(1000), 0.1);
  const RateSchedule step{
      .kind = RateSchedule::Kind::Step, .base = 0.8, .period = 10, .factor = 0.5};
  EXPECT_EQ(step.rate_at(9), 0.8);
  EXPECT_EQ(step.rate_at(10), 0.4);
  EXPECT_EQ(step.rate_at(39), 0.1);
  const RateSchedule geometric{
      .kind = RateSchedule::Kind::Geometric, .base = 0.8, .period = 3, .factor = 0.5};
  EXPECT_EQ(geometric.rate_at(1), 0.8);  // epoch 2
  EXPECT_EQ(geometric.rate_at(2), 0.4);
  EXPECT_EQ(geometric.rate_at(5), 0.2);
  const RateSchedule arithmetic{.kind = RateSchedule::Kind::Arithmetic, .base = 0.8, .period = 4};
  EXPECT_NEAR(arithmetic.rate_at(0), 0.6, 1e-15);
  EXPECT_NEAR(arithmetic.rate_at(2), 0.2, 1e-15);
  EXPECT_EQ(arithmetic.rate_at(3), 0);
  EXPECT_EQ(arithmetic.rate_at(9), 0);
  const RateSchedule cosine{
      .kind = RateSchedule::Kind::Cosine, .base = 1, .period = 12, .last = 0.2};
  EXPECT_EQ(cosine.rate_at(0), 1);
  EXPECT_NEAR(cosine.rate_at(4), 0.2 + 0.8 * 0.75, 1e-15);  // cos 60 degrees is 1/2
  EXPECT_NEAR(cosine.rate_at(6), 0.6, 1e-15);
  EXPECT_EQ(cosine.rate_at(12), 0.2);
  EXPECT_EQ(cosine.rate_at(100), 0.2);
}

TEST(Step, NamesRoundTrip) {
  for (const OptimizerInfo& each : optimizers()) {
    EXPECT_EQ(&info(each.id), &each);
    EXPECT_EQ(parse_optimizer(text_of(each.id)), each.id);
  }
  using Kind = RateSchedule::Kind;
  for (const Kind kind :
       {Kind::Constant, Kind::Step, Kind::Geometric, Kind::Arithmetic, Kind::Cosine}) {
    EXPECT_EQ(parse_schedule(text_of(kind)), kind);
  }
  EXPECT_FALSE(parse_optimizer("gradient"));
}

// A kernel that stores new rows of one table reads those from before the step of all others.
TEST(Step, ReadsTheRowsFromBeforeAllUpdates) {
  on_each_backend([](const Backend& backend) {
    for (const auto by : {DirectNetwork::By::Mean, DirectNetwork::By::Sum}) {
      for (const std::uint32_t level : {0u, 2u}) {
        SCOPED_TRACE("level " + std::to_string(level));
        const DirectNetwork network(by, 2);
        const NeuronGraph graph = network.graph();
        std::vector<std::uint32_t> samples(graph.samples.size());
        std::iota(samples.begin(), samples.end(), 0u);
        TrainOptions options;
        options.schedule.base = 0.1;
        options.optimizer.optimizer = Optimizer::Sgd;
        options.optimize.level = level;
        const Program program = value_of(optimize(network.program(), options.optimize));
        const auto weights_after_steps = [&](const Backend& on) {
          ExecutionOptions execution;
          execution.device = device_of(on);
          const auto trainer =
              value_of(make_trainer(graph, program, on, execution, options, samples));
          for (int step = 0; step < 3; ++step) expect_ok(trainer->step());
          std::vector<double> numbers;
          for (const WeightTensor& tensor : value_of(trainer->save()).tensors) {
            const std::vector<double> values = values_of(tensor);
            numbers.insert(numbers.end(), values.begin(), values.end());
          }
          return numbers;
        };
        expect_near(weights_after_steps(backend),
                    weights_after_steps(*find_backend("interpreter")));
      }
    }
  });
}

}  // namespace
}  // namespace vecc::test
