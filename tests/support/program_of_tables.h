// A program whose tables are of several sizes, read by few and by many.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "vecc/program.h"

namespace vecc::test {

// Two rows of `cold` and all rows of `hot` are read, and those of a fact of its own groups.
inline Program program_of_tables() {
  Program program;
  program.set_sample_count(4);
  const auto table = [&](const char* name, std::uint32_t rows) {
    auto values = SharedNumbers::repeated(rows * 8, 0.5);
    return program.weight(
        *program.add_parameter({name, rows, Shape::column(8), std::move(values)}));
  };
  const ValueId cold = program.gather(table("cold", 1000), Index::list({7, 7, 900, 900}));
  const ValueId hot = program.gather(table("hot", 4), Index::list({3, 1, 2, 0}));
  const ValueId fact =
      program.fact(std::vector<double>(32, 2.0), 4, Shape::column(8), Note("features/0"));
  const ValueId operands[] = {cold, hot, fact};
  program.output(program.map(*parse_expr("sum($0, $1, $2)", "test"), operands), Index::slice(0, 4));
  return program;
}

}  // namespace vecc::test
