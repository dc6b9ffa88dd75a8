#include "tools/ground/engine_option.h"

#include <CLI/CLI.hpp>

namespace vecc::tools::ground {

void add_engine(CLI::App& command, SqlEngine& engine) {
  command
      .add_option_function<std::string>(
          "--engine",
          [&engine](const std::string& word) {
            engine = word == "duckdb" ? SqlEngine::DuckDb : SqlEngine::Sqlite;
          },
          "What grounds the rules; duckdb needs its library (docs/grounding.md)")
      ->check(CLI::IsMember({"sqlite", "duckdb"}).description(""))
      ->type_name("sqlite|duckdb")
      ->default_str("sqlite");
}

}  // namespace vecc::tools::ground
