#include "tests/torch/torch_check.h"

#include <cstdlib>

#include "backends/torch/torch_backend.h"

namespace vecc::test {
namespace {

std::unique_ptr<Executable> compile_with(const Program& program, const ExecutionOptions& options) {
  auto executable = libtorch::torch_backend().compile(program, options);
  EXPECT_TRUE(executable) << executable.error().text();
  return executable ? std::move(*executable) : nullptr;
}

}  // namespace

// Each way of adding up gathered rows.
const std::vector<Way>& tested_ways() {
  static const std::vector<Way> ways = [] {
    std::vector<Way> all;
    for (const TorchReduce reduce :
         {TorchReduce::Auto, TorchReduce::Segment, TorchReduce::Scatter, TorchReduce::SpMM}) {
      Way& way = all.emplace_back();
      way.name = "torch, reduce " + std::string(text_of(reduce));
      way.backend = &libtorch::torch_backend();
      way.options.device = test_device();
      way.options.torch_reduce = reduce;
    }
    return all;
  }();
  return ways;
}

Device test_device() {
  const char* name = std::getenv("VECC_TEST_DEVICE");
  const auto device = parse_device(name != nullptr ? name : "cpu");
  EXPECT_TRUE(device) << device.error().text();
  return device ? *device : Device{};
}

std::unique_ptr<Executable> compile_torch(const Program& program, bool keep_values) {
  ExecutionOptions options;
  options.device = test_device();
  options.keep_values = keep_values;
  return compile_with(program, options);
}

std::unique_ptr<Executable> compile_torch_gradients(const Program& program, TorchReduce reduce,
                                                    bool keep_values) {
  ExecutionOptions options;
  options.device = test_device();
  options.gradients = true;
  options.torch_reduce = reduce;
  options.keep_values = keep_values;
  return compile_with(program, options);
}

}  // namespace vecc::test
