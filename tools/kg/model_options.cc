#include <CLI/CLI.hpp>
#include <vector>

#include "tools/common/number_options.h"
#include "tools/kg/commands.h"

namespace vecc::tools {

void add_kg_model_options(CLI::App& app, KgModelOptions& options) {
  std::vector<std::string> models;
  std::string words;
  for (const kg::ScoreModelInfo& info : kg::score_models()) {
    models.emplace_back(info.name);
    words += models.back() + "|";
  }
  models.insert(models.end(), {"formula", "tucker"});
  words += "formula|tucker";
  app.add_option("weights", options.weights, "The weights of a score: safetensors or .npz")
      ->required()
      ->type_name("FILE");
  app.add_option("--model", options.model,
                 "The score that they are of, where they do not say it (those of vecc-kg train do)")
      ->check(CLI::IsMember(models).description(""))
      ->type_name(words);
  add_unset_whole(app, "--p", options.p, {1, 2},
                  "transe: 1 or 2, the norm's p, where they do not say it; else 1");
  app.add_option("--entities", options.entities,
                 "Names of the entities, a line each, where the weights have none")
      ->type_name("FILE");
  app.add_option("--relations", options.relations, "The same of the relations")->type_name("FILE");
  add_size(app, "--max-input-bytes", options.max_bytes, {1, std::uint64_t{1} << 62},
           "Bytes of the weights, unpacked: 64M, 4G");
}

void add_inverse_option(CLI::App& app, std::string& inverse) {
  app.add_option("--inverse", inverse,
                 "Ask for heads by the relation NAME^-1, where the weights have it")
      ->check(CLI::IsMember({"on", "off"}).description(""))
      ->type_name("on|off")
      ->capture_default_str();
}

}  // namespace vecc::tools
