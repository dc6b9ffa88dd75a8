#include "commands.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include "devices_command.h"
#include "evaluate_command.h"
#include "learn/learn_command.h"
#include "options.h"
#include "predict_command.h"
#include "tools/common/command_pages.h"
#include "tools/common/run_tool.h"
#include "tools/common/suggest.h"
#include "weights_commands.h"

namespace vecc::tools {
namespace {

struct Command {
  const char* name;
  int (*main)(int argc, char** argv);           ///< argv[0] is the command's name
  std::shared_ptr<CLI::App> (*command_line)();  ///< for pages and completions
};

constexpr Command kCommands[] = {
    {"learn", learn_main, learn_command_line},
    {"evaluate", evaluate_main, evaluate_command_line},
    {"predict", predict_main, predict_command_line},
    {"weights", weights_main, weights_command_line},
    {"devices", devices_main, devices_command_line},
};

// vecc with its commands as CLI11 knows commands, which only pages need.
std::shared_ptr<CLI::App> whole_command_line() {
  auto app = graph_command_line();
  for (const Command& command : kCommands) {
    app->add_subcommand(command.command_line())->name(command.name);
  }
  add_version_flags(*app);
  return app;
}

}  // namespace

std::optional<int> run_command(int argc, char** argv) {
  std::vector<char*> words(argv + 1, argv + argc);
  if (words.empty()) return std::nullopt;
  if (words.size() == 1 && std::string_view(words[0]).starts_with("--print-")) {
    return print_command_page(*whole_command_line(), words[0]);
  }
  static char help[] = "--help";
  if (words.size() > 1 && std::string_view(words[0]) == "help") {
    words.erase(words.begin());
    words.push_back(help);
  }
  for (const Command& command : kCommands) {
    if (std::string_view(words[0]) != command.name) continue;
    return command.main(static_cast<int>(words.size()), words.data());
  }
  return std::nullopt;
}

std::optional<std::string> meant_command(const std::string& word) {
  std::error_code unknown;
  if (word.starts_with('-') || std::filesystem::exists(word, unknown)) return std::nullopt;
  std::vector<std::string> names{"help"};
  for (const Command& command : kCommands) names.emplace_back(command.name);
  const auto name = nearest_name(word, names);
  return name == word ? std::nullopt : name;
}

}  // namespace vecc::tools
