// Losses of single samples against their formulas, written out here, and finite differences.
#include "vecc/loss.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/train/train_check.h"
#include "vecc/differentiate.h"
#include "vecc/program_text.h"

namespace vecc::test {
namespace {

using Numbers = std::vector<double>;

double formula(Loss loss, const Numbers& o, const Numbers& t) {
  const auto n = static_cast<double>(o.size());
  double error = 0;
  double exponentials = 0;
  for (const double logit : o) exponentials += std::exp(logit);
  for (std::size_t i = 0; i < o.size(); ++i) {
    const bool scalar = o.size() == 1;
    switch (loss) {
      case Loss::SquaredDiff: error += (o[i] - t[i]) * (o[i] - t[i]) / n; break;
      case Loss::AbsoluteDiff: error += std::abs(o[i] - t[i]) / n; break;
      case Loss::CrossEntropy:
        error -= scalar ? std::log(t[i] > 0.5 ? o[i] : 1 - o[i]) : t[i] * std::log(o[i]);
        break;
      case Loss::SoftEntropy:
        error -= scalar ? t[i] * std::log(1 / (1 + std::exp(-o[i]))) +
                              (1 - t[i]) * std::log(1 / (1 + std::exp(o[i])))
                        : t[i] * std::log(std::exp(o[i]) / exponentials);
        break;
      case Loss::BinaryCrossEntropy:
        error += t[i] * std::log1p(std::exp(-o[i])) + (1 - t[i]) * std::log1p(std::exp(o[i]));
        break;
      case Loss::MarginRanking: break;
    }
  }
  return error;
}

// A Program whose outputs are a parameter, and its loss.
struct LossProgram {
  Program program{DType::F64};
  LossOps ops;

  LossProgram(std::uint32_t rows, Shape shape, const Numbers& outputs, const LossSamples& samples,
              const LossOptions& options) {
    const ValueId weight = add_weight(program, "o", rows, shape, outputs);
    program.set_sample_count(rows);
    program.output(weight, Index::slice(0, rows));
    ops = value_of(append_loss(program, samples, options));
    EXPECT_TRUE(verify(program));
  }
  [[nodiscard]] ExecutionOptions kept() const {
    ExecutionOptions options;
    options.kept = {ops.errors[0], ops.seeds[0].gradient, ops.total};
    return options;
  }
};

double total_of(Executable& executable, ValueId total) {
  expect_ok(executable.run());
  return value_of(executable.read(total))[0];
}

// Central differences of the total by every output.
Numbers differences(Executable& executable, Numbers outputs, ValueId total) {
  constexpr double kStep = 1e-6;
  Numbers result;
  for (double& output : outputs) {
    const double middle = output;
    output = middle + kStep;
    expect_ok(executable.set_parameter(0, outputs));
    const double above = total_of(executable, total);
    output = middle - kStep;
    expect_ok(executable.set_parameter(0, outputs));
    const double below = total_of(executable, total);
    output = middle;
    result.push_back((above - below) / (2 * kStep));
  }
  expect_ok(executable.set_parameter(0, outputs));
  return result;
}

void check_loss(Loss loss, Shape shape, const Numbers& outputs, const Numbers& targets) {
  SCOPED_TRACE(std::string(text_of(loss)) + " of " + shape.text());
  const std::size_t size = shape.size();
  const auto rows = static_cast<std::uint32_t>(outputs.size() / size);
  LossSamples samples{targets, Numbers(rows), {}};
  for (std::uint32_t i = 0; i < rows; ++i) samples.weights[i] = 0.5 * i;  // the first is left out
  const LossProgram loss_program(rows, shape, outputs, samples, {.loss = loss});
  Numbers errors;
  for (std::uint32_t i = 0; i < rows; ++i) {
    const auto part = [&](const Numbers& all) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * size);
      return Numbers(begin, begin + static_cast<std::ptrdiff_t>(size));
    };
    errors.push_back(formula(loss, part(outputs), part(targets)));
  }
  const double total =
      std::inner_product(errors.begin(), errors.end(), samples.weights.begin(), 0.0);
  on_each_backend([&](const Backend& backend) {
    const LossOps& ops = loss_program.ops;
    const auto executable = compile_on(backend, loss_program.program, loss_program.kept());
    EXPECT_NEAR(total_of(*executable, ops.total), total, 1e-12);
    expect_near(value_of(executable->read(ops.errors[0])), errors);
    const Numbers gradient = value_of(executable->read(ops.seeds[0].gradient));
    expect_near(gradient, differences(*executable, outputs, ops.total), 1e-8);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(gradient[i], 0);
  });
}

const Numbers kValues = {0.3, -0.7, 1.9, 0.2, -2.5, 0.8, 0.1, -0.4, 1.1, 0.6, -1.3, 2.2};
const Numbers kTargets = {0.1, 0.9, -1, 0.4, 2, 1, 0.5, -0.3, 0, 1, 1.7, 0.2};
const Numbers kProbabilities = {0.2, 0.3, 0.5, 0.7, 0.1, 0.2, 0.6, 0.3, 0.1, 0.15, 0.25, 0.6};
const Numbers kDistributions = {1, 0, 0, 0.2, 0.5, 0.3, 0, 1, 0, 0.1, 0.1, 0.8};
const Numbers kClasses = {0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1};

TEST(Loss, SquaredDiffIsTheMeanOverElements) {
  for (const Shape shape : {Shape(), Shape(1, 1), Shape::column(3), Shape::row(4), Shape(2, 3)}) {
    check_loss(Loss::SquaredDiff, shape, kValues, kTargets);
  }
}

TEST(Loss, CrossEntropyOfProbabilities) {
  for (const Shape shape : {Shape(), Shape(1, 1)}) {
    check_loss(Loss::CrossEntropy, shape, kProbabilities, kClasses);
  }
  for (const Shape shape : {Shape::column(3), Shape::row(3), Shape(3, 2)}) {
    check_loss(Loss::CrossEntropy, shape, kProbabilities, kDistributions);
  }
}

TEST(Loss, SoftEntropyOfLogits) {
  for (const Shape shape : {Shape(), Shape(1, 1)}) {
    check_loss(Loss::SoftEntropy, shape, kValues, kClasses);
    check_loss(Loss::SoftEntropy, shape, kValues, kProbabilities);
  }
  for (const Shape shape : {Shape::column(3), Shape::row(3)}) {
    check_loss(Loss::SoftEntropy, shape, kValues, kDistributions);
    check_loss(Loss::SoftEntropy, shape, kValues, kTargets);  // that sum to anything
  }
}

struct Edge {
  LossOptions options;
  Shape shape;
  Numbers output;
  Numbers target;
  double error;
  Numbers gradient;
};

void check_edge(const Edge& edge) {
  const LossProgram loss_program(1, edge.shape, edge.output, {edge.target, {1}, {}}, edge.options);
  on_each_backend([&](const Backend& backend) {
    const auto executable = compile_on(backend, loss_program.program, loss_program.kept());
    EXPECT_NEAR(total_of(*executable, loss_program.ops.total), edge.error, 1e-11);
    expect_near(value_of(executable->read(loss_program.ops.seeds[0].gradient)), edge.gradient);
  });
}

TEST(Loss, AbsoluteDiffIsTheMeanOverElements) {
  for (const Shape shape : {Shape(), Shape(1, 1), Shape::column(3), Shape::row(4), Shape(2, 3)}) {
    check_loss(Loss::AbsoluteDiff, shape, kValues, kTargets);
  }
  const LossOptions absolute{.loss = Loss::AbsoluteDiff};
  check_edge({absolute, Shape(), {0.5}, {0.5}, 0, {0}});
  check_edge({absolute, Shape::column(2), {1, 1}, {1, 4}, 1.5, {0, -0.5}});
}

TEST(Loss, BinaryCrossEntropyIsOfEachElement) {
  for (const Shape shape : {Shape(), Shape(1, 1), Shape::column(3), Shape::row(4), Shape(2, 3)}) {
    check_loss(Loss::BinaryCrossEntropy, shape, kValues, kClasses);
    check_loss(Loss::BinaryCrossEntropy, shape, kValues, kProbabilities);
  }
  const LossOptions binary{.loss = Loss::BinaryCrossEntropy};
  check_edge({binary, Shape::column(3), {1000, -1000, 1000}, {1, 1, 0}, 2000, {0, -1, 1}});
}

TEST(Loss, SoftEntropyOfLargeLogits) {
  const LossOptions soft{.loss = Loss::SoftEntropy};
  check_edge({soft, Shape(), {1000}, {1}, 0, {0}});
  check_edge({soft, Shape(), {1000}, {0}, 1000, {1}});
  check_edge({soft, Shape(), {-1000}, {1}, 1000, {-1}});
  check_edge({soft, Shape(), {-1000}, {0}, 0, {0}});
  check_edge({soft, Shape::column(3), {1000, -1000, 0}, {1, 0, 0}, 0, {0, 0, 0}});
  check_edge({soft, Shape::row(3), {1000, -1000, 0}, {0, 1, 0}, 2000, {1, -1, 0}});
}

TEST(Loss, CrossEntropyIsCapped) {
  const LossOptions cross{.loss = Loss::CrossEntropy};
  check_edge({cross, Shape(), {0}, {1}, 100, {-1e10}});
  check_edge({cross, Shape(), {1}, {0}, 100, {1e10}});
  check_edge({cross, Shape(), {1}, {1}, 0, {-1}});
  check_edge({cross, Shape::column(2), {0, 1}, {0.5, 0.5}, 50, {-5e9, -0.5}});
  check_edge({cross, Shape::column(2), {0, 1}, {0, 1}, 0, {0, -1}});
}

// e^-100 is a denormal number there.
TEST(Loss, CapsHoldInSinglePrecision) {
  Program program;
  const ValueId weight = add_weight(program, "o", 3, Shape(), {0, 1, 0.25});
  program.set_sample_count(3);
  program.output(weight, Index::slice(0, 3));
  const LossSamples samples{{1, 0, 1}, {1, 1, 1}, {}};
  const LossOps ops = value_of(append_loss(program, samples, {.loss = Loss::CrossEntropy}));
  ExecutionOptions options;
  options.kept = {ops.errors[0], ops.seeds[0].gradient};
  on_each_backend([&](const Backend& backend) {
    const auto executable = compile_on(backend, program, options);
    expect_ok(executable->run());
    expect_near(value_of(executable->read(ops.errors[0])), {100, 100, -std::log(0.25)}, 1e-3);
    expect_near(value_of(executable->read(ops.seeds[0].gradient)), {-1e10, 1e10, -4}, 1e-6);
  });
}

// What docs/training-reference.md lists.
TEST(Loss, NeuraLogicsGradientsOnDemand) {
  const auto of = [](Loss loss) { return LossOptions{.loss = loss, .neuralogic_gradients = true}; };
  check_edge({of(Loss::SquaredDiff), Shape::column(2), {3, 1}, {1, 2}, 2.5, {4, -2}});
  check_edge(
      {of(Loss::CrossEntropy), Shape::column(2), {0.25, 0.75}, {1, 0}, -std::log(0.25), {-4, 4}});
  check_edge(
      {of(Loss::SoftEntropy), Shape::column(2), {0, 0}, {1, 1}, 2 * std::log(2), {-0.5, -0.5}});
  check_edge(
      {{.loss = Loss::SoftEntropy}, Shape::column(2), {0, 0}, {1, 1}, 2 * std::log(2), {0, 0}});
}

// Samples 2, 0 are columns, 1 is a scalar; targets and weights come in sample order.
TEST(Loss, EveryOutputHasItsSamples) {
  Program program(DType::F64);
  const ValueId columns = add_weight(program, "a", 2, Shape::column(2), {1, 2, 3, 4});
  const ValueId scalar = add_weight(program, "b", 1, Shape(), {5});
  program.set_sample_count(3);
  program.output(columns, Index::list({2, 0}));
  program.output(scalar, Index::list({1}));
  const LossSamples samples{{3, 3, 5.5, 1, 0}, {1, 10, 100}, {}};
  const LossOps ops = value_of(append_loss(program, samples, {}));
  ASSERT_EQ(ops.seeds.size(), 2u);
  EXPECT_EQ(ops.seeds[0].value, columns);
  EXPECT_EQ(ops.seeds[1].value, scalar);
  EXPECT_EQ(program.parameters()[ops.targets[1]].name, "target/1");
  EXPECT_EQ(program.parameters()[ops.weights[0]].name, "sample_weight/0");
  ExecutionOptions options;
  options.kept = {ops.seeds[0].gradient, ops.seeds[1].gradient, ops.total};
  on_each_backend([&](const Backend& backend) {
    const auto executable = compile_on(backend, program, options);
    // Errors: 0.5 of sample 0, 0.25 of sample 1, 2 of sample 2.
    EXPECT_NEAR(total_of(*executable, ops.total), 0.5 + 2.5 + 200, 1e-12);
    expect_near(value_of(executable->read(ops.seeds[0].gradient)), {0, 200, 0, 1});
    expect_near(value_of(executable->read(ops.seeds[1].gradient)), {-10});
    // Other targets and weights between runs.
    expect_ok(
        set_parameters(*executable, loss_values(program, ops, {{3, 4, 5, 1, 0}, {1, 1, 0.5}, {}})));
    EXPECT_NEAR(total_of(*executable, ops.total), 1, 1e-12);
  });
}

TEST(Loss, SamplesThatDoNotFit) {
  Program program;
  EXPECT_EQ(append_loss(program, {}, {}).error().text(),
            "loss: error: the program has no output [E050]");
  const ValueId weight = add_weight(program, "o", 2, Shape(), {0, 0});
  program.set_sample_count(2);
  program.output(weight, Index::slice(0, 2));
  EXPECT_EQ(append_loss(program, {{1, 1}, {1}, {}}, {}).error().text(),
            "loss: error: 1 weights, expected 2: one a sample [E050]");
  EXPECT_EQ(append_loss(program, {{1}, {1, 1}, {}}, {}).error().text(),
            "loss: error: 1 target values, expected 2: one an element of every sample's output "
            "[E050]");
}

TEST(Loss, NamesRoundTrip) {
  for (const Loss loss : {Loss::SquaredDiff, Loss::AbsoluteDiff, Loss::CrossEntropy,
                          Loss::SoftEntropy, Loss::BinaryCrossEntropy, Loss::MarginRanking}) {
    EXPECT_EQ(parse_loss(text_of(loss)), loss);
  }
  for (const Reduction reduction :
       {Reduction::Sum, Reduction::Mean, Reduction::ElementSum, Reduction::ElementMean}) {
    EXPECT_EQ(parse_reduction(text_of(reduction)), reduction);
  }
  EXPECT_FALSE(parse_loss("mse"));
}

TEST(Loss, OutputFunctionsAreFound) {
  const auto function = [](std::string_view text) {
    return output_function(value_of(parse_program(text, "test")));
  };
  const std::string head = "vecc program 1 f32 samples 2\n%0 = fact {1, 2, 3, 4} : f32[2, 2x1]\n";
  EXPECT_EQ(function(head + "%1 = transform %0 softmax : f32[2, 2x1]\n"
                            "%2 = gather %1 [1, 0] : f32[2, 2x1]\n"
                            "%3 = output %2 [0:2] : f32[2, 2x1]\n"),
            OutputFunction::Softmax);
  EXPECT_EQ(function(head + "%1 = map sigmoid(sum($0, 1)) %0 : f32[2, 2x1]\n"
                            "%2 = output %1 [0:2] : f32[2, 2x1]\n"),
            OutputFunction::Sigmoid);
  // A sigmoid below the last layer is none of the output's.
  EXPECT_EQ(function(head + "%1 = transform %0 sigmoid : f32[2, 2x1]\n"
                            "%2 = transform %1 tanh : f32[2, 2x1]\n"
                            "%3 = output %2 [0:2] : f32[2, 2x1]\n"),
            OutputFunction::Raw);
  EXPECT_EQ(function(head + "%1 = transform %0 sigmoid : f32[2, 2x1]\n"
                            "%2 = concat %0, %1 : f32[4, 2x1]\n"
                            "%3 = gather %2 [0, 3] : f32[2, 2x1]\n"
                            "%4 = output %3 [0:2] : f32[2, 2x1]\n"),
            OutputFunction::Mixed);
}

// Both samples are wrong by far: probabilities of their classes are 0, the loss and the gradient of
// the weights (one-hot targets less softmax, a row each) are those of the logits.
void check_logits(const std::string& ops, const Numbers& weights) {
  SCOPED_TRACE(ops);
  const std::string text =
      "vecc program 1 f32 samples 2\nparameter \"w\" [2, 3x1]\n%0 = weight \"w\" : f32[2, 3x1]\n" +
      ops;
  Program program = value_of(parse_program(text, "test"));
  program.set_parameter_values(0, SharedNumbers::of(weights));
  const LossSamples samples{{0, 0, 1, 0, 1, 0}, {1, 1}, {}};
  const LossOps loss = value_of(append_loss(program, samples, {.loss = Loss::SoftEntropy}));
  const ParameterIndex wanted[] = {0};
  const auto gradients = value_of(append_gradients(program, loss.seeds, wanted));
  ExecutionOptions options;
  options.kept = {loss.total, *gradients[0]};
  on_each_backend([&](const Backend& backend) {
    const auto executable = compile_on(backend, program, options);
    EXPECT_NEAR(total_of(*executable, loss.total), 200 + 150, 1e-3);
    expect_near(value_of(executable->read(*gradients[0])), {1, 0, -1, 0, -1, 1}, 1e-6);
  });
}

TEST(Loss, SoftEntropyReadsTheLogitsOfASoftmax) {
  const Numbers weights{200, -10, 0, -100, -150, 0};
  check_logits("%1 = transform %0 softmax : f32[2, 3x1]\n%2 = output %1 [0:2] : f32[2, 3x1]\n",
               weights);
  check_logits("%1 = map softmax($0) %0 : f32[2, 3x1]\n%2 = output %1 [0:2] : f32[2, 3x1]\n",
               weights);
  check_logits(
      "%1 = map softmax(sum($0, 0)) %0 : f32[2, 3x1]\n%2 = output %1 [0:2] : f32[2, 3x1]\n",
      weights);
  // Rows that were moved: both outputs stand at their samples.
  check_logits(
      "%1 = transform %0 softmax : f32[2, 3x1]\n%2 = concat %1, %1 : f32[4, 3x1]\n"
      "%3 = gather %2 [2, 1] : f32[2, 3x1]\n%4 = output %3 [0:2] : f32[2, 3x1]\n",
      weights);
}

}  // namespace
}  // namespace vecc::test
