// A tree of Programs: a step that asks for a choice splits a branch, and those of its parts that
// come out the same go on as one.
//
//   pad-linear      any, never        2 branches, or 1 where no padding pays
//   lift-gathers    18 presets        as many as make a difference, often 3 or 4
//
// So do branches of different steps behind the last one that asks: lift-gathers before and after
// broadcast-linear often come to the same.
#include "optimizer/try_candidates.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "optimizer/pass_runner.h"
#include "optimizer/same_program.h"

namespace vecc::opt {
namespace {

// Whether a step does the same for two choices.
bool is_same_step(const PipelineStep& step, const CandidateChoice& a, const CandidateChoice& b) {
  switch (step.asks) {
    case PipelineStep::Asks::Nothing: return true;
    case PipelineStep::Asks::PadMode: return a.pad_mode == b.pad_mode;
    case PipelineStep::Asks::Preset: break;
  }
  const auto applies = [&](const CandidateChoice& c) {
    return !step.applies || step.applies(*c.preset);
  };
  return applies(a) == applies(b) && (!applies(a) || a.preset == b.preset);
}

// The choices in groups for which the step does the same, by the first of each.
std::vector<std::vector<std::size_t>> split(const std::vector<std::size_t>& numbers,
                                            const PipelineStep& step,
                                            std::span<const CandidateChoice> choices) {
  std::vector<std::vector<std::size_t>> groups;
  for (const std::size_t number : numbers) {
    const auto group = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& g) {
      return is_same_step(step, choices[g.front()], choices[number]);
    });
    if (group == groups.end()) {
      groups.push_back({number});
    } else {
      group->push_back(number);
    }
  }
  return groups;
}

// Steps up to the last one that asks, and it.
std::size_t count_to_last_question(std::span<const PipelineStep> steps) {
  std::size_t count = steps.size();
  while (count > 0 && steps[count - 1].asks == PipelineStep::Asks::Nothing) --count;
  return count;
}

// What came out the same.
void join(Trial& trial, Trial& into) {
  if (trial.choices.front() < into.choices.front()) std::swap(trial, into);
  std::ranges::copy(trial.choices, std::back_inserter(into.choices));
  std::ranges::sort(into.choices);
}

std::vector<Trial> join_same(std::vector<Trial> trials) {
  std::vector<Trial> different;
  for (Trial& trial : trials) {
    const auto same = std::ranges::find_if(
        different, [&](const Trial& made) { return is_same_program(made.program, trial.program); });
    if (same == different.end()) {
      different.push_back(std::move(trial));
    } else {
      join(trial, *same);
      trial.program = Program();
    }
  }
  return different;
}

class Tree {
 public:
  Tree(std::span<const CandidateChoice> choices, const OptimizeOptions& options,
       bool differentiated)
      : choices_(choices), options_(options), differentiated_(differentiated) {}

  Result<std::vector<Trial>> grow(Program program, const ProgramStatistics& statistics) {
    std::vector<Trial> trials(1);
    trials[0].program = std::move(program);
    trials[0].statistics = statistics;
    trials[0].choices.resize(choices_.size());
    std::iota(trials[0].choices.begin(), trials[0].choices.end(), std::size_t{0});
    const auto steps = pipeline().subspan(first_choice_step());
    const std::size_t questions = count_to_last_question(steps);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if (s == questions && trials.size() > 1) trials = join_same(std::move(trials));
      std::vector<Trial> next;
      for (Trial& trial : trials) VECC_TRY_VOID(take_step(steps[s], std::move(trial), next));
      trials = std::move(next);
    }
    return trials;
  }

 private:
  Result<void> take_step(const PipelineStep& step, Trial trial, std::vector<Trial>& next) const {
    auto groups = split(trial.choices, step, choices_);
    if (groups.size() == 1) {
      VECC_TRY_VOID(run(step, trial));
      next.push_back(std::move(trial));
      return {};
    }
    const std::size_t first = next.size();
    std::vector<bool> changed;  // by branch of this trial
    for (auto& group : groups) {
      const bool is_last = &group == &groups.back();
      Trial branch{std::move(group), is_last ? std::move(trial.program) : trial.program, trial.runs,
                   trial.statistics};
      const std::size_t runs = branch.runs.size();
      VECC_TRY_VOID(run(step, branch));
      const bool mine = branch.runs.size() > runs && branch.runs.back().changed;
      std::size_t k = 0;  // the branch that came out the same
      const auto is_same = [&](std::size_t made) {
        return changed[made] == mine &&
               (!mine || is_same_program(next[first + made].program, branch.program));
      };
      while (k < changed.size() && !is_same(k)) ++k;
      if (k == changed.size()) {
        changed.push_back(mine);
        next.push_back(std::move(branch));
        continue;
      }
      join(branch, next[first + k]);
    }
    return {};
  }

  Result<void> run(const PipelineStep& step, Trial& trial) const {
    const CandidateChoice& choice = choices_[trial.choices.front()];
    const Pass* pass = pass_of(step, options_, *choice.preset, differentiated_);
    if (pass == nullptr) return {};
    PassRunner runner(options_, *choice.preset, choice.pad_mode, /*watched=*/false,
                      trial.statistics);
    VECC_TRY_VOID(runner.run({&pass, 1}, trial.program));
    trial.statistics = runner.statistics();
    std::ranges::move(runner.take_runs(), std::back_inserter(trial.runs));
    return {};
  }

  std::span<const CandidateChoice> choices_;
  const OptimizeOptions& options_;
  bool differentiated_;
};

}  // namespace

Result<std::vector<Trial>> try_candidates(Program program, const ProgramStatistics& statistics,
                                          std::span<const CandidateChoice> choices,
                                          const OptimizeOptions& options, bool differentiated) {
  return Tree(choices, options, differentiated).grow(std::move(program), statistics);
}

}  // namespace vecc::opt
