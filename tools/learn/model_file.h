// What vecc learn saves and vecc predict reads: a model of a database's rows (docs/databases.md). A
// safetensors file: the tensors are the weights, the metadata say how a database is read (keys,
// columns with their statistics and categories, template) and what the outputs mean. So what reads
// weights reads a model, too.
#pragma once

#include <optional>
#include <string>

#include "vecc/error.h"
#include "vecc/loss.h"
#include "vecc/neuron_graph.h"
#include "vecc/weights.h"

namespace vecc::tools {

struct ModelFile {
  std::string database;  ///< of tools/import/sql/trained_columns.h
  Loss loss = Loss::SquaredDiff;
  std::string digest;  ///< of all that the model is: 32 hexadecimal digits
};

/// The trained graph of a database as a file that appears whole or not at all; its digest. Errors:
/// MissingValues (a graph of something else); those of weights_of() and write_weights().
[[nodiscard]] Result<std::string> write_model(const NeuronGraph& graph, Loss loss,
                                              const std::string& path);

/// Errors, with `path` as place: those of read_weights(); BadWeightFile (no model), UnknownSchema
/// (of another version), WrongChecksum (another digest than it states).
[[nodiscard]] Result<ModelFile> read_model(const std::string& path, const WeightLimits& limits);

}  // namespace vecc::tools
