// From options to passes: which run, and with which preset and padding.
#include "vecc/optimize.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "optimizer/candidates.h"
#include "optimizer/pass_runner.h"
#include "optimizer/pipeline.h"
#include "optimizer/try_candidates.h"
#include "src/program/forward.h"
#include "src/support/enum_names.h"
#include "src/support/free_memory.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

constexpr std::uint32_t kMaxLevel = 3;
// Level 3 measures what the model thinks at most this much slower than its best.
constexpr double kWorthMeasuring = 1.5;

using PassList = std::vector<const Pass*>;

std::string joined(std::string names, std::string_view name) {
  if (!names.empty()) names += ", ";
  return names.append(name);
}

const Pass* pass_named(std::string_view name) {
  const auto all = pass_table();
  const auto found = std::ranges::find_if(all, [&](const Pass& p) { return p.info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Result<const Pass*> pass_or_error(std::string_view name, std::string_view option) {
  if (const Pass* pass = pass_named(name)) return pass;
  std::string names;
  for (const PassInfo& pass : passes()) names = joined(std::move(names), pass.name);
  return Errors(ErrorCode::Usage, std::string(option),
                "no pass \"" + std::string(name) + "\"; passes: " + names);
}

Result<void> check_options(const OptimizeOptions& options, bool differentiated) {
  if (options.level > kMaxLevel) {
    return Errors(ErrorCode::Usage, "-O",
                  "no level " + std::to_string(options.level) + ", expected 0 to " +
                      std::to_string(kMaxLevel));
  }
  for (const std::string& name : options.disabled) {
    VECC_TRY_VOID(pass_or_error(name, "--disable-pass"));
  }
  for (const std::string& name : options.passes.value_or(std::vector<std::string>())) {
    VECC_TRY(const Pass* pass, pass_or_error(name, "--passes"));
    if (differentiated && !pass->info.differentiated) {
      return Errors(
          ErrorCode::Usage, "--passes",
          name + " does not run on a program with derivatives or indices that are values");
    }
  }
  if (options.gather_preset.empty() || find_gather_preset(options.gather_preset)) return {};
  std::string names;
  for (const GatherPreset& preset : gather_presets()) names = joined(std::move(names), preset.name);
  return Errors(ErrorCode::Usage, "--gather-preset",
                "no preset \"" + options.gather_preset + "\"; presets: " + names);
}

bool is_disabled(const OptimizeOptions& options, std::string_view pass) {
  return std::ranges::find(options.disabled, pass) != options.disabled.end();
}

// The passes of some steps of the pipeline that run at this level, with this preset.
PassList passes_of(std::span<const PipelineStep> steps, const OptimizeOptions& options,
                   const GatherPreset& preset, bool differentiated) {
  PassList result;
  for (const PipelineStep& step : steps) {
    if (const Pass* pass = pass_of(step, options, preset, differentiated)) result.push_back(pass);
  }
  return result;
}

class Pipeline {
 public:
  Pipeline(const OptimizeOptions& options, OptimizeReport& report, bool differentiated)
      : options_(options), report_(report), differentiated_(differentiated) {}

  Result<Program> run(Program program) {
    VECC_TRY_VOID(run_shared(program));
    const auto choices = candidates_for(options_, statistics_.rows);
    if (choices.size() == 1) return run_rest(std::move(program), choices[0], /*watched=*/true);
    const bool seen = options_.verify_each || options_.observe || options_.announce;
    VECC_TRY(auto trials, try_candidates(seen ? program : std::move(program), statistics_, choices,
                                         options_, differentiated_));
    VECC_TRY(const std::size_t best, choose(trials, choices));
    // NOLINTNEXTLINE(bugprone-use-after-move): copied above, if it was seen.
    if (seen) return run_rest(std::move(program), choices[best], /*watched=*/true);
    const auto is_best = [&](const Trial& trial) {
      return std::ranges::find(trial.choices, best) != trial.choices.end();
    };
    Trial& chosen = *std::ranges::find_if(trials, is_best);
    keep(choices[best], std::move(chosen.runs));
    return std::move(chosen.program);
  }

  Result<Program> run_exactly(Program program, const std::vector<std::string>& names) {
    PassList list;
    for (const std::string& name : names) {
      if (!is_disabled(options_, name)) list.push_back(pass_named(name));
    }
    const CandidateChoice choice = candidates_for(options_, 0)[0];
    PassRunner runner(options_, *choice.preset, choice.pad_mode, /*watched=*/true,
                      statistics(program));
    const Result<void> done = runner.run(list, program);
    keep(choice, runner.take_runs());
    if (!done) return done.error();
    return program;
  }

 private:
  // The steps before the first one that a preset or a padding changes.
  Result<void> run_shared(Program& program) {
    const GatherPreset& any = gather_presets()[0];
    PassRunner runner(options_, any, PadMode::Any, /*watched=*/true, statistics(program));
    Result<void> done;
    for (const PipelineStep& step : pipeline().first(first_choice_step())) {
      if (step.after != step.pass && !runner.has_changed(pass_of(step.after))) continue;
      const Pass* pass = pass_of(step, options_, any, differentiated_);
      if (pass != nullptr && done) done = runner.run({&pass, 1}, program);
    }
    report_.runs = runner.take_runs();
    statistics_ = runner.statistics();
    return done;
  }

  Result<Program> run_rest(Program program, const CandidateChoice& choice, bool watched) {
    PassRunner runner(options_, *choice.preset, choice.pad_mode, watched, statistics_);
    const auto steps = pipeline().subspan(first_choice_step());
    const Result<void> done =
        runner.run(passes_of(steps, options_, *choice.preset, differentiated_), program);
    keep(choice, runner.take_runs());
    if (!done) return done.error();
    return program;
  }

  void keep(const CandidateChoice& choice, std::vector<PassRun> runs) {
    report_.gather_preset = choice.preset->name;
    report_.pad_mode = choice.pad_mode;
    std::ranges::move(runs, std::back_inserter(report_.runs));
  }

  // The number of the best choice.
  Result<std::size_t> choose(const std::vector<Trial>& trials,
                             const std::vector<CandidateChoice>& choices) {
    report_.candidates.resize(choices.size());
    for (const Trial& trial : trials) {
      const double seconds = predict_seconds(trial.program, options_.cost);
      for (const std::size_t k : trial.choices) {
        report_.candidates[k] = {
            std::string(choices[k].preset->name), choices[k].pad_mode, seconds, {}};
      }
    }
    const auto fastest =
        std::ranges::min_element(report_.candidates, {}, &Candidate::predicted_seconds);
    if (options_.level < 3 || !options_.measure) {
      return static_cast<std::size_t>(fastest - report_.candidates.begin());
    }
    return measure(trials, kWorthMeasuring * fastest->predicted_seconds);
  }

  // Runs what is predicted to take at most `limit` on the device; the first choice of the fastest.
  Result<std::size_t> measure(const std::vector<Trial>& trials, double limit) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const Trial& trial : trials) {
      if (report_.candidates[trial.choices.front()].predicted_seconds > limit) continue;
      VECC_TRY(const double seconds, options_.measure(trial.program));
      for (const std::size_t k : trial.choices) report_.candidates[k].measured_seconds = seconds;
      if (seconds < least) {
        least = seconds;
        best = trial.choices.front();
      }
    }
    return best;
  }

  const OptimizeOptions& options_;
  OptimizeReport& report_;
  bool differentiated_;
  ProgramStatistics statistics_;  // after the shared steps
};

}  // namespace

}  // namespace vecc::opt

namespace vecc {

std::string_view text_of(PadMode mode) {
  switch (mode) {
    case PadMode::Never: return "never";
    case PadMode::Sided: return "sided";
    case PadMode::Full: return "full";
    case PadMode::Any: return "any";
  }
  return "";
}

Result<PadMode> parse_pad_mode(std::string_view text) {
  if (const auto mode = parse_name<PadMode>(text)) return *mode;
  return Errors(ErrorCode::Usage, "--pad",
                "found \"" + std::string(text) + "\", expected " + names_text<PadMode>(", "));
}

Result<Program> optimize(Program program, const OptimizeOptions& options, OptimizeReport* report) {
  const ListThreads threads(options.threads);
  const bool differentiated = !is_forward(program);
  VECC_TRY_VOID(opt::check_options(options, differentiated));
  OptimizeReport unused;
  OptimizeReport& made = report ? *report : unused;
  made = OptimizeReport();
  opt::Pipeline pipeline(options, made, differentiated);
  VECC_TRY(Program optimized, options.passes
                                  ? pipeline.run_exactly(std::move(program), *options.passes)
                                  : pipeline.run(std::move(program)));
  return_free_memory(optimized.ops().size());
  if (options.verify_each) return optimized;
  const Result<void> rules = verify(optimized);
  if (!rules) return Errors(ErrorCode::BadPass, "the pipeline", rules.error().text());
  return optimized;
}

}  // namespace vecc
