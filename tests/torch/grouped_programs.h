// Programs with many products by type, and a limit that copies of their matrices would break.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <vector>

#include "vecc/program.h"

namespace vecc::test {

using Numbers = std::vector<std::uint32_t>;

/// `count` numbers below `bound`, in no order, the same for the same seed. `skew` above 1: most of
/// them are few of these, many occur never.
[[nodiscard]] Numbers random_rows(std::uint32_t count, std::uint32_t bound, std::uint32_t seed,
                                  int skew = 1);

/// A new parameter.
ValueId random_weight(Program& program, std::uint32_t rows, Shape shape);

/// All rows, as samples after those that there are.
void add_output(Program& program, ValueId value);

/// Lowers the limit of the address space to `bytes` more than is taken now.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit(std::uint64_t bytes);
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;
  ~AddressSpaceLimit();

 private:
  rlimit before_{};
};

}  // namespace vecc::test
