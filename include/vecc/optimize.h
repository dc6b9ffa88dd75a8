// Optimizer: Program to Program, by an ordered list of passes (optimizer/pipeline.cc) that change
// what is computed how often and in which order, never the outputs or the gradients.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vecc/cost.h"
#include "vecc/error.h"
#include "vecc/program.h"

namespace vecc {

/// Where pad-linear may add rows that are never read.
enum class PadMode : std::uint8_t {
  Never,
  Sided,  ///< so that one side of a linear repeats
  Full,   ///< all pairs of the two sides' rows
  Any,
};
/// Parses never, sided, full, any. Error: Usage.
[[nodiscard]] Result<PadMode> parse_pad_mode(std::string_view text);
[[nodiscard]] std::string_view text_of(PadMode mode);

/// How far lift-gathers goes. A lift that makes `old` rows `new` rows is free if
/// new <= old + margin, or 1 - old/new <= rate (rate 0: never by rate).
struct GatherPreset {
  static constexpr std::uint32_t kUnlimited = 0xFFFFFFFF;
  std::string_view name;
  std::uint32_t margin = 0;
  double rate = 0;
  /// Lifts that are not free, in a row on one chain.
  std::uint32_t chain_depth = 0;
  /// Runs before broadcast-linear instead of after it.
  bool before_broadcast = false;
  /// Goes through a linear of which one side is lifted.
  bool through_broadcasts = true;
};
/// All 18, from the most careful to the boldest.
[[nodiscard]] std::span<const GatherPreset> gather_presets();
[[nodiscard]] const GatherPreset* find_gather_preset(std::string_view name);

/// A pass as its users see it; what it does exactly stands in optimizer/passes/NAME.cc.
struct PassInfo {
  std::string_view name;
  std::string_view does;    ///< one line
  std::uint32_t level = 0;  ///< the lowest -O that runs it
  /// May run on a Program with derivatives (contract, vjp, state, update) or indices that are
  /// values.
  bool differentiated = false;
  /// Why running it twice may change more than once; empty: it is idempotent.
  std::string_view not_idempotent;
};
/// Every pass, in the order in which the pipeline first runs it.
[[nodiscard]] std::span<const PassInfo> passes();
[[nodiscard]] const PassInfo* find_pass(std::string_view name);

/// One run of a pass.
struct PassRun {
  std::string pass;
  bool changed = false;
  double seconds = 0;
  ProgramStatistics before;
  ProgramStatistics after;
  /// What the pass counted, in the order in which it first named each.
  std::vector<std::pair<std::string, std::uint64_t>> counters;
};
/// A preset and a padding that -O2 or -O3 looked at.
struct Candidate {
  std::string gather_preset;
  PadMode pad_mode = PadMode::Never;
  double predicted_seconds = 0;
  std::optional<double> measured_seconds;
};
struct OptimizeReport {
  std::vector<PassRun> runs;
  std::string gather_preset;  ///< the one that was used
  PadMode pad_mode = PadMode::Never;
  std::vector<Candidate> candidates;  ///< empty if nothing was to choose
};

struct OptimizeOptions {
  std::uint32_t level = 2;
  /// Exactly these passes in this order, instead of the level's.
  std::optional<std::vector<std::string>> passes;
  std::vector<std::string> disabled;
  /// Empty: level 2 chooses by cost, level 3 by measuring.
  std::string gather_preset;
  std::optional<PadMode> pad_mode;
  CostCoefficients cost = default_coefficients(Runner::Cpu);
  /// Level 3: seconds that a run of a Program takes on the device; without it level 3 is level 2.
  std::function<Result<double>(const Program& program)> measure;
  /// Of iso-compress's fingerprints.
  std::uint64_t seed = 1;
  /// That make them, tell equal rows apart and write terms out where rows are many, at most 64; 0:
  /// as many as the machine has. The result is the same for any number.
  std::uint32_t threads = 0;
  /// verify() and every op's own rules after each pass (else: once, at the end).
  bool verify_each = false;
  /// Called after each pass that ran; an error ends the optimization and names the pass.
  std::function<Result<void>(const PassRun& run, const Program& before, const Program& after)>
      observe;
  /// Called before each pass that will run and whose result will be taken. Passes whose result may
  /// not be taken run again then, once it is known which are: about twice the time.
  std::function<void(std::string_view pass, const Program& before)> announce;
  /// Called before each pass: what it throws ends the optimization.
  std::function<void()> before_pass;
};

/// Errors: Usage (unknown pass, preset or level), those of `observe` and `measure`, BadPass (a pass
/// broke a rule of the Program, or lied about having changed it; names the pass).
[[nodiscard]] Result<Program> optimize(Program program, const OptimizeOptions& options = {},
                                       OptimizeReport* report = nullptr);

/// 128 bits of what a Program is: ops, operands, shapes, indices and their forms, functions,
/// constant values, parameter names and shapes; not of parameters' values or notes. Stable from run
/// to run and from machine to machine.
struct Fingerprint {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Fingerprint&) const = default;
  /// 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] Fingerprint fingerprint(const Program& program);

}  // namespace vecc
