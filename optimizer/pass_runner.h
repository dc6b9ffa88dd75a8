// Runs passes one after another and does for each what all need: time, statistics, checks.
#pragma once

#include <span>
#include <vector>

#include "optimizer/pipeline.h"

namespace vecc::opt {

class PassRunner {
 public:
  /// `watched`: the caller's observers are called and every pass is checked as `options` ask.
  /// `before`: statistics of the Program that run() is first given.
  PassRunner(const OptimizeOptions& options, const GatherPreset& preset, PadMode pad_mode,
             bool watched, const ProgramStatistics& before)
      : options_(options),
        context_(options, preset, pad_mode),
        watched_(watched),
        statistics_(before) {}

  /// Errors: those of OptimizeOptions::observe; BadPass.
  [[nodiscard]] Result<void> run(std::span<const Pass* const> passes, Program& program);
  /// Of the Program as the last pass left it.
  [[nodiscard]] const ProgramStatistics& statistics() const { return statistics_; }
  /// Whether a pass has run and changed the Program.
  [[nodiscard]] bool has_changed(const Pass& pass) const;
  /// The runs so far, in order.
  [[nodiscard]] std::vector<PassRun> take_runs() { return std::move(runs_); }

 private:
  Result<void> run_one(const Pass& pass, Program& program);

  const OptimizeOptions& options_;
  PassContext context_;
  bool watched_;
  ProgramStatistics statistics_;
  std::vector<PassRun> runs_;
};

}  // namespace vecc::opt
