// Where NeuraLogic's value is not what mathematics gives (vecc follows mathematics). Each entry
// names a file and its neurons; nothing else may differ.
#pragma once

#include <string>
#include <string_view>

#include "tests/agreement/expected_values.h"

namespace vecc::test {

/// Replaces NeuraLogic's values by the right ones in the files that have a known difference. Throws
/// std::runtime_error if NeuraLogic's values are not the known wrong ones.
void apply_known_differences(std::string_view file, ExpectedValues& expected);

}  // namespace vecc::test
