// Runs passes one after another and does for each what all need: time, statistics, checks.
#pragma once

#include <span>
#include <vector>

#include "optimizer/pipeline.h"

namespace vecc::opt {

class PassRunner {
 public:
  /// `watched`: the caller's observers are called and every pass is checked as `options` ask.
  PassRunner(const OptimizeOptions& options, const GatherPreset& preset, PadMode pad_mode,
             bool watched)
      : options_(options), context_(options, preset, pad_mode), watched_(watched) {}

  /// Errors: those of OptimizeOptions::observe; BadPass.
  [[nodiscard]] Result<void> run(std::span<const Pass* const> passes, Program& program);
  /// The runs so far, in order.
  [[nodiscard]] std::vector<PassRun> take_runs() { return std::move(runs_); }

 private:
  Result<void> run_one(const Pass& pass, Program& program);

  const OptimizeOptions& options_;
  PassContext context_;
  bool watched_;
  std::vector<PassRun> runs_;
};

}  // namespace vecc::opt
