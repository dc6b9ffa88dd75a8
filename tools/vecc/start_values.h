// The values that weights start from: one copy of them from the file to the storage of a training,
// none while it trains.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "options.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::tools {

/// Of weight tables, by name.
using StartValues = std::vector<std::pair<std::string, SharedNumbers>>;

/// Whether the weights of a graph come back to it from a training (Trainer::copy_weights_to()), so
/// that it need not hold them until then.
[[nodiscard]] bool trains_once(const Options& options);

/// Those that a training learns or has bound, out of the graph: its tables have none then.
[[nodiscard]] StartValues take_values(NeuronGraph& graph);
/// To the parameters of these names.
void give_values(const StartValues& values, Program& program);
/// Both: they move.
void move_values(NeuronGraph& from, Program& to);

/// What take_values() would take goes from a Program whose parameters a storage has.
void forget_values(const NeuronGraph& graph, Program& program);
/// Bytes of that.
[[nodiscard]] std::uint64_t bytes_to_forget(const NeuronGraph& graph, const Program& program);

}  // namespace vecc::tools
