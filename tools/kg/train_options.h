// Options of vecc-kg train.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "src/kg/train/triple_trainer.h"
#include "tools/common/command_paths.h"
#include "tools/common/emit.h"
#include "tools/import/load/triple_layout.h"
#include "tools/vecc/train_options.h"
#include "vecc/backend.h"

namespace vecc::tools {

struct KgTrainOptions {
  std::string triples;
  TripleLayout layout;
  std::string model;
  std::string score;             ///< --score: the text of a formula, or @ and a file
  kg::TripleTrainOptions train;  ///< but the optimizer, its rate and the seed
  TrainSettings settings;
  std::string backend = "cpu";
  Device device;  ///< after finish_kg_train_options(): of the backend
  std::string inverse = "off";
  std::string save_weights;
  std::vector<std::string> config_keys;  ///< options that --config gave: "--layers"
  EmitOptions emit;                      ///< of a step's program: ir, or not given
};

/// Adds them; `options` must outlive the parse.
void add_kg_train_options(CLI::App& app, KgTrainOptions& options);
/// After the parse: completes options.train; what does not fit together, empty if all is well.
[[nodiscard]] std::string finish_kg_train_options(const CLI::App& app, KgTrainOptions& options);

/// `model transe, dim 100, ...`: what a checkpoint must agree on, without the data.
[[nodiscard]] std::string kg_settings_text(const KgTrainOptions& options);

}  // namespace vecc::tools
