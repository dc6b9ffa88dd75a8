#include "tests/backends/program_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "backends/reference/program_interpreter.h"
#include "tests/backends/gradient_check.h"
#include "tests/support/sanitized.h"

namespace vecc::test {
namespace {

bool takes_all() {
  return !tested_ways().front().is_costly || std::getenv("VECC_FULL") != nullptr;
}

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

double tolerance_of(const Program& program) {
  return program.dtype() == DType::F64 ? 1e-12 : 1e-5;
}

std::unique_ptr<Executable> run_interpreter(const Program& program) {
  ExecutionOptions options;
  options.keep_values = true;
  auto interpreter = reference::interpreter_backend().compile(program, options);
  EXPECT_TRUE(interpreter) << interpreter.error().text();
  EXPECT_TRUE((*interpreter)->run());
  return std::move(*interpreter);
}

void check_released_run(const Program& program) {
  const auto kept = compile_tested(program);
  const auto released = compile_tested(program, /*keep_values=*/false);
  ASSERT_TRUE(kept != nullptr && released != nullptr);
  ASSERT_TRUE(kept->run() && released->run());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (program.op(id).kind() != OpKind::Output) continue;
    const auto value = released->read(id);
    ASSERT_TRUE(value) << value.error().text();
    EXPECT_TRUE(equal_bits(*value, *kept->read(id)));
  }
}

}  // namespace

bool agree(double found, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  return std::abs(found - expected) <= tolerance * std::max(1.0, std::abs(expected));
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

bool equal_bits(const std::vector<double>& first, const std::vector<double>& second) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return std::ranges::equal(first, second, {}, bits, bits);
}

std::unique_ptr<Executable> compile_tested(const Program& program, bool keep_values) {
  const Way& way = tested_ways().front();
  ExecutionOptions options = way.options;
  options.keep_values = keep_values;
  auto executable = way.backend->compile(program, options);
  EXPECT_TRUE(executable) << executable.error().text();
  return executable ? std::move(*executable) : nullptr;
}

std::uint64_t seeds_of(std::uint64_t all) {
  constexpr std::uint64_t kFewer = kSanitized ? 60 : 15;
  return takes_all() ? all : (all + kFewer - 1) / kFewer;
}

void expect_values_agree(const Program& program) {
  const auto expected = read_all(*run_interpreter(program), program);
  const auto executable = compile_tested(program);
  ASSERT_NE(executable, nullptr);
  const auto run = executable->run();
  ASSERT_TRUE(run) << run.error().text();
  const auto first = read_all(*executable, program);
  compare_all(program, first, expected, tolerance_of(program));
  ASSERT_TRUE(executable->run());
  const auto second = read_all(*executable, program);
  for (std::size_t id = 0; id < first.size(); ++id) EXPECT_TRUE(equal_bits(first[id], second[id]));
}

void expect_agreement_in(DType dtype, const std::string& name,
                         const std::function<void(Program&)>& build) {
  SCOPED_TRACE(name + " in " + std::string(text_of(dtype)));
  Program program(dtype);
  build(program);
  expect_values_agree(program);
  const bool is_costly = tested_ways().front().is_costly;
  if (!is_costly) check_released_run(program);
  if (!is_costly || dtype == DType::F64) expect_gradient_agreement(learn_facts(program));
}

void expect_agreement(const std::string& name, const std::function<void(Program&)>& build) {
  static std::uint32_t cases = 0;
  const std::uint32_t number = cases++;
  if (kSanitized && !takes_all() && number % 4 != 0) return;
  // A multiple of an odd number: no pattern of the cases has always the same dtype.
  const bool is_single = (number * 2654435761u >> 16 & 1) != 0;
  if (takes_all() || !is_single) expect_agreement_in(DType::F64, name, build);
  if (takes_all() || is_single) expect_agreement_in(DType::F32, name, build);
}

void expect_outputs_agree(const Program& program) {
  const auto expected = run_interpreter(program)->outputs();
  ASSERT_TRUE(expected) << expected.error().text();
  for (const Way& way : tested_ways()) {
    SCOPED_TRACE(way.name);
    const auto executable = way.backend->compile(program, way.options);
    ASSERT_TRUE(executable) << executable.error().text();
    const auto run = (*executable)->run();
    ASSERT_TRUE(run) << run.error().text();
    const auto found = (*executable)->outputs();
    ASSERT_TRUE(found) << found.error().text();
    ASSERT_EQ(found->size(), expected->size());
    for (std::size_t s = 0; s < found->size(); ++s) {
      for (std::size_t i = 0; i < (*expected)[s].value.size(); ++i) {
        ASSERT_TRUE(agree((*found)[s].value[i], (*expected)[s].value[i], tolerance_of(program)))
            << "sample " << s << ", element " << i;
      }
    }
  }
}

}  // namespace vecc::test
