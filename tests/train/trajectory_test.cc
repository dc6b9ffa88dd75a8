// NeuraLogic's own trainers, step by step: outputs, errors and weights of its dumps. The gradients
// are an executable's differentiate(); steps are small Programs on the same storage.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "src/train/neuron_reads.h"
#include "tests/train/golden_json.h"
#include "tests/train/train_check.h"
#include "vecc/graph_io.h"
#include "vecc/loss.h"
#include "vecc/train_step.h"
#include "vecc/vectorize.h"

namespace vecc::test {
namespace {

using Json = nlohmann::json;
using Numbers = std::vector<double>;
using Parameters = std::set<ParameterIndex>;

constexpr double kTolerance = 1e-9;

std::string graph_path(const std::string& name) {
  return std::string(std::getenv("VECC_BINARY_DIR")) + "/golden/" + name + ".pb";
}

// One of NeuraLogic's training runs, repeated.
class Trajectory {
 public:
  Trajectory(const Backend& backend, const Json& golden, const std::string& graph_name)
      : backend_(backend), golden_(golden), graph_(value_of(read_graph(graph_path(graph_name)))) {
    graph_.samples.resize(golden["sampleOrder"].size());
    VectorizeOptions in_double;
    in_double.dtype = DType::F64;
    program_ = value_of(vectorize(graph_, in_double)).program;
    for (ParameterIndex p = 0; p < program_.parameters().size(); ++p) {
      parameter_of_[program_.parameters()[p].name] = p;
    }
    const LossOptions loss{.loss = Loss::SoftEntropy, .reduction = Reduction::Sum};
    samples_ = value_of(loss_samples(graph_, program_, {}, loss));
    ops_ = value_of(append_loss(program_, samples_, loss));
    ExecutionOptions options;
    options.gradients = true;
    for (const Seed& seed : ops_.seeds) options.kept.push_back(seed.gradient);
    options.kept.insert(options.kept.end(), ops_.errors.begin(), ops_.errors.end());
    model_ = compile_on(backend, program_, options);
    for (const auto& [index, weight] : golden["weights0"].items()) {
      if (weight["learnable"].get<bool>()) set_weight(weight["name"], weight["value"]["data"]);
    }
    optimizer_.optimizer = golden["optimizer"] == "SGD" ? Optimizer::Sgd : Optimizer::LazyAdam;
  }

  void repeat() {
    const std::size_t batch = golden_["batch"];
    const std::size_t count = golden_["sampleOrder"].size();
    const Json& steps = golden_["steps"];
    for (std::size_t begin = 0; begin < steps.size(); begin += batch) {
      SCOPED_TRACE("step " + std::to_string(begin + 1));
      run_batch(begin % count, batch);
      for (std::size_t i = 0; i < batch; ++i) compare_sample(begin % count + i, steps[begin + i]);
      const Parameters touched = touched_by(begin % count, batch);
      const Json& last = steps[begin + batch - 1];
      if (last.contains("updated")) compare_touched(touched, last["updated"]);
      // Minibatches of an epoch share Adam's step count there.
      step(touched, batch == 1 ? begin + 1 : last["epoch"].get<std::uint64_t>());
      if (last.contains("weights")) compare_weights(last["weights"]);
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GE(compared_weights_, 2 * parameter_of_.size());
  }

 private:
  void set_weight(const std::string& name, const Numbers& values) {
    expect_ok(model_->set_parameter(parameter_of_.at(name), values));
  }

  // Outputs, errors and gradients with only these samples counting.
  void run_batch(std::size_t first, std::size_t count) {
    LossSamples batch = samples_;
    for (std::size_t s = 0; s < batch.weights.size(); ++s) {
      if (s < first || s >= first + count) batch.weights[s] = 0;
    }
    expect_ok(set_parameters(*model_, loss_values(program_, ops_, batch)));
    expect_ok(model_->run());
    outputs_ = value_of(model_->outputs());
    errors_.resize(outputs_.size());
    Numbers gradients(outputs_.size());  // scalars
    for (std::size_t k = 0; k < ops_.outputs.size(); ++k) {
      const Index& samples = std::get<OutputOp>(program_.op(ops_.outputs[k]).attributes).samples;
      const Numbers gradient = value_of(model_->read(ops_.seeds[k].gradient));
      const Numbers errors = value_of(model_->read(ops_.errors[k]));
      for (std::uint32_t i = 0; i < samples.size(); ++i) {
        gradients[samples[i]] = gradient[i];
        errors_[samples[i]] = errors[i];
      }
    }
    expect_ok(model_->differentiate(gradients));
  }

  void compare_sample(std::size_t sample, const Json& step) {
    expect_near(outputs_[sample].value, step["output"]["data"], kTolerance);
    expect_near({errors_[sample]}, step["error"]["data"], kTolerance);
  }

  [[nodiscard]] Parameters touched_by(std::size_t first, std::size_t count) {
    std::vector<std::uint32_t> samples(count);
    std::iota(samples.begin(), samples.end(), static_cast<std::uint32_t>(first));
    Parameters touched;
    reads_.find(samples, 0);
    for (const auto& [table, rows] : reads_.rows()) {
      touched.insert(parameter_of_.at(table));
    }
    return touched;
  }

  void compare_touched(const Parameters& touched, const Json& updated) const {
    Parameters expected;
    for (const int index : updated) {
      const std::string name = golden_["weights0"][std::to_string(index)]["name"];
      expected.insert(parameter_of_.at(name));
    }
    EXPECT_EQ(touched, expected);
  }

  struct Step {
    Program program{DType::F64};
    StepOps ops;
    std::vector<ParameterIndex> gradients;  // in the order of the touched parameters
    std::unique_ptr<Executable> executable;
  };

  // A Program that makes a step of these parameters, whose gradients are parameters.
  Step make_step(const Parameters& touched) const {
    Step result;
    std::vector<ParameterGradient> gradients;
    for (const ParameterIndex p : touched) {
      const Parameter& of = program_.parameters()[p];
      const auto weight =
          value_of(result.program.add_parameter({of.name, of.rows, of.shape, nullptr}));
      const SharedNumbers zeros = SharedNumbers::repeated(of.rows * of.shape.size(), 0);
      result.gradients.push_back(value_of(
          result.program.add_parameter({"gradient/" + of.name, of.rows, of.shape, zeros})));
      gradients.push_back({weight, result.program.weight(result.gradients.back()), {}});
    }
    result.ops = value_of(append_step(result.program, gradients, optimizer_));
    ExecutionOptions options;
    options.storage = model_->storage();
    options.own_parameters = result.gradients;
    result.executable = compile_on(backend_, result.program, options);
    return result;
  }

  void step(const Parameters& touched, std::uint64_t count) {
    auto found = steps_.find(touched);
    if (found == steps_.end()) found = steps_.emplace(touched, make_step(touched)).first;
    const Step& step = found->second;
    std::size_t k = 0;
    for (const ParameterIndex p : touched) {
      expect_ok(step.executable->set_parameter(step.gradients[k++], value_of(model_->gradient(p))));
    }
    expect_ok(set_parameters(*step.executable, step_values(step.ops, count, golden_["lr"])));
    expect_ok(step.executable->run());
  }

  void compare_weights(const Json& weights) {
    for (const auto& [index, value] : weights.items()) {
      const std::string name = golden_["weights0"][index]["name"];
      if (!parameter_of_.contains(name)) continue;  // a fixed one
      SCOPED_TRACE(name);
      expect_near(value_of(model_->parameter(parameter_of_.at(name))), value["data"], kTolerance);
      ++compared_weights_;
    }
  }

  const Backend& backend_;
  const Json& golden_;
  NeuronGraph graph_;
  training::NeuronReads reads_{graph_};
  Program program_;
  std::map<std::string, ParameterIndex> parameter_of_;
  LossSamples samples_;
  LossOps ops_;
  OptimizerOptions optimizer_;
  std::unique_ptr<Executable> model_;
  std::map<Parameters, Step> steps_;
  std::vector<Executable::Output> outputs_;
  Numbers errors_;
  std::size_t compared_weights_ = 0;
};

class NeuraLogicTrajectory : public testing::TestWithParam<std::string> {};

TEST_P(NeuraLogicTrajectory, IsRepeated) {
  const std::string path = golden_path("train-" + GetParam());
  const std::string graph = GetParam().ends_with("xor") ? "xor-vectorized" : "mutagenesis-simple";
  if (!has_golden(path)) GTEST_SKIP() << path << " is not there";
  ASSERT_TRUE(std::filesystem::exists(graph_path(graph))) << "run the test convert_golden first";
  const Json golden = read_golden(path);
  on_each_backend([&](const Backend& backend) { Trajectory(backend, golden, graph).repeat(); });
}

INSTANTIATE_TEST_SUITE_P(Golden, NeuraLogicTrajectory,
                         testing::Values("sgd-xor", "adam-xor", "sgd-mutagenesis10",
                                         "adam-mutagenesis10", "sgd-minibatch5-mutagenesis10",
                                         "adam-minibatch5-mutagenesis10"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace vecc::test
