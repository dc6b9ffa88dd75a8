// How messages and files tell weight tables, and their rows, apart.
#pragma once

#include <string>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"

namespace vecc::weights {

/// `weight table "w"`, escaped.
[[nodiscard]] std::string describe_weights(const WeightTable& table);

/// Whether all tables have values. Error: MissingValues, of each that has none.
[[nodiscard]] Result<void> check_values(const NeuronGraph& graph);

/// The key of a table's row names in a file's metadata.
[[nodiscard]] std::string rows_key(const WeightTable& table);

/// CRC-32 of the row names, in hexadecimal: finds that two tables' rows mean different things.
[[nodiscard]] std::string digest_of_rows(const StringColumn& names);

}  // namespace vecc::weights
