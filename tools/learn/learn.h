// From a database to a trained model: all that vecc learn does.
#pragma once

#include <string>

#include "tools/import/sql/import_database.h"
#include "tools/vecc/options.h"
#include "vecc/error.h"

namespace vecc::tools {

struct LearnOptions {
  sql::ImportDatabaseOptions database;
  Options run;                       ///< what learns, and how
  std::string model = "model.vecc";  ///< where to write it
  std::string page;                  ///< empty: none is written
};

/// Imports, trains on the samples marked so, evaluates each split and prints the metrics, then
/// writes the model and a page with the curves: each whole or not at all. A signal ends it without
/// either. Errors: those of the stages.
[[nodiscard]] Result<void> learn(LearnOptions& options);

}  // namespace vecc::tools
