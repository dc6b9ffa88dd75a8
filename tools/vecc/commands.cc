#include "commands.h"

#include <filesystem>
#include <string_view>
#include <vector>

#include "devices_command.h"
#include "evaluate_command.h"
#include "learn_program.h"
#include "predict_command.h"
#include "run_command.h"
#include "tools/common/command_pages.h"
#include "tools/common/run_tool.h"
#include "tools/common/suggest.h"
#include "weights_commands.h"

namespace vecc::tools {
namespace {

constexpr Command kCommands[] = {
    {"learn", learn_program_main, learn_program_command_line},
    {"evaluate", evaluate_main, evaluate_command_line},
    {"predict", predict_main, predict_command_line},
    {"run", run_main, run_command_line},
    {"weights", weights_main, weights_command_line},
    {"devices", devices_main, devices_command_line},
};

}  // namespace

std::span<const Command> vecc_commands() {
  return kCommands;
}

std::shared_ptr<CLI::App> whole_command_line(std::span<const Command> commands,
                                             std::shared_ptr<CLI::App> program) {
  for (const Command& command : commands) {
    program->add_subcommand(command.command_line())->name(command.name);
  }
  add_version_flags(*program);
  return program;
}

std::optional<int> run_command(std::span<const Command> commands,
                               std::shared_ptr<CLI::App> (*program)(), int argc, char** argv) {
  std::vector<char*> words(argv + 1, argv + argc);
  if (words.empty()) return std::nullopt;
  if (words.size() == 1 && std::string_view(words[0]).starts_with("--print-")) {
    return print_command_page(*whole_command_line(commands, program()), words[0]);
  }
  static char help[] = "--help";
  if (words.size() > 1 && std::string_view(words[0]) == "help") {
    words.erase(words.begin());
    words.push_back(help);
  }
  for (const Command& command : commands) {
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
