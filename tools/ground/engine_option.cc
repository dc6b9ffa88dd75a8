#include "tools/ground/engine_option.h"

#include <CLI/CLI.hpp>

#include "tools/common/number_options.h"

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

void add_threads(CLI::App& command, std::uint32_t& threads) {
  add_whole(command, "--threads", threads, {0, 4096},
            "That ground by SQLite, 8 at most; 0: one a processor. The graph is the same");
}

}  // namespace vecc::tools::ground
