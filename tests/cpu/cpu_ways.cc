// The cpu backend as what tests/backends tests.
#include "backends/cpu/cpu_backend.h"
#include "tests/backends/program_check.h"

namespace vecc::test {

const std::vector<Way>& tested_ways() {
  static const std::vector<Way> ways = {
      {.name = "cpu", .backend = &cpu_backend(), .options = {}, .is_costly = true}};
  return ways;
}

}  // namespace vecc::test
