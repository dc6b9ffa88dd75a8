// The command line of every tool: `help` as a word, --version of every command, and what a
// misspelt word may have meant.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tools/common/command_pages.h"
#include "tools/common/data_sink.h"
#include "tools/common/run_tool.h"
#include "tools/common/suggest.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

std::vector<CLI::App*> commands_of(CLI::App& app) {
  return app.get_subcommands([](CLI::App* command) { return !command->get_group().empty(); });
}

// `help`, `help COMMAND` and `COMMAND help` become --help behind the command.
void replace_help(CLI::App& app, std::vector<std::string>& words) {
  CLI::App* at = &app;
  std::size_t i = 0;
  const auto enter = [&] {
    for (; i < words.size(); ++i) {
      const auto named = at->get_subcommands([&](CLI::App* c) { return c->check_name(words[i]); });
      if (named.empty()) return;
      at = named.front();
    }
  };
  enter();
  if (i == words.size() || words[i] != "help") return;
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
  enter();
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(i), "--help");
}

// The command that the words name, or the app itself.
CLI::App& chosen_command(CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : chosen_command(*parsed.back());
}

// What is wrong with a word that no option and no argument of the command takes.
std::string unexpected(CLI::App& command, const std::string& word) {
  const bool is_option = word.starts_with('-');
  const std::string name = is_option ? word.substr(0, word.find('=')) : word;
  std::vector<std::string> names;
  if (is_option) {
    for (const CLI::Option* option : command.get_options({})) {
      for (const std::string& each : option->get_lnames()) names.push_back("--" + each);
    }
  } else {
    for (const CLI::App* each : commands_of(command)) names.push_back(each->get_name());
    if (names.empty()) return fmt::format("unexpected argument \"{}\"", escape_terminal(word));
  }
  const std::string problem =
      fmt::format("there is no {} \"{}\"", is_option ? "option" : "command", escape_terminal(name));
  if (const auto meant = nearest_name(name, names))
    return problem + "; did you mean " + *meant + "?";
  return is_option ? problem : fmt::format("{}; commands: {}", problem, fmt::join(names, ", "));
}

std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

int report_parse_error(CLI::App& app, const CLI::ParseError& error) {
  CLI::App& command = chosen_command(app);
  const std::string name = full_name(command);
  std::string problem = error.what();
  // Where a command is missing, the word in its place says more.
  const bool names_word = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                          dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const std::vector<std::string> words = app.remaining(true);
  if (names_word && !words.empty()) problem = unexpected(command, words.front());
  return report_usage(name, fmt::format("{}\n{} --help lists what there is", problem, name));
}

void add_version(CLI::App& app, const std::string& version) {
  app.set_version_flag("--version", version, "Print the version and leave");
  for (CLI::App* command : app.get_subcommands({})) add_version(*command, version);
}

}  // namespace

void add_version_flags(CLI::App& app) {
  const std::string program = app.get_name().substr(0, app.get_name().find(' '));
  add_version(app, program + " " VECC_VERSION);
}

std::optional<int> parse_arguments(CLI::App& app, int argc, char** argv) {
  add_version_flags(app);
  std::vector<std::string> words(argv + 1, argv + std::max(argc, 1));
  if (words.size() == 1) {
    if (const auto code = print_command_page(app, words.front())) return code;
  }
  replace_help(app, words);
  try {
    std::ranges::reverse(words);  // CLI11 takes them from the back
    app.parse(std::move(words));
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0) return report_parse_error(app, e);
    std::ostringstream out;
    std::ostringstream err;
    app.exit(e, out, err);
    const Result<void> written = write_data("", out.str());
    return written ? static_cast<int>(ExitCode::Ok) : report_errors(written.error());
  }
}

}  // namespace vecc::tools
