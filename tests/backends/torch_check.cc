#include "tests/backends/torch_check.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "backends/reference/program_interpreter.h"
#include "backends/torch/torch_backend.h"
#include "tests/backends/gradient_check.h"

namespace vecc::test {
namespace {

// Splitmix64: the standard library's distributions differ between implementations.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double next() {
    state_ += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

void expect_equal_bits(const std::vector<double>& first, const std::vector<double>& second) {
  ASSERT_EQ(first.size(), second.size());
  EXPECT_EQ(std::memcmp(first.data(), second.data(), first.size() * sizeof(double)), 0);
}

std::vector<std::vector<double>> read_all(Executable& executable, const Program& program) {
  std::vector<std::vector<double>> values;
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    auto value = executable.read(id);
    EXPECT_TRUE(value) << value.error().text();
    values.push_back(value ? *value : std::vector<double>());
  }
  return values;
}

void compare_all(const Program& program, const std::vector<std::vector<double>>& found,
                 const std::vector<std::vector<double>>& expected, double tolerance) {
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    SCOPED_TRACE("%" + std::to_string(id) + " " + std::string(text_of(program.op(id).kind())));
    ASSERT_EQ(found[id].size(), expected[id].size());
    for (std::size_t i = 0; i < found[id].size(); ++i) {
      ASSERT_TRUE(agree(found[id][i], expected[id][i], tolerance))
          << "element " << i << " is " << found[id][i] << ", expected " << expected[id][i];
    }
  }
}

void check_released_run(const Program& program, const std::vector<std::vector<double>>& kept) {
  const auto executable = compile_torch(program, /*keep_values=*/false);
  ASSERT_NE(executable, nullptr);
  ASSERT_TRUE(executable->run());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (program.op(id).kind() != OpKind::Output) continue;
    const auto value = executable->read(id);
    ASSERT_TRUE(value) << value.error().text();
    expect_equal_bits(*value, kept[id]);
  }
}

void check_dtype(DType dtype, const std::function<void(Program&)>& build) {
  Program program(dtype);
  build(program);
  ExecutionOptions options;
  options.keep_values = true;
  auto interpreter = interpreter_backend().compile(program, options);
  ASSERT_TRUE(interpreter) << interpreter.error().text();
  ASSERT_TRUE((*interpreter)->run());
  const auto torch = compile_torch(program);
  ASSERT_NE(torch, nullptr);
  const auto run = torch->run();
  ASSERT_TRUE(run) << run.error().text();
  const auto first = read_all(*torch, program);
  compare_all(program, first, read_all(**interpreter, program), dtype == DType::F64 ? 1e-12 : 1e-5);
  ASSERT_TRUE(torch->run());
  const auto second = read_all(*torch, program);
  for (std::size_t id = 0; id < first.size(); ++id) expect_equal_bits(first[id], second[id]);
  check_released_run(program, first);
  expect_gradient_agreement(learn_facts(program));
}

}  // namespace

bool agree(double found, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  return std::abs(found - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

Device test_device() {
  const char* name = std::getenv("VECC_TEST_DEVICE");
  const auto device = parse_device(name != nullptr ? name : "cpu");
  EXPECT_TRUE(device) << device.error().text();
  return device ? *device : Device{};
}

std::vector<double> random_values(std::size_t count, std::uint32_t seed, double low, double high) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = low + (high - low) * random.next();
  return values;
}

ValueId random_fact(Program& program, std::uint32_t rows, Shape shape, std::uint32_t seed,
                    double low, double high) {
  return program.fact(random_values(rows * shape.size(), seed, low, high), rows, shape);
}

std::unique_ptr<Executable> compile_torch(const Program& program, bool keep_values) {
  ExecutionOptions options;
  options.device = test_device();
  options.keep_values = keep_values;
  auto executable = torch_backend().compile(program, options);
  EXPECT_TRUE(executable) << executable.error().text();
  return executable ? std::move(*executable) : nullptr;
}

void expect_agreement_in(DType dtype, const std::string& name,
                         const std::function<void(Program&)>& build) {
  SCOPED_TRACE(name + " in " + std::string(text_of(dtype)));
  check_dtype(dtype, build);
}

void expect_agreement(const std::string& name, const std::function<void(Program&)>& build) {
  expect_agreement_in(DType::F64, name, build);
  expect_agreement_in(DType::F32, name, build);
}

void expect_outputs_agree(const Program& program) {
  const auto interpreter = interpreter_backend().compile(program, {});
  ASSERT_TRUE(interpreter) << interpreter.error().text();
  ASSERT_TRUE((*interpreter)->run());
  const auto expected = (*interpreter)->outputs();
  ASSERT_TRUE(expected) << expected.error().text();
  for (const TorchReduce reduce :
       {TorchReduce::Auto, TorchReduce::Segment, TorchReduce::Scatter, TorchReduce::SpMM}) {
    SCOPED_TRACE(text_of(reduce));
    ExecutionOptions options;
    options.device = test_device();
    options.torch_reduce = reduce;
    const auto torch = torch_backend().compile(program, options);
    ASSERT_TRUE(torch) << torch.error().text();
    const auto run = (*torch)->run();
    ASSERT_TRUE(run) << run.error().text();
    const auto found = (*torch)->outputs();
    ASSERT_TRUE(found) << found.error().text();
    ASSERT_EQ(found->size(), expected->size());
    for (std::size_t s = 0; s < found->size(); ++s) {
      for (std::size_t i = 0; i < (*expected)[s].value.size(); ++i) {
        ASSERT_TRUE(agree((*found)[s].value[i], (*expected)[s].value[i],
                          program.dtype() == DType::F64 ? 1e-12 : 1e-5))
            << "sample " << s << ", element " << i;
      }
    }
  }
}

}  // namespace vecc::test
