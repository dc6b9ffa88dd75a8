// Values that may be infinite or NaN though every weight is a number: a constant of theirs is, or a
// function has a pole (log, inverse) or overflows (exp). What holds of numbers in any order does
// not hold of these: no comparison with NaN is true, so a selection among them depends on the order
// of its members, and 0 times them is not 0 (docs/non-finite.md). Sums and products of numbers that
// overflow are not counted.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "vecc/program.h"

namespace vecc::opt {

/// Whether a constant is infinite or NaN, or so large that products of it may be.
[[nodiscard]] bool is_doubtful(const NumberRow& constants, std::size_t count);
[[nodiscard]] bool is_doubtful(double constant);
/// Whether the result may be infinite or NaN though the arguments are numbers.
[[nodiscard]] bool makes_doubt(Transformation transformation);
[[nodiscard]] bool makes_doubt(Combination combination);

/// Of one Program, which outlives this. All values are looked at when the first is asked for.
class DoubtfulValues {
 public:
  explicit DoubtfulValues(const Program& program) : program_(program) {}
  [[nodiscard]] bool operator[](ValueId value);

 private:
  const Program& program_;
  std::optional<std::vector<bool>> doubtful_;  // by value
};

}  // namespace vecc::opt
