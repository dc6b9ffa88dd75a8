// A recursion as the vectorizer writes it: levels that share one growing buffer.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "vecc/program.h"

namespace vecc::test {

/// Levels of four rows that append to what all levels before them made, and read from all of it.
/// `all` has four rows of 2 x 1 in f64; returns the last concat.
inline ValueId append_levels(Program& program, ValueId all, std::uint32_t levels) {
  const ValueId half = program.fact({0.4, 0.3, 0.2, 0.1}, 4, Shape());
  for (std::uint32_t level = 0; level < levels; ++level) {
    const std::uint32_t rows = program.op(all).rows;
    const ValueId last = program.gather(all, Index::slice(rows - 4, 4));
    const ValueId jumps = program.gather(
        all, Index::list({rows - 1, rows / 2, rows - 2, rows / 3, rows - 1, rows - 3}));
    const ValueId sums =
        program.segment(jumps, Segments::ragged({0, 1, 3, 3, 6}), Combination::Avg);
    const ValueId next = program.map(*parse_expr("tanh(sum(product($0, $1), $2))", ""),
                                     std::vector{half, last, sums});
    all = program.concat(std::vector{all, next});
  }
  return all;
}

/// Levels over four rows, facts or the parameter "w", all rows of which are outputs.
inline Program recursive_program(std::uint32_t levels, bool learns) {
  const std::vector<double> values{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8};
  Program program(DType::F64);
  ValueId all = 0;
  if (learns) {
    auto shared = SharedNumbers::of(values);
    all = program.weight(*program.add_parameter({"w", 4, Shape::column(2), std::move(shared)}));
  } else {
    all = program.fact(values, 4, Shape::column(2));
  }
  all = append_levels(program, all, levels);
  const std::uint32_t rows = program.op(all).rows;
  program.set_sample_count(rows);
  program.output(all, Index::slice(0, rows));
  return program;
}

}  // namespace vecc::test
