#include "tests/torch/grouped_programs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include "tests/torch/torch_check.h"

namespace vecc::test {

Numbers random_rows(std::uint32_t count, std::uint32_t bound, std::uint32_t seed, int skew) {
  Numbers result;
  for (const double value : random_values(count, seed, 0, 1)) {
    double skewed = value;
    for (int i = 1; i < skew; ++i) skewed *= value;
    result.push_back(static_cast<std::uint32_t>(skewed * bound));
  }
  return result;
}

ValueId random_weight(Program& program, std::uint32_t rows, Shape shape) {
  const auto number = static_cast<std::uint32_t>(program.parameters().size());
  const auto values = SharedNumbers::of(random_values(rows * shape.size(), number + 1));
  const auto parameter = program.add_parameter({"w" + std::to_string(number), rows, shape, values});
  EXPECT_TRUE(parameter);
  return program.weight(*parameter);
}

void add_output(Program& program, ValueId value) {
  const std::uint32_t before = program.sample_count();
  const std::uint32_t rows = program.op(value).rows;
  program.set_sample_count(before + rows);
  program.output(value, Index::slice(before, rows));
}

AddressSpaceLimit::AddressSpaceLimit(std::uint64_t bytes) {
  EXPECT_EQ(getrlimit(RLIMIT_AS, &before_), 0);
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit = before_;
  limit.rlim_cur = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
  EXPECT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
}

AddressSpaceLimit::~AddressSpaceLimit() {
  setrlimit(RLIMIT_AS, &before_);
}

}  // namespace vecc::test
