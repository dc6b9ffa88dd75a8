#include "start_values.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "vecc/fanout.h"
#include "vecc/step_inputs.h"

namespace vecc::tools {
namespace {

// A training's steps have their own of the others.
bool is_taken(const WeightTable& table) {
  return table.learnable && table.name != kFanoutTable && !is_step_input(table.name);
}

void for_each_taken(const NeuronGraph& graph, const Program& program,
                    const std::function<void(ParameterIndex)>& visit) {
  std::unordered_set<std::string_view> names;
  for (const WeightTable& table : graph.weight_tables) {
    if (is_taken(table)) names.insert(table.name);
  }
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const Parameter& parameter = program.parameters()[p];
    if (parameter.values && names.contains(parameter.name)) visit(p);
  }
}

}  // namespace

bool trains_once(const Options& options) {
  return options.training.train && options.training.folds == 0;
}

StartValues take_values(NeuronGraph& graph) {
  StartValues values;
  for (WeightTable& table : graph.weight_tables) {
    if (!table.has_values || !is_taken(table)) continue;
    values.emplace_back(table.name, std::exchange(table.values, {}));
    table.has_values = false;
  }
  return values;
}

void give_values(const StartValues& values, Program& program) {
  std::unordered_map<std::string_view, ParameterIndex> parameters;
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    parameters.emplace(program.parameters()[p].name, p);
  }
  for (const auto& [name, numbers] : values) {
    const auto found = parameters.find(name);
    if (found != parameters.end()) program.set_parameter_values(found->second, numbers);
  }
}

void move_values(NeuronGraph& from, Program& to) {
  give_values(take_values(from), to);
}

void forget_values(const NeuronGraph& graph, Program& program) {
  for_each_taken(graph, program,
                 [&](ParameterIndex p) { program.set_parameter_values(p, nullptr); });
}

std::uint64_t bytes_to_forget(const NeuronGraph& graph, const Program& program) {
  std::uint64_t bytes = 0;
  for_each_taken(graph, program,
                 [&](ParameterIndex p) { bytes += program.parameters()[p].values.bytes(); });
  return bytes;
}

}  // namespace vecc::tools
