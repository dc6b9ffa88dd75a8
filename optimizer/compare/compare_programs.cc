#include "optimizer/compare/compare_programs.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>

#include "backends/reference/program_interpreter.h"
#include "optimizer/compare/random_draw.h"
#include "src/program/value_indices.h"
#include "vecc/backend.h"
#include "vecc/escape.h"

namespace vecc::opt {
namespace {

using NameSet = boost::unordered_flat_set<std::string>;

struct ProgramRun {
  std::vector<Executable::Output> outputs;             // by sample
  std::vector<std::vector<double>> gradients;          // by parameter; empty without gradients
  std::map<std::string, std::vector<double>> updated;  // what updates store, by what holds it
};

// Adds the parameters that row numbers, or steps, are made of: random numbers would be none.
void add_numbering(const Program& program, NameSet& names) {
  std::vector<bool> counts(program.ops().size());
  for (auto id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
    const Op& op = program.op(id);
    const auto* weight = std::get_if<WeightOp>(&op.attributes);
    if (weight != nullptr && counts[id]) {
      names.insert(program.parameters()[weight->parameter].name);
    }
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      const bool is_number = has_value_index(op) && k + 1 == op.operands.size();
      if (is_number || counts[id]) counts[op.operands[k]] = true;
    }
  }
}

// Of which weights two Programs run: both of the same, also where only one of them reads a
// parameter as row numbers (a pass dropped what did).
struct DrawnWeights {
  NameSet kept;           // those that keep their values
  bool keep_all = false;  // or all that have values do
  std::uint64_t seed = 0;
};

// Ops and arrays are shared; only the weights are its own.
Program with_drawn_weights(Program program, const DrawnWeights& drawn) {
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const Parameter& parameter = program.parameters()[p];
    const bool keeps = drawn.keep_all || drawn.kept.contains(parameter.name);
    if (keeps && parameter.values) continue;
    const std::size_t count = parameter.rows * parameter.shape.size();
    program.set_parameter_values(
        p, SharedNumbers::of(draw_numbers(drawn.seed, "parameter " + parameter.name, count)));
  }
  return program;
}

std::string quoted_name(const Parameter& parameter) {
  return "parameter \"" + escape_terminal(parameter.name) + "\"";
}

// Of a run with updates: what parameters and states have after it.
Result<std::map<std::string, std::vector<double>>> updated_values(const Program& program,
                                                                  Executable& executable) {
  std::map<std::string, std::vector<double>> values;
  for (const Op& op : program.ops()) {
    if (op.kind() != OpKind::Update) continue;
    const OpAttributes& target = program.op(op.operands[0]).attributes;
    if (const auto* state = std::get_if<StateOp>(&target)) {
      VECC_TRY(values["state \"" + escape_terminal(state->name) + "\""],
               executable.state(state->name));
    } else if (const auto* weight = std::get_if<WeightOp>(&target)) {
      VECC_TRY(values[quoted_name(program.parameters()[weight->parameter])],
               executable.parameter(weight->parameter));
    }
  }
  return values;
}

// Errors: those of compare_programs.
Result<ProgramRun> run_on_draw(const Program& program, const DrawnWeights& drawn, bool gradients) {
  ExecutionOptions options;
  options.gradients = gradients;
  VECC_TRY(const auto executable,
           reference::interpreter_backend().compile(with_drawn_weights(program, drawn), options));
  VECC_TRY_VOID(executable->run());
  ProgramRun run;
  VECC_TRY(run.outputs, executable->outputs());
  VECC_TRY(run.updated, updated_values(program, *executable));
  if (!gradients) return run;
  std::size_t count = 0;
  for (const Executable::Output& output : run.outputs) count += output.value.size();
  VECC_TRY_VOID(executable->differentiate(draw_numbers(drawn.seed, "outputs", count)));
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    VECC_TRY(run.gradients.emplace_back(), executable->gradient(p));
  }
  return run;
}

double relative_difference(double before, double after) {
  if (before == after || (std::isnan(before) && std::isnan(after))) return 0;
  if (!std::isfinite(before) || !std::isfinite(after)) {
    return std::numeric_limits<double>::infinity();
  }
  return std::abs(after - before) / std::max(1.0, std::abs(before));
}

std::string text_of_number(double number) {
  std::ostringstream text;
  text.precision(17);
  text << number;
  return text.str();
}

std::string before_after(const std::string& before, const std::string& after) {
  return before + " before, " + after + " after";
}

std::string text_of_size(const Parameter& parameter) {
  return "[" + std::to_string(parameter.rows) + ", " + parameter.shape.text() + "]";
}

// Compares the runs of one draw.
class DrawComparison {
 public:
  DrawComparison(const Program& before, const Program& after, const CompareOptions& options)
      : before_(before), after_(after), options_(options) {}

  Comparison compare(const ProgramRun& before, const ProgramRun& after) {
    compare_outputs(before, after);
    compare_updated(before, after);
    // With other outputs, the gradients are of another number.
    const bool same_outputs = result_.equal;
    if (same_outputs && options_.gradients) compare_gradients(before, after);
    return std::move(result_);
  }

 private:
  void compare_outputs(const ProgramRun& before, const ProgramRun& after) {
    if (before.outputs.size() != after.outputs.size()) {
      differ("samples: " + before_after(std::to_string(before.outputs.size()),
                                        std::to_string(after.outputs.size())));
      return;
    }
    for (std::size_t s = 0; s < before.outputs.size(); ++s) {
      const Executable::Output& expected = before.outputs[s];
      const Executable::Output& found = after.outputs[s];
      const std::string sample = "sample " + std::to_string(s);
      if (expected.shape != found.shape) {
        differ(sample + ": shape " + before_after(expected.shape.text(), found.shape.text()));
        continue;
      }
      compare_numbers(expected.value, found.value, result_.worst_output,
                      [&](std::size_t i) { return sample + ", element " + std::to_string(i); });
    }
  }

  void compare_updated(const ProgramRun& before, const ProgramRun& after) {
    for (const auto& [name, values] : before.updated) {
      const auto found = after.updated.find(name);
      if (found == after.updated.end() || found->second.size() != values.size()) {
        differ("what is stored in " + name + " is not there any more, or of another size");
        continue;
      }
      compare_numbers(values, found->second, result_.worst_output,
                      [&, &name = name](std::size_t i) {
                        return "what is stored in " + name + ", element " + std::to_string(i);
                      });
    }
    if (after.updated.size() > before.updated.size()) differ("more is stored than before");
  }

  void compare_gradients(const ProgramRun& before, const ProgramRun& after) {
    boost::unordered_flat_map<std::string_view, ParameterIndex> by_name;
    for (ParameterIndex p = 0; p < after_.parameters().size(); ++p) {
      by_name[after_.parameters()[p].name] = p;
    }
    std::vector<bool> met(after_.parameters().size());
    for (ParameterIndex p = 0; p < before_.parameters().size(); ++p) {
      const Parameter& parameter = before_.parameters()[p];
      const auto found = by_name.find(parameter.name);
      if (found == by_name.end()) {
        compare_parameter(parameter, before.gradients[p], zeros_of(parameter));
        continue;
      }
      met[found->second] = true;
      const Parameter& other = after_.parameters()[found->second];
      if (other.rows != parameter.rows || other.shape != parameter.shape) {
        differ(quoted_name(parameter) + ": " +
               before_after(text_of_size(parameter), text_of_size(other)));
        continue;
      }
      compare_parameter(parameter, before.gradients[p], after.gradients[found->second]);
    }
    for (ParameterIndex p = 0; p < after_.parameters().size(); ++p) {
      const Parameter& parameter = after_.parameters()[p];
      if (!met[p]) compare_parameter(parameter, zeros_of(parameter), after.gradients[p]);
    }
  }

  static std::vector<double> zeros_of(const Parameter& parameter) {
    return std::vector<double>(parameter.rows * parameter.shape.size());
  }

  void compare_parameter(const Parameter& parameter, std::span<const double> before,
                         std::span<const double> after) {
    compare_numbers(before, after, result_.worst_gradient, [&](std::size_t i) {
      return "gradient by " + quoted_name(parameter) + ", row " +
             std::to_string(i / parameter.shape.size()) + ", element " +
             std::to_string(i % parameter.shape.size());
    });
  }

  template <class Place>
  void compare_numbers(std::span<const double> before, std::span<const double> after, double& worst,
                       Place place) {
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double difference = relative_difference(before[i], after[i]);
      worst = std::max(worst, difference);
      if (difference <= options_.tolerance) continue;
      if (result_.equal) {
        differ(place(i) + ": " + before_after(text_of_number(before[i]), text_of_number(after[i])));
      }
    }
  }

  void differ(std::string difference) {
    if (result_.equal) result_.difference = std::move(difference);
    result_.equal = false;
  }

  const Program& before_;
  const Program& after_;
  const CompareOptions& options_;
  Comparison result_;
};

// Whether the run ended by the numbers that it computed.
bool is_of_row_numbers(const Errors& errors) {
  return std::ranges::any_of(errors.list(), [](const Diagnostic& each) {
    return each.code == ErrorCode::RowNumber || each.code == ErrorCode::DifferentRows;
  });
}

class ProgramComparison {
 public:
  ProgramComparison(const Program& before, const Program& after, const CompareOptions& options)
      : before_(before), after_(after), options_(options) {
    add_numbering(before, weights_.kept);
    add_numbering(after, weights_.kept);
  }

  Result<Comparison> compare_draw(std::uint64_t seed) {
    weights_.seed = seed;
    VECC_TRY_VOID(check_values());
    Result<ProgramRun> first = run_on_draw(before_, weights_, options_.gradients);
    if (!first && is_of_row_numbers(first.error()) && !weights_.keep_all) {
      // Equal rows that are stored twice, for one, are equal by the values that are given.
      weights_.keep_all = true;
      first = run_on_draw(before_, weights_, options_.gradients);
    }
    if (!first) return first.error();
    const Result<ProgramRun> second = run_on_draw(after_, weights_, options_.gradients);
    Comparison result;
    if (second) {
      result = DrawComparison(before_, after_, options_).compare(*first, *second);
    } else if (is_of_row_numbers(second.error())) {
      result.equal = false;
      result.difference = "runs before, but after: " + second.error().text();
    } else {
      return second.error();
    }
    if (!result.equal) result.difference += " (weights of seed " + std::to_string(seed) + ")";
    return result;
  }

 private:
  // That what must keep its values has some.
  [[nodiscard]] Result<void> check_values() const {
    for (const Program* const program : {&before_, &after_}) {
      for (const Parameter& parameter : program->parameters()) {
        if (parameter.values || parameter.rows == 0) continue;
        if (!weights_.kept.contains(parameter.name)) continue;
        return Errors(ErrorCode::MissingValues, quoted_name(parameter),
                      "found no values, expected some: row numbers or steps are made of it, which "
                      "random numbers are not");
      }
    }
    return {};
  }

  const Program& before_;
  const Program& after_;
  const CompareOptions& options_;
  DrawnWeights weights_;
};

}  // namespace

Result<Comparison> compare_programs(const Program& before, const Program& after,
                                    const CompareOptions& options) {
  VECC_CHECK(options.draws > 0, "a comparison without a draw");
  ProgramComparison comparison(before, after, options);
  Comparison all;
  std::uint64_t seed = options.seed;
  for (std::uint32_t draw = 0; draw < options.draws; ++draw) {
    VECC_TRY(Comparison one, comparison.compare_draw(seed++));
    if (!one.equal) {
      VECC_TRY(const Comparison again, comparison.compare_draw(seed++));
      if (!again.equal) return one;
      one = again;  // a false alarm
    }
    all.worst_output = std::max(all.worst_output, one.worst_output);
    all.worst_gradient = std::max(all.worst_gradient, one.worst_gradient);
  }
  return all;
}

}  // namespace vecc::opt
