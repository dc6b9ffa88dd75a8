// The torch backend's border: devices, refusals, failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/torch/torch_backend.h"
#include "tests/torch/torch_check.h"

namespace vecc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

ExecutionOptions options_of(Device device) {
  ExecutionOptions options;
  options.device = device;
  return options;
}

TEST(TorchBackend, IsInTheTable) {
  EXPECT_EQ(find_backend("torch"), &libtorch::torch_backend());
  EXPECT_EQ(libtorch::torch_backend().name(), "torch");
}

TEST(TorchBackend, IsOnTheDeviceAskedFor) {
  const Device device = test_device();
  ASSERT_TRUE(libtorch::torch_backend().available(device));
  const auto executable = compile_torch(Program());
  ASSERT_NE(executable, nullptr);
  const bool cuda = device.kind == Device::Kind::Cuda;
  // `cuda:0 NVIDIA H200`: the driver's name follows.
  if (cuda) {
    EXPECT_THAT(executable->device_name(),
                StartsWith("cuda:" + std::to_string(device.index) + " "));
  } else {
    EXPECT_EQ(executable->device_name(), "cpu");
  }
}

TEST(TorchBackend, bad_absent_device) {
  const auto available = libtorch::torch_backend().available({Device::Kind::Cuda, 64});
  ASSERT_FALSE(available);
  EXPECT_EQ(available.error().list().front().code, ErrorCode::DeviceAbsent);
  EXPECT_THAT(available.error().text(),
              StartsWith("torch: error: cuda:64 is not there: libtorch "));
  EXPECT_THAT(available.error().text(), HasSubstr("CUDA device"));
  const auto compiled =
      libtorch::torch_backend().compile(Program(), options_of({Device::Kind::Cuda, 64}));
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().text(), available.error().text());
}

// A recursion of a million levels would take minutes and gigabytes: said before.
TEST(TorchBackend, bad_more_than_a_million_ops) {
  const TransformationSpec tanh{.id = Transformation::Tanh, .target = {}};
  Program program;
  ValueId last = program.fact({1.0}, 1, Shape());
  while (program.ops().size() < 1'000'000) last = program.transform(last, tanh);
  EXPECT_TRUE(libtorch::torch_backend().unsupported(program).empty());
  program.transform(last, tanh);
  const std::vector<std::string> gaps = libtorch::torch_backend().unsupported(program);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0],
            "1,000,001 ops, more than 1,000,000 ops: each is a call of libtorch that keeps some 5 "
            "KB; --backend=cpu runs them in a tenth of the time and memory");
}

TEST(TorchBackend, SupportsTrainingOps) {
  Program program;
  auto values = SharedNumbers::repeated(2, 0.5);
  const auto w = program.add_parameter({"w", 2, Shape(), values});
  ASSERT_TRUE(w);
  const ValueId weight = program.weight(*w);
  ASSERT_TRUE(program.add(StateOp{"momentum", 2, Shape(), 0}, {}));
  ASSERT_TRUE(program.add(UpdateOp{}, {weight, weight}));
  EXPECT_TRUE(libtorch::torch_backend().unsupported(program).empty());
  EXPECT_TRUE(libtorch::torch_backend().compile(program, options_of(test_device())));
}

TEST(TorchBackend, bad_parameter_without_values) {
  Program program;
  ASSERT_TRUE(program.add_parameter({"a\nb", 2, Shape(), nullptr}));
  const auto compiled = libtorch::torch_backend().compile(program, options_of(test_device()));
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().text(), "torch: error: parameter \"a\\nb\" has no values [E023]");
}

// 16 TB: more than any machine gives; what was wanted and how much is free is said.
TEST(TorchBackend, bad_out_of_memory) {
  Program program(DType::F64);
  const ValueId row = random_fact(program, 1, Shape::column(1024), 1);
  const ValueId many = program.gather(row, Index::repeat(1, 1u << 30));
  program.concat(std::vector{many, many});
  const auto executable = compile_torch(program);
  ASSERT_NE(executable, nullptr);
  const auto run = executable->run();
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().list().front().code, ErrorCode::OutOfMemory);
  EXPECT_THAT(run.error().text(),
              StartsWith("torch: %2 concat: error: no memory for 17592186044416 bytes on c"));
  EXPECT_THAT(run.error().text(), HasSubstr("free"));
}

TEST(TorchBackend, SetParameter) {
  Program program(DType::F64);
  auto values = SharedNumbers::repeated(2, 0.5);
  const auto w = program.add_parameter({"w", 2, Shape(), values});
  ASSERT_TRUE(w);
  const ValueId doubled =
      program.map(*parse_expr("sum($0, $0)", ""), std::vector{program.weight(*w)});
  const auto executable = compile_torch(program);
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(executable->run());
  EXPECT_EQ(*executable->read(doubled), (std::vector<double>{1, 1}));
  ASSERT_TRUE(executable->set_parameter(*w, std::vector<double>{2, 3}));
  ASSERT_TRUE(executable->run());
  EXPECT_EQ(*executable->read(doubled), (std::vector<double>{4, 6}));
  const auto refused = executable->set_parameter(*w, std::vector<double>{2, 3, 4});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), "parameter \"w\": error: 3 values, expected 2 [E050]");
}

// On a GPU the third run of the one is a CUDA graph, of the other op by op.
TEST(TorchBackend, RecordedOrNot) {
  Program program(DType::F64);
  program.set_sample_count(6);
  const ValueId x = random_fact(program, 6, Shape(3, 1), 1);
  program.output(program.linear(random_fact(program, 6, Shape(3, 3), 2), x), Index::slice(0, 6));
  std::vector<std::vector<double>> found;
  for (const bool records : {true, false}) {
    ExecutionOptions options = options_of(test_device());
    options.torch_records = records;
    const auto executable = libtorch::torch_backend().compile(program, options);
    ASSERT_TRUE(executable);
    for (int run = 0; run < 3; ++run) ASSERT_TRUE((*executable)->timed_run());
    auto& values = found.emplace_back();
    for (const auto& output : (*executable)->outputs().value()) {
      values.insert(values.end(), output.value.begin(), output.value.end());
    }
  }
  EXPECT_EQ(found[0].size(), 18u);
  EXPECT_TRUE(equal_bits(found[0], found[1]));
}

TEST(TorchBackend, Threads) {
  Program program(DType::F64);
  const ValueId x = random_fact(program, 50, Shape(4, 4), 1);
  const ValueId y = program.linear(x, x);
  ExecutionOptions options = options_of(test_device());
  options.keep_values = true;
  options.threads = 1;
  const auto executable = libtorch::torch_backend().compile(program, options);
  ASSERT_TRUE(executable);
  ASSERT_TRUE((*executable)->run());
  EXPECT_EQ((*executable)->read(y)->size(), 50u * 16);
}

}  // namespace
}  // namespace vecc::test
