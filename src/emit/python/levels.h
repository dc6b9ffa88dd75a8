// Runs of equal lines, which become loops: the levels of a recursion.
//
//   sum_5 = segment_sum(tanh_4, self.segment_5, 6)         for level in range(3):
//   tanh_6 = torch.tanh(sum_5)                        =>       sum_5 = segment_sum(tanh_6, ...)
//   sum_7 = segment_sum(tanh_6, self.segment_5, 6)             tanh_6 = torch.tanh(sum_5)
//   ...
#pragma once

#include <cstdint>
#include <vector>

#include "src/emit/python/buffers.h"
#include "src/emit/python/code.h"

namespace vecc::python {

/// Statements first .. first + period * times - 1: `period` lines, once or in a loop. A line of a
/// loop reads what its own level made, what the level before made, or what no level makes; its
/// buffers are the same in all levels, or of one type and shape.
struct Levels {
  std::size_t first = 0;
  std::size_t period = 1;
  std::size_t times = 1;

  [[nodiscard]] bool is_loop() const { return times > 1; }
  [[nodiscard]] std::size_t end() const { return first + period * times; }
};

inline constexpr std::size_t kNoStatement = 0xFFFFFFFF;

/// By name: the statement that makes it.
[[nodiscard]] std::vector<std::size_t> statements_of_names(const std::vector<Statement>& statements,
                                                           std::size_t name_count);

/// All statements in order: loops, and single lines between them.
[[nodiscard]] std::vector<Levels> find_levels(const std::vector<Statement>& statements,
                                              const std::vector<std::size_t>& made_at,
                                              const Buffers& buffers);

}  // namespace vecc::python
