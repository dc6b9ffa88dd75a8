#include "optimizer/pass_runner.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/support/timed_stage.h"

namespace vecc::opt {
namespace {

// The Program's ops through the checks of its builders, then verify().
Result<void> check_rules(const Program& program) {
  Program again(program.dtype());
  again.set_sample_count(program.sample_count());
  for (const Parameter& parameter : program.parameters()) {
    VECC_TRY_VOID(again.add_parameter(parameter));
  }
  for (const Op& op : program.ops()) VECC_TRY_VOID(again.add(op.attributes, op.operands));
  return verify(program);
}

Result<void> check_pass(const PassRun& run, const Program& before, const Program& after) {
  if ((fingerprint(before) != fingerprint(after)) != run.changed) {
    return Errors(ErrorCode::BadPass, "pass " + run.pass,
                  run.changed ? "says that it changed the program, but did not"
                              : "changed the program without saying so");
  }
  const Result<void> rules = check_rules(after);
  if (rules) return {};
  return Errors(ErrorCode::BadPass, "pass " + run.pass,
                "leaves a program that breaks a rule: " + rules.error().text());
}

}  // namespace

Result<void> PassRunner::run(std::span<const Pass* const> passes, Program& program) {
  for (const Pass* pass : passes) VECC_TRY_VOID(run_one(*pass, program));
  return {};
}

bool PassRunner::has_changed(const Pass& pass) const {
  return std::ranges::any_of(
      runs_, [&](const PassRun& run) { return run.changed && run.pass == pass.info.name; });
}

Result<void> PassRunner::run_one(const Pass& pass, Program& program) {
  if (options_.before_pass) options_.before_pass();
  if (watched_ && options_.announce) options_.announce(pass.info.name, program);
  const bool verifies = watched_ && options_.verify_each;
  const bool observes = watched_ && options_.observe != nullptr;
  const Program before = verifies || observes ? program : Program();
  PassRun run;
  run.pass = pass.info.name;
  run.before = statistics_;
  const TimedStage stage("pass " + run.pass);
  const auto start = std::chrono::steady_clock::now();
  run.changed = pass.run(program, context_);
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  context_.end_pass(run.changed);
  if (run.changed) statistics_ = vecc::statistics(program);
  run.after = statistics_;
  run.counters = context_.take_counters();
  if (verifies) VECC_TRY_VOID(check_pass(run, before, program));
  if (observes) VECC_TRY_VOID(options_.observe(run, before, program));
  runs_.push_back(std::move(run));
  return {};
}

}  // namespace vecc::opt
