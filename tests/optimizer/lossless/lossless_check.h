// What must hold of the optimizer on every Program: the result is well formed, outputs and
// gradients stay, passes tell the truth, and a second run of one finds nothing to do.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "vecc/neuron_graph.h"
#include "vecc/optimize.h"

namespace vecc::test {

/// One way to run the optimizer.
struct Setting {
  std::string name;  ///< "alone: drop-dead", "-O1", "-O2 margin_L"
  OptimizeOptions options;
  bool idempotent = false;     ///< another run changes nothing
  bool differentiated = true;  ///< runs on a Program with derivatives
};

/// Its name, for GoogleTest.
void PrintTo(const Setting& setting, std::ostream* out);

/// Every pass alone (lift-gathers with every preset, pad-linear with every mode), -O1, -O2, and -O2
/// with every preset.
[[nodiscard]] std::vector<Setting> all_settings();
/// These passes, one after another.
[[nodiscard]] Setting setting_of_passes(std::vector<std::string> names);

struct NamedProgram {
  std::string name;
  Program program;
};

/// VECC_FULL=1: everything, not a sample.
[[nodiscard]] bool full_list();
/// How many cases of a kind: all of them, what CI tests, or a quarter of that under sanitizers,
/// where each takes ten times as long.
[[nodiscard]] std::uint64_t case_count(std::uint64_t all, std::uint64_t sample);
/// A large Program takes seconds a setting: without the full list one preset of each kind shows
/// what they share, and under sanitizers the levels show that every pass runs.
[[nodiscard]] bool is_in_sample(const NamedProgram& program, const Setting& setting);

/// As the vectorizer makes it.
[[nodiscard]] NamedProgram vectorized(std::string name, const NeuronGraph& graph);

/// What is wrong with `program` after `setting`, or "". Outputs and gradients (if there is no
/// update) may differ by 1e-9 relative to the larger of 1 and the value before.
[[nodiscard]] std::string check_lossless(const NamedProgram& program, const Setting& setting);

}  // namespace vecc::test
