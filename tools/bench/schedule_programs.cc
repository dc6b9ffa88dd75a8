#include "schedule_programs.h"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <utility>

namespace vecc::tools {
namespace {

using Rows = std::vector<std::uint32_t>;

class ShapedProgram {
 public:
  explicit ShapedProgram(const ScheduleShape& shape) : shape_(shape) {}

  Program make() && {
    program_.set_sample_count(1);
    const std::uint32_t rows = shape_.groups * shape_.rows;
    const std::vector<double> numbers(std::uint64_t{rows} * shape_.width, 0.5);
    ValueId x = program_.fact(numbers, rows, Shape::column(shape_.width));
    for (std::uint32_t part = 0; part <= shape_.joins; ++part) {
      if (part > 0) x = join_groups(x);
      for (std::uint32_t layer = 0; layer < shape_.layers; ++layer) x = add_layer(x);
    }
    ValueId result = program_.gather(x, Index::slice(0, 1));
    const ValueId column = result;
    for (std::uint32_t sum = 0; sum < shape_.sums; ++sum) {
      result = add(result, program_.linear(add_matrices(shift(x, sum)), column));
    }
    program_.output(result, Index::slice(0, 1));
    return std::move(program_);
  }

 private:
  ValueId add(ValueId a, ValueId b) {
    return program_.map(*parse_expr("sum($0, $1)", "a sum"), std::array{a, b});
  }

  static Segments of_length(std::uint32_t segments, std::uint32_t length) {
    Rows offsets(segments + 1);
    for (std::uint32_t s = 0; s <= segments; ++s) offsets[s] = s * length;
    return Segments::ragged(std::move(offsets));
  }

  ValueId add_layer(ValueId x) {
    if (shape_.has_products) x = multiply(x);
    ValueId sum = add_branch(x, 0);
    for (std::uint32_t branch = 1; branch < shape_.branches; ++branch) {
      sum = add(sum, add_branch(x, branch));
    }
    return sum;
  }

  ValueId add_branch(ValueId x, std::uint32_t branch) {
    constexpr std::array<Transformation, kMostBranches> kFunctions{
        Transformation::Tanh, Transformation::Sigmoid, Transformation::Relu, Transformation::Abs};
    TransformationSpec function;
    function.id = kFunctions[branch];
    const ValueId sums =
        program_.segment(program_.gather(x, Index::list(neighbours())),
                         of_length(shape_.groups * shape_.rows, 2), Combination::Sum);
    return program_.transform(sums, function);
  }

  ValueId shift(ValueId x, std::uint32_t by) {
    return program_.map(*parse_expr(fmt::format("sum($0, {})", by + 1), "a shift"), std::array{x});
  }

  // Of each group the sum of its rows' outer products with themselves; those of all groups added
  // up.
  ValueId add_matrices(ValueId x) {
    Rows groups;
    for (std::uint32_t row = 0; row < shape_.groups * shape_.rows; ++row) {
      groups.push_back(row / shape_.rows);
    }
    const auto matrices = program_.add(ContractOp{Index::list(std::move(groups)), shape_.groups,
                                                  Shape(shape_.width, shape_.width)},
                                       {x, x});
    VECC_CHECK(matrices.has_value(), "a contract of columns");
    return program_.segment(*matrices, of_length(1, shape_.groups), Combination::Sum);
  }

  ValueId multiply(ValueId x) {
    const std::uint64_t size = std::uint64_t{shape_.width} * shape_.width;
    const ValueId matrix = program_.fact(std::vector<double>(size, 0.5 / shape_.width), 1,
                                         Shape(shape_.width, shape_.width));
    LinearOp linear;
    linear.lift_left = {Lift::Kind::Repeat, shape_.groups * shape_.rows};
    return program_.linear(matrix, x, linear);
  }

  // By row itself and the next one of its group, around.
  [[nodiscard]] Rows neighbours() const {
    Rows rows;
    for (std::uint32_t row = 0; row < shape_.groups * shape_.rows; ++row) {
      const std::uint32_t first = row / shape_.rows * shape_.rows;
      rows.push_back(row);
      rows.push_back(first + (row - first + 1) % shape_.rows);
    }
    return rows;
  }

  // A row of each group, added up, and that added to all rows.
  ValueId join_groups(ValueId x) {
    Rows firsts(shape_.groups);
    for (std::uint32_t g = 0; g < shape_.groups; ++g) firsts[g] = g * shape_.rows;
    const ValueId all = program_.segment(program_.gather(x, Index::list(std::move(firsts))),
                                         of_length(1, shape_.groups), Combination::Avg);
    return add(x, all);
  }

  ScheduleShape shape_;
  Program program_;
};

}  // namespace

std::string text_of(const ScheduleShape& shape) {
  const auto several = [](std::uint32_t count, const char* what) {
    return count == 0 ? std::string() : fmt::format(", {} {}", count, what);
  };
  return fmt::format("{} layers of {}{}{}{}, {}x{}x{}", shape.layers * (shape.joins + 1),
                     shape.branches, shape.has_products ? " with products" : "",
                     several(shape.joins, "joins"), several(shape.sums, "sums"), shape.groups,
                     shape.rows, shape.width);
}

Program make_schedule_program(const ScheduleShape& shape) {
  return ShapedProgram(shape).make();
}

std::vector<ScheduleShape> schedule_shapes(std::uint32_t multiprocessors, std::uint32_t most_rows) {
  std::vector<ScheduleShape> shapes;
  const auto add = [&](const ScheduleShape& shape) {
    if (std::uint64_t{shape.groups} * shape.rows <= most_rows) shapes.push_back(shape);
  };
  for (const std::uint32_t rows : {4u, 64u, 512u}) {
    ScheduleShape shape{.groups = multiprocessors, .rows = rows};
    for (const std::uint32_t layers : {1u, 4u, 12u}) {
      for (const std::uint32_t branches : {1u, kMostBranches}) {
        shape.layers = layers;
        shape.branches = branches;
        add(shape);
      }
    }
  }
  for (const std::uint32_t rows : {4u, 64u}) {
    for (const std::uint32_t joins : {1u, 2u, 4u}) {
      add({.layers = 2, .joins = joins, .groups = multiprocessors, .rows = rows});
    }
  }
  for (const std::uint32_t rows : {16u, 64u}) {
    for (const std::uint32_t sums : {1u, kMostBranches}) {
      add({.layers = 3, .groups = multiprocessors, .rows = rows, .sums = sums});
    }
  }
  for (const std::uint32_t rows : {16u, 64u}) {
    for (const std::uint32_t width : {8u, 32u}) {
      for (const std::uint32_t layers : {2u, 6u}) {
        add({.layers = layers,
             .groups = multiprocessors,
             .rows = rows,
             .width = width,
             .has_products = true});
      }
    }
  }
  return shapes;
}

}  // namespace vecc::tools
