// Graphs to measure on: data sets grounded by vecc-import, and files.
#pragma once

#include <cstdint>
#include <string>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"

namespace vecc::tools {

/// The path of a program that stands beside this one. Error: FileUnreadable.
[[nodiscard]] Result<std::string> sibling(const std::string& name);
/// A file of the source tree ("tools/bench/pyg/time_tu.py"): of $VECC_SOURCE_DIR, or as built.
[[nodiscard]] std::string source_file(const std::string& path);

/// Grounds a folder in TUDataset text by vecc-import, which stands beside this program, with
/// Glorot's initial weights of seed 1. Errors: FileUnreadable (no vecc-import), DeviceFailure (it
/// failed, and said why on stderr), those of read_graph().
[[nodiscard]] Result<NeuronGraph> ground_set(const std::string& data, const std::string& model,
                                             std::uint32_t dim);
/// The same, vectorized.
[[nodiscard]] Result<Program> ground_graph(const std::string& data, const std::string& model,
                                           std::uint32_t dim);
/// Reads and vectorizes a file.
[[nodiscard]] Result<Program> vectorize_file(const std::string& path);

/// The folder's own name: "tu_MUTAG".
[[nodiscard]] std::string set_name(const std::string& data);

}  // namespace vecc::tools
