// Where the converted dumps and the data sets are.
#pragma once

#include <string>
#include <vector>

namespace vecc::test {

struct GoldenFile {
  std::string name;       ///< micro-base
  std::string graph;      ///< path of the .pb
  std::string expected;   ///< path of the .expected
  std::string gradients;  ///< path of the .gradients
};

/// The environment's VECC_GOLDEN_DIR, else `golden` in the build folder, where the test
/// convert_golden puts them.
[[nodiscard]] std::string golden_folder();
/// The graphs there, by name; empty if there are none.
[[nodiscard]] std::vector<GoldenFile> list_golden_files();
/// How many dumps of neurons `../shared/golden` has; 0 if it is not there.
[[nodiscard]] std::size_t count_dumps();
/// `datasets` in the source folder (the environment's VECC_SOURCE_DIR, else here).
[[nodiscard]] std::string datasets_folder();
/// Whether missing files are a failure: in continuous integration (CI=true).
[[nodiscard]] bool files_are_required();

}  // namespace vecc::test
