// What predictions of a graph's samples and of a database's rows (tools/learn) share: one command
// line, and the run from a graph to the table.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "choose_samples.h"
#include "options.h"
#include "predictions.h"
#include "tools/common/stages.h"
#include "vecc/error.h"

namespace vecc::tools {

struct PredictOptions {
  Options run;            ///< `input`: the graph, or the model of `database`
  std::string database;   ///< whose rows are predicted; empty: the samples of a graph
  std::string new_graph;  ///< whose samples the saved program `run.input` predicts; empty: none
  std::optional<DType> dtype;  ///< if given
  std::string task;            ///< the rows; empty: all
  std::optional<SplitChoice> split;
  TableFormat format = TableFormat::Tsv;
  std::string output;  ///< empty: stdout
};

struct PredictCommandLine {
  CLI::App app;
  PredictOptions options;
  std::string device = "auto";

  PredictCommandLine();
  PredictCommandLine(const PredictCommandLine&) = delete;  // its options are referred to
  PredictCommandLine& operator=(const PredictCommandLine&) = delete;

  /// After the parse: what does not fit together; empty if all is well.
  std::string finish();
};

/// Predicts the samples of the graph `new_graph` by the saved program `run.input`. Errors: those of
/// run_bound() and of the stages.
[[nodiscard]] Result<void> predict_bound(PredictOptions& options, Stages& stages);

/// Predicts the samples of the graph `run.input` with the weights of `run.load_weights` and writes
/// the table; reports name `input`. Errors: those of the stages.
[[nodiscard]] Result<void> predict_samples(PredictOptions& options, const std::string& input,
                                           Stages& stages);

}  // namespace vecc::tools
