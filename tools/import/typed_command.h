// What kg, rdf, hgb and synth share: they load a TypedGraph, and any architecture over one grounds
// it.
#pragma once

#include <functional>
#include <memory>

#include "tools/import/import_data.h"
#include "tools/import/load/typed_graph.h"
#include "tools/import/models/models.h"

namespace vecc::tools {

/// The options of one call, as the command line gives them.
struct TypedCommandOptions {
  ImportCommandOptions common;
  TypedOptions typed;
  ScoreOptions score;
  ReachOptions reach;
  std::vector<std::uint32_t> dims;  ///< empty: from dim and layers
  std::uint32_t dim = 64;
  std::uint32_t layers = 1;
  std::string bias;     ///< on, off; empty: the model's own
  std::string inverse;  ///< on, off; empty: the command's default
  std::string triples;  ///< train, valid, test, all; empty: train, all where there are no splits
  bool train_edges_only = false;
  bool draws_graph = false;  ///< by --seed
};

/// Adds --model and every option of the three kinds of models. When the command is chosen, parsing
/// runs it and sets `exit_code`; `load` is called after the options were checked. `inverse`: the
/// default of --inverse.
void add_typed_command(CLI::App& command, const std::shared_ptr<TypedCommandOptions>& options,
                       bool inverse, std::function<Result<TypedGraph>()> load, ExitCode& exit_code);

/// Grounds the chosen model over the data. Errors: Usage (options that do not fit the data) and the
/// model's own.
[[nodiscard]] Result<void> ground_typed(const TypedGraph& data, const TypedCommandOptions& options,
                                        Grounder& out);

}  // namespace vecc::tools
