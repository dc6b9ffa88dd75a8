#include "kg_bench.h"

#include "src/kg/score_formula/score_formula.h"
#include "vecc/escape.h"

namespace vecc::tools {

Result<kg::TripleTrainOptions> options_of_model(const kg::TripleTrainOptions& options,
                                                const std::string& model) {
  const bool is_tucker = model == "tucker";
  const auto parsed = kg::parse_score_model(is_tucker ? "formula" : model);
  if (!parsed) {
    return Errors(ErrorCode::Usage, "--models",
                  "found " + escape_terminal(model, 64) + ", expected " + kg::list_score_models() +
                      ", tucker");
  }
  kg::TripleTrainOptions result = options;
  result.model = *parsed;
  if (is_tucker) result.formula = kg::tucker_text();
  return result;
}

}  // namespace vecc::tools
