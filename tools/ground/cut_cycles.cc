#include "tools/ground/cut_cycles.h"

#include <algorithm>
#include <optional>

#include "tools/ground/strata.h"

namespace vecc::tools::ground {
namespace {

enum class Visit : std::uint8_t { New, Open, Closed };

// Where the walk stands below one atom.
struct Frame {
  PredicateIndex predicate = 0;
  AtomIndex atom = 0;
  std::uint32_t rule = 0;       // of the predicate's
  std::uint32_t head = 0;       // of the atom's group, or the atom itself
  std::uint32_t grounding = 0;  // of the head's
  std::uint32_t input = 0;      // of the grounding
};

struct Input {
  RuleIndex rule = 0;
  std::size_t at = 0;  // in Groundings::inputs
  PredicateIndex predicate = 0;
  AtomIndex atom = 0;
};

class CycleWalk {
 public:
  CycleWalk(const RuleProgram& program, const FactBase& base, const Derived& derived,
            const Reached& reached)
      : program_(program), derived_(derived), reached_(reached) {
    for (const AtomTable& atoms : base.atoms) visits_.emplace_back(atoms.size(), Visit::New);
    for (const RuleSpec& rule : program.rules) {
      read_.emplace_back();
      for (const Literal& literal : rule.body) {
        if (literal.input) read_.back().push_back(literal.predicate);
      }
    }
    for (const HeadGroups& groups : reached.groups) groups_.emplace_back(groups.size(), Visit::New);
    out_.inputs.resize(program.rules.size());
  }

  Result<CutEdges> walk(const FactBase& base) {
    for (const Output& output : reached_.outputs) {
      open(base.queries[output.query].predicate, output.atom);
      while (!frames_.empty()) step();
    }
    if (!errors_.empty()) return errors_;
    return std::move(out_);
  }

 private:
  void open(PredicateIndex p, AtomIndex atom) {
    Visit& visit = visits_[p][atom];
    if (visit != Visit::New) return;
    visit = Visit::Open;
    frames_.push_back({p, atom, 0, 0, 0, 0});
  }

  void step() {
    const std::optional<Input> input = next(frames_.back());
    if (!input) {
      visits_[frames_.back().predicate][frames_.back().atom] = Visit::Closed;
      frames_.pop_back();
    } else if (visits_[input->predicate][input->atom] == Visit::Open) {
      std::vector<bool>& cut = out_.inputs[input->rule];
      cut.resize(derived_.groundings[input->rule].inputs.size(), false);
      cut[input->at] = true;
      ++out_.count;
    } else {
      open(input->predicate, input->atom);
    }
  }

  // The heads whose groundings the atom reads by the rule: a group's are walked for its first atom.
  std::span<const AtomIndex> heads_of(const Frame& frame, RuleIndex r) {
    const HeadGroups& groups = reached_.groups[r];
    const bool is_grouped = groups.size() > 0 && !reached_.of_head[r].of(frame.atom).empty();
    if (!is_grouped) return {&frame.atom, 1};
    const std::uint32_t group = groups.of_head[frame.atom];
    Visit& visit = groups_[r][group];
    const bool begins = frame.head == 0 && frame.grounding == 0 && frame.input == 0;
    if (begins && visit == Visit::Open && errors_.empty()) {
      errors_ = Errors(ErrorCode::Cycle, program_.place(program_.rules[r].at),
                       "a softmax over some terms closes a cycle, which vecc-ground does not cut");
    }
    if (begins && visit != Visit::New) return {};
    visit = Visit::Open;
    return groups.of(group);
  }

  void close_group(const Frame& frame, RuleIndex r) {
    if (reached_.groups[r].size() > 0 && !reached_.of_head[r].of(frame.atom).empty()) {
      groups_[r][reached_.groups[r].of_head[frame.atom]] = Visit::Closed;
    }
  }

  std::optional<Input> next(Frame& frame) {
    const std::vector<RuleIndex>& rules = program_.predicates[frame.predicate].rules;
    while (frame.rule < rules.size()) {
      const RuleIndex r = rules[frame.rule];
      const std::span<const AtomIndex> heads = heads_of(frame, r);
      if (frame.head == heads.size()) {
        if (frame.head > 0) close_group(frame, r);
        frame.head = 0;
        ++frame.rule;
        continue;
      }
      const auto groundings = reached_.of_head[r].of(heads[frame.head]);
      const std::size_t width = read_[r].size();
      if (frame.grounding < groundings.size() && frame.input < width) {
        const std::size_t at = groundings[frame.grounding] * width + frame.input;
        const PredicateIndex read = read_[r][frame.input++];
        return Input{r, at, read, derived_.groundings[r].inputs[at]};
      }
      frame.input = 0;
      if (frame.grounding < groundings.size()) {
        ++frame.grounding;
      } else {
        frame.grounding = 0;
        ++frame.head;
      }
    }
    return std::nullopt;
  }

  const RuleProgram& program_;
  const Derived& derived_;
  const Reached& reached_;
  std::vector<std::vector<Visit>> visits_;
  std::vector<std::vector<PredicateIndex>> read_;  // by rule: the predicates of the inputs
  std::vector<std::vector<Visit>> groups_;         // by rule and group
  std::vector<Frame> frames_;
  Errors errors_;
  CutEdges out_;
};

bool is_recursive(const RuleProgram& program) {
  return std::ranges::any_of(*order_strata(program), &Stratum::is_recursive);
}

}  // namespace

Result<CutEdges> cut_cycles(const RuleProgram& program, const FactBase& base,
                            const Derived& derived, const Reached& reached) {
  CutEdges none;
  none.inputs.resize(program.rules.size());
  if (!is_recursive(program)) return none;
  VECC_TRY(CutEdges cut, CycleWalk(program, base, derived, reached).walk(base));
  for (RuleIndex r = 0; r < program.rules.size(); ++r) {
    const std::vector<bool>& inputs = cut.inputs[r];
    const std::size_t width = program.rules[r].input_count();
    const bool through = std::ranges::any_of(
        program.rules[r].body, [](const Literal& l) { return l.through.has_value(); });
    for (std::size_t at = 0; at < inputs.size(); at += width) {
      const auto left = std::count(inputs.begin() + static_cast<std::ptrdiff_t>(at),
                                   inputs.begin() + static_cast<std::ptrdiff_t>(at + width), false);
      const bool has_cut = static_cast<std::size_t>(left) < width;
      if (left > 0 && !(has_cut && through)) continue;
      return Errors(ErrorCode::Cycle, program.place(program.rules[r].at),
                    through ? "a grounding of this rule closes a cycle, and it has a soft negation "
                              "or a function of a literal, which vecc-ground does not cut"
                            : "a grounding of this rule reads nothing but what reads it: without "
                              "the edges that close cycles it has no input, and no value "
                              "(NeuraLogic cannot build it either)");
    }
  }
  return cut;
}

}  // namespace vecc::tools::ground
