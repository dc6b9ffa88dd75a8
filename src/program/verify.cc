// What a single op cannot see: names, samples, update targets.
#include <boost/unordered/unordered_flat_map.hpp>

#include "src/program/op_rules.h"
#include "src/program/sample_cover.h"
#include "vecc/escape.h"
#include "vecc/program.h"

namespace vecc {
namespace {

std::string place_of(const Program& program, ValueId value) {
  return "%" + std::to_string(value) + " " + std::string(text_of(program.op(value).kind()));
}

// Collects errors up to a limit, counts the others.
class Findings {
 public:
  void add(ErrorCode code, std::string place, std::string message) {
    if (errors_.list().size() < 20) {
      errors_.add(code, std::move(place), std::move(message));
    } else {
      errors_.omit(1);
    }
  }
  [[nodiscard]] Result<void> result() const {
    if (errors_.empty()) return {};
    return errors_;
  }

 private:
  Errors errors_;
};

void check_operands(const Program& program, Findings& findings) {
  for (ValueId value = 0; value < program.ops().size(); ++value) {
    for (const ValueId operand : program.op(value).operands) {
      if (operand < value) continue;
      findings.add(ErrorCode::IllFormedOp, place_of(program, value),
                   "reads %" + std::to_string(operand) + ", which is not before it");
    }
  }
}

void check_names(const Program& program, Findings& findings) {
  boost::unordered_flat_map<std::string_view, ValueId> states;
  for (ValueId value = 0; value < program.ops().size(); ++value) {
    const auto* state = std::get_if<StateOp>(&program.op(value).attributes);
    if (!state) continue;
    const auto [entry, is_new] = states.try_emplace(state->name, value);
    if (is_new) continue;
    findings.add(ErrorCode::DuplicateName, place_of(program, value),
                 "state \"" + escape_terminal(state->name) + "\" is %" +
                     std::to_string(entry->second) + " already");
  }
  // Program::add_parameter refuses a second parameter of a name; a second `weight` of one is legal.
}

// What an update writes: a parameter by its index, a state by its op.
std::pair<OpKind, std::uint32_t> storage_of(const Program& program, ValueId target) {
  const auto* weight = std::get_if<WeightOp>(&program.op(target).attributes);
  if (weight) return {OpKind::Weight, weight->parameter};
  return {OpKind::State, target};
}

void check_updates(const Program& program, Findings& findings) {
  boost::unordered_flat_map<std::pair<OpKind, std::uint32_t>, ValueId> updated;
  for (ValueId value = 0; value < program.ops().size(); ++value) {
    const Op& op = program.op(value);
    if (op.kind() != OpKind::Update) continue;
    const ValueId target = op.operands[0];
    const auto [entry, is_new] = updated.try_emplace(storage_of(program, target), value);
    if (is_new) continue;
    findings.add(ErrorCode::IllFormedOp, place_of(program, value),
                 "%" + std::to_string(target) + " is updated by %" + std::to_string(entry->second) +
                     " already");
  }
}

void check_samples(const Program& program, Findings& findings) {
  std::vector<Index> samples;
  for (const Op& op : program.ops()) {
    if (const auto* output = std::get_if<OutputOp>(&op.attributes)) {
      samples.push_back(output->samples);
    }
  }
  const auto fault = find_sample_fault(samples, program.sample_count());
  if (!fault) return;
  const bool is_beyond = fault->sample >= program.sample_count();
  findings.add(ErrorCode::IllFormedOp, "sample " + std::to_string(fault->sample),
               fault->is_missing ? "is in no output, expected exactly one"
               : is_beyond       ? "is in an output, but the program has " +
                                 count_text(program.sample_count(), "sample")
                           : "is in two outputs, expected exactly one");
}

}  // namespace

Result<void> verify(const Program& program) {
  Findings findings;
  check_operands(program, findings);
  check_names(program, findings);
  check_updates(program, findings);
  check_samples(program, findings);
  return findings.result();
}

}  // namespace vecc
