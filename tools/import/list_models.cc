// vecc-import --list: every architecture with its formula.
#include <fmt/format.h>

#include "tools/import/commands.h"
#include "tools/import/models/models.h"

namespace vecc::tools {
namespace {

template <class Model>
void list(std::string& text, const char* title, std::span<const Model> models) {
  text += title;
  for (const Model& model : models) {
    text += fmt::format("  {:<9} {}\n", model.name, model.formula);
  }
}

}  // namespace

std::string list_models() {
  std::string text;
  list(text,
       "tu, graph, synth-set: sets of small graphs, nodes of one graph; layers, then sigmoid( W "
       "mean "
       "over nodes )\n",
       graph_set_models());
  list(text, "kg, rdf, hgb, synth: typed graphs, edges j -r-> i\n", typed_models());
  list(text, "kg, rdf, hgb, synth: scores of triples (h, r, t)\n", score_models());
  text += "kg, rdf, hgb, synth: recursion\n";
  text += fmt::format("  {:<9} {}\n", "reach", kReachFormula);
  return text + "Everything else about them: docs/architectures.md.\n";
}

}  // namespace vecc::tools
