// One random well-formed op at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/support/random_source.h"
#include "vecc/program.h"

namespace vecc::test {

/// Adds ops to a program; operands that fit are made as facts where no value does.
class RandomOps {
 public:
  RandomOps(RandomSource& random, Program& program) : random_(random), program_(program) {}

  void add_fact();
  void add_weight();
  void add_concat();
  void add_gather();
  void add_linear();
  void add_segment();
  void add_transform();
  void add_map();
  void add_contract();
  void add_vjp();
  void add_draw();
  void add_take();
  void add_sum_equal();
  void add_scatter_sum();
  void add_update_of_row_numbers();
  void add_state_and_update();
  /// Any of these without indices that are values.
  void add_any();
  /// Any with.
  void add_row_numbers();

 private:
  ValueId add(OpAttributes attributes, const Operands& operands);
  ValueId add_fact(std::uint32_t rows, Shape shape);
  ValueId any_value() { return random_.below(program_.ops().size()); }
  double any_number();
  std::vector<double> any_numbers(std::uint64_t count);
  Shape any_shape();
  std::string any_name();
  std::uint32_t any_rows();
  ValueId add_draw(std::uint32_t rows, std::uint32_t bound);
  // `count` scalars, each a row's number below `rows`; none if there is no row.
  ValueId any_row_numbers(std::uint32_t rows, std::uint32_t count);
  ValueId fact_of_numbers(std::uint32_t rows, std::uint32_t count);
  std::optional<ValueId> known_numbers(std::uint32_t rows, std::uint32_t count);
  // That the value holds whole numbers below the bound.
  ValueId note_numbers(ValueId value, std::uint32_t bound);
  Index any_index(std::uint32_t bound);
  Index any_list(std::uint32_t bound, std::uint32_t count);
  Segments any_segments(std::uint32_t rows, bool needs_members);
  std::uint32_t any_divisor(std::uint32_t rows);
  // A weight's shape W so that W times `x` exists, not larger than 3 rows.
  Shape any_weight_for(Shape x);
  std::optional<Words> any_words(Transformation id, Shape shape);
  Expr any_expr(std::vector<Shape>& shapes);

  RandomSource& random_;
  Program& program_;
  std::uint32_t names_ = 0;
  struct Numbers {
    ValueId value = 0;
    std::uint32_t bound = 0;
  };
  std::vector<Numbers> numbers_;
};

}  // namespace vecc::test
