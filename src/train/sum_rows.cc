#include "src/train/sum_rows.h"

#include <utility>

namespace vecc::training {

ValueId sum_rows(Program& program, ValueId value) {
  const std::uint32_t rows = program.op(value).rows;
  if (rows == 1) return value;
  Segments all = rows > 0 ? Segments::fixed(rows) : Segments::ragged({0, 0});
  return program.segment(value, std::move(all), Combination::Sum);
}

}  // namespace vecc::training
