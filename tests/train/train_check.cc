#include "tests/train/train_check.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>

namespace vecc::test {

Device device_of(const Backend& backend) {
  return {backend.name() == "cuda" ? Device::Kind::Cuda : Device::Kind::Cpu, 0};
}

void on_each_backend(const std::function<void(const Backend&)>& check) {
  const char* const asked = std::getenv("VECC_TEST_DEVICE");
  const bool wants_gpu = asked != nullptr && std::string_view(asked).starts_with("cuda");
  for (const Backend* backend : backends()) {
    const bool is_cuda = backend->name() == "cuda";
    if (is_cuda && !wants_gpu) continue;
    const auto available = backend->available(device_of(*backend));
    if (is_cuda) {
      EXPECT_TRUE(available) << available.error().text();
    }
    if (!available) continue;
    SCOPED_TRACE(std::string(backend->name()));
    check(*backend);
  }
}

std::unique_ptr<Executable> compile_on(const Backend& backend, const Program& program,
                                       ExecutionOptions options) {
  options.device = device_of(backend);
  return value_of(backend.compile(program, options));
}

ValueId add_weight(Program& program, const std::string& name, std::uint32_t rows, Shape shape,
                   std::vector<double> values) {
  return program.weight(
      value_of(program.add_parameter({name, rows, shape, SharedNumbers::of(std::move(values))})));
}

std::vector<std::uint32_t> all_samples(const NeuronGraph& graph) {
  std::vector<std::uint32_t> samples(graph.samples.size());
  std::iota(samples.begin(), samples.end(), 0u);
  return samples;
}

void expect_mean_error(Trainer& trainer, const NeuronGraph& graph, const Program& program,
                       const Backend& backend, const LossOptions& loss) {
  ExecutionOptions execution;
  execution.device = device_of(backend);
  execution.storage = trainer.storage();
  const auto evaluator =
      value_of(make_evaluator(graph, program, backend, execution, loss, all_samples(graph)));
  EXPECT_NEAR(value_of(trainer.epoch_loss()), value_of(evaluator->evaluate()).loss, 1e-12);
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected,
                 double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LE(std::abs(found[i] - expected[i]), tolerance * std::max(1.0, std::abs(expected[i])))
        << "element " << i << " is " << found[i] << ", expected " << expected[i];
  }
}

}  // namespace vecc::test
