// The commands of vecc-kg, one file each, and what all of them take.
#pragma once

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "tools/kg/kg_model.h"
#include "tools/vecc/commands.h"

namespace vecc::tools {

[[nodiscard]] int train_triples_main(int argc, char** argv);
[[nodiscard]] std::shared_ptr<CLI::App> train_triples_command_line();
[[nodiscard]] int evaluate_triples_main(int argc, char** argv);
[[nodiscard]] std::shared_ptr<CLI::App> evaluate_triples_command_line();
[[nodiscard]] int answer_queries_main(int argc, char** argv);
[[nodiscard]] std::shared_ptr<CLI::App> answer_queries_command_line();
[[nodiscard]] int nearest_entities_main(int argc, char** argv);
[[nodiscard]] std::shared_ptr<CLI::App> nearest_entities_command_line();
[[nodiscard]] int export_embeddings_main(int argc, char** argv);
[[nodiscard]] std::shared_ptr<CLI::App> export_embeddings_command_line();

/// The weights and what says how to read them; `options` must outlive the parse.
void add_kg_model_options(CLI::App& app, KgModelOptions& options);

/// --inverse=on|off of evaluate and predict; `inverse` must outlive the parse.
void add_inverse_option(CLI::App& app, std::string& inverse);

}  // namespace vecc::tools
