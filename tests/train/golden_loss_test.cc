// Errors and their gradients by the output in NeuraLogic's dumps.
#include "tests/train/golden_json.h"
#include "tests/train/train_check.h"
#include "vecc/loss.h"

namespace vecc::test {
namespace {

using Json = nlohmann::json;

Shape shape_of_dumped(const Json& value) {
  const Json& size = value["size"];
  return size.empty() ? Shape::scalar() : Shape(size[0], size[1]);
}

Loss loss_of(const std::string& error_function) {
  if (error_function == "CROSSENTROPY") return Loss::CrossEntropy;
  return error_function == "SOFTENTROPY" ? Loss::SoftEntropy : Loss::SquaredDiff;
}

class NeuraLogicLoss : public testing::TestWithParam<std::string> {};

TEST_P(NeuraLogicLoss, ErrorAndItsGradient) {
  const std::string path = golden_path("micro-" + GetParam());
  if (!has_golden(path)) GTEST_SKIP() << path << " is not there";
  const Json golden = read_golden(path);
  const Json& sample = golden["samples"][0];
  Program program(DType::F64);
  const ValueId output = add_weight(program, "o", 1, shape_of_dumped(sample["output"]),
                                    sample["output"]["data"].get<std::vector<double>>());
  program.set_sample_count(1);
  program.output(output, Index::slice(0, 1));
  LossOptions options;
  options.loss = loss_of(golden["errorFunction"]);
  options.neuralogic_gradients = true;
  const std::vector<double> target = sample["target"]["data"];
  const LossOps ops = value_of(append_loss(program, {target, {1}, {}}, options));
  std::vector<double> gradient = sample["errorGradient"]["data"];
  for (double& g : gradient) g = -g;  // NeuraLogic's are negated
  ExecutionOptions kept;
  kept.kept = {ops.total, ops.seeds[0].gradient};
  on_each_backend([&](const Backend& backend) {
    const auto executable = compile_on(backend, program, kept);
    expect_ok(executable->run());
    expect_near(value_of(executable->read(ops.total)), sample["error"]["data"]);
    expect_near(value_of(executable->read(ops.seeds[0].gradient)), gradient);
  });
}

INSTANTIATE_TEST_SUITE_P(Golden, NeuraLogicLoss,
                         testing::Values("base", "xSQUARED_vector", "xCROSSENTROPY",
                                         "xCROSSENTROPY_scalar", "xSOFTENTROPY",
                                         "xSOFTENTROPY_scalar"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace vecc::test
