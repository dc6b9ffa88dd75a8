// The optimizer's command line, the same in vecc and vecc-opt, and what it prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vecc/optimize.h"

namespace CLI {
class App;
}  // namespace CLI

namespace vecc::tools {

struct OptimizeSettings {
  OptimizeOptions options;
  std::vector<std::string> print_before;  ///< names of passes
  std::vector<std::string> print_after;
  bool print_after_all = false;
  bool time_passes = false;
  bool pass_statistics = false;
  bool check = false;      ///< compare outputs and gradients around every pass
  bool check_iso = false;  ///< around iso-compress only
};

/// Adds -O, --passes, --disable-pass, --gather-preset, --pad, --print-ir-..., --verify-each,
/// --time-passes, --pass-statistics, --check, --check-iso. `level` is -O's default.
void add_optimize_options(CLI::App& app, OptimizeSettings& settings, std::uint32_t level);

/// What CLI11's own checks do not see: names of passes. Empty if all is well.
[[nodiscard]] std::string check_optimize_settings(const OptimizeSettings& settings);

/// optimize() with everything that was asked for beside it on stderr. A pass that breaks the
/// program, or changes what it computes, is named, and the program before it is printed. Errors:
/// those of optimize() and compare_programs().
[[nodiscard]] Result<Program> run_optimizer(Program program, const OptimizeSettings& settings,
                                            OptimizeReport& report);

/// A line a pass: seconds, ops, rows, bytes before and after; with `counters`, what it counted.
[[nodiscard]] std::string text_of(const OptimizeReport& report, bool counters);
[[nodiscard]] nlohmann::ordered_json json_of(const OptimizeReport& report);

}  // namespace vecc::tools
