// A chunk of a weight table on the wire to a WeightTable.
#pragma once

#include "src/graph_io/import_state.h"
#include "vecc/graph.pb.h"

namespace vecc::graph_io {

/// Checks a chunk and appends it to its table. Ids are given at the end, by number_weights().
void read_weight_table(const wire::WeightTable& wire, ImportState& state);

/// Lays the tables' weights out one table after another and fills `weight_ids`; reports overlapping
/// ids. Requires that the number of weights was checked against the file's size.
void number_weights(ImportState& state, IdMap& weight_ids);

/// `weight table "w"`, escaped.
[[nodiscard]] std::string describe_table(std::string_view name);

}  // namespace vecc::graph_io
