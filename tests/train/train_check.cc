#include "tests/train/train_check.h"

#include <algorithm>
#include <cmath>

namespace vecc::test {

void on_each_backend(const std::function<void(const Backend&)>& check) {
  for (const Backend* backend : backends()) {
    if (!backend->available({Device::Kind::Cpu, 0})) continue;
    SCOPED_TRACE(std::string(backend->name()));
    check(*backend);
  }
}

std::unique_ptr<Executable> compile_on(const Backend& backend, const Program& program,
                                       ExecutionOptions options) {
  options.device = {Device::Kind::Cpu, 0};
  return value_of(backend.compile(program, options));
}

ValueId add_weight(Program& program, const std::string& name, std::uint32_t rows, Shape shape,
                   std::vector<double> values) {
  return program.weight(value_of(program.add_parameter(
      {name, rows, shape, std::make_shared<const std::vector<double>>(std::move(values))})));
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
