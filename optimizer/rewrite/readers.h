// The readers of each value of a Program.
#pragma once

#include <span>
#include <vector>

#include "vecc/program.h"

namespace vecc::opt {

class Readers {
 public:
  explicit Readers(const Program& program);
  /// The ops that read `value`, ascending; one that reads it twice is there twice.
  [[nodiscard]] std::span<const ValueId> of(ValueId value) const {
    return std::span(readers_).subspan(begin_[value], begin_[value + 1] - begin_[value]);
  }
  /// The one op that reads `value`, once; kNoValue if there are none or several.
  [[nodiscard]] ValueId only(ValueId value) const;

 private:
  std::vector<std::size_t> begin_;
  std::vector<ValueId> readers_;
};

}  // namespace vecc::opt
