#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "tools/common/command_pages.h"
#include "tools/common/command_tree.h"
#include "tools/common/data_sink.h"
#include "tools/common/run_tool.h"

namespace vecc::tools {
namespace {

// In single quotes, for all three shells.
std::string shell_word(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c == '\n' ? ' ' : c;
    }
  }
  return result + "'";
}

// `vecc_weights` of `vecc weights`: a part of a function's name.
std::string identifier(std::string_view path) {
  std::string result(path);
  std::ranges::replace_if(
      result, [](char c) { return c == ' ' || c == '-'; }, '_');
  return result;
}

std::vector<std::string> command_names(const std::vector<CommandText>& commands) {
  std::vector<std::string> names;
  for (const CommandText& command : commands) names.push_back(command.name);
  return names;
}

using Visit = std::function<void(const CommandText& command, const std::string& path)>;
void visit_commands(const CommandText& command, const std::string& path, const Visit& visit) {
  visit(command, path);
  for (const CommandText& each : command.commands) {
    visit_commands(each, path + " " + each.name, visit);
  }
}

// A case for each command: its words and, by option, the values that there are.
std::string bash_script(const CommandText& root) {
  std::string paths;
  std::string words;
  std::string values;
  visit_commands(root, root.name, [&](const CommandText& command, const std::string& path) {
    std::vector<std::string> all = command_names(command.commands);
    for (const CommandText& each : command.commands) {
      paths += fmt::format("      {}) path={} ;;\n", shell_word(path + " " + each.name),
                           shell_word(path + " " + each.name));
    }
    for (const OptionText& option : command.options) {
      if (option.is_argument) continue;
      const bool takes_value = !option.value.empty() && option.names.front().starts_with("--");
      all.push_back(option.names.front() + (takes_value ? "=" : ""));
      if (const auto choices = option.choices(); !choices.empty()) {
        values +=
            fmt::format("    {}) words={} ;;\n", shell_word(path + " " + option.names.front()),
                        shell_word(fmt::format("{}", fmt::join(choices, " "))));
      }
    }
    words += fmt::format("    {}) words={} ;;\n", shell_word(path),
                         shell_word(fmt::format("{}", fmt::join(all, " "))));
  });
  return fmt::format(R"(# bash completion of {name}
_{id}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} path={quoted} words='' option='' i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${{COMP_WORDS[i]}}" in
{paths}      *) ;;
    esac
  done
  if [[ $cur == = ]]; then
    option=$prev cur=''
  elif [[ $prev == = ]]; then
    option=${{COMP_WORDS[COMP_CWORD-2]}}
  elif [[ $prev == --* && $cur != -* ]]; then
    option=$prev
  fi
  case "$path $option" in
{values}    *) ;;
  esac
  if [[ -z $words && -z $option ]]; then
    case $path in
{words}    *) ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  if [[ ${{#COMPREPLY[@]}} == 0 ]]; then mapfile -t COMPREPLY < <(compgen -f -- "$cur"); fi
  if [[ ${{COMPREPLY[0]-}} == *= ]]; then compopt -o nospace; fi
}}
complete -o filenames -F _{id} {name}
)",
                     fmt::arg("name", root.name), fmt::arg("id", identifier(root.name)),
                     fmt::arg("quoted", shell_word(root.name)), fmt::arg("paths", paths),
                     fmt::arg("values", values), fmt::arg("words", words));
}

// Text within the brackets of _arguments.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_option(const OptionText& option) {
  const auto choices = option.choices();
  const std::string action =
      choices.empty() ? "_files" : fmt::format("({})", fmt::join(choices, " "));
  if (option.is_argument) {
    return shell_word(fmt::format("*:{}:_files", zsh_text(option.names.front())));
  }
  std::string text = option.names.front();
  if (option.value.empty())
    return shell_word(fmt::format("{}[{}]", text, zsh_text(option.description)));
  if (text.starts_with("--")) text += '=';
  return shell_word(fmt::format("{}[{}]:{}:{}", text, zsh_text(option.description),
                                zsh_text(option.value), action));
}

std::string zsh_script(const CommandText& root) {
  std::string script = fmt::format("#compdef {}\n", root.name);
  visit_commands(root, root.name, [&](const CommandText& command, const std::string& path) {
    script += fmt::format("_{}() {{\n", identifier(path));
    if (!command.commands.empty()) {
      script += "  case ${words[2]-} in\n";
      for (const CommandText& each : command.commands) {
        script += fmt::format("    {}) shift words; ((CURRENT--)); _{}; return ;;\n", each.name,
                              identifier(path + " " + each.name));
      }
      std::string described;
      for (const CommandText& each : command.commands) {
        described += " " + shell_word(each.name + ":" + each.description);
      }
      script += fmt::format(
          "  esac\n  local -a commands=({})\n"
          "  if ((CURRENT == 2)); then _describe command commands; fi\n",
          described);
    }
    script += "  _arguments";
    for (const OptionText& option : command.options) script += " \\\n    " + zsh_option(option);
    script += "\n}\n";
  });
  return script + fmt::format("_{} \"$@\"\n", identifier(root.name));
}

// Where a command's options are offered: behind its name, before that of a command of its own.
std::string fish_condition(const CommandText& command, const std::string& path) {
  std::string condition;
  const std::size_t space = path.find(' ');
  if (space != std::string::npos) {
    std::string names = path.substr(space + 1);
    while (!names.empty()) {
      const std::size_t end = std::min(names.find(' '), names.size());
      condition += fmt::format("{}__fish_seen_subcommand_from {}",
                               condition.empty() ? "" : "; and ", names.substr(0, end));
      names.erase(0, std::min(end + 1, names.size()));
    }
  }
  if (command.commands.empty()) return condition;
  return condition + fmt::format("{}not __fish_seen_subcommand_from {}",
                                 condition.empty() ? "" : "; and ",
                                 fmt::join(command_names(command.commands), " "));
}

std::string fish_script(const CommandText& root) {
  std::string script;
  visit_commands(root, root.name, [&](const CommandText& command, const std::string& path) {
    const std::string condition = fish_condition(command, path);
    const std::string start = fmt::format("complete -c {}{}", root.name,
                                          condition.empty() ? "" : " -n " + shell_word(condition));
    for (const CommandText& each : command.commands) {
      script += fmt::format("{} -a {} -d {}\n", start, each.name, shell_word(each.description));
    }
    for (const OptionText& option : command.options) {
      if (option.is_argument) continue;
      script += start;
      for (const std::string& name : option.names) {
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (const auto choices = option.choices(); !choices.empty()) {
        script += " -x -a " + shell_word(fmt::format("{}", fmt::join(choices, " ")));
      } else if (!option.value.empty()) {
        script += " -r";
      }
      script += " -d " + shell_word(option.description) + "\n";
    }
  });
  return script;
}

}  // namespace

std::optional<Shell> parse_shell(std::string_view text) {
  if (text == "bash") return Shell::Bash;
  if (text == "zsh") return Shell::Zsh;
  if (text == "fish") return Shell::Fish;
  return std::nullopt;
}

std::string completion_script(const CLI::App& app, Shell shell) {
  const CommandText root = describe_command(app);
  switch (shell) {
    case Shell::Bash: return bash_script(root);
    case Shell::Zsh: return zsh_script(root);
    case Shell::Fish: return fish_script(root);
  }
  return {};
}

std::optional<int> print_command_page(const CLI::App& app, std::string_view word) {
  constexpr std::string_view kCompletion = "--print-completion=";
  std::string text;
  if (word == "--print-man") {
    text = man_page(app, app.get_name() + " " VECC_VERSION);
  } else if (word.starts_with(kCompletion)) {
    const auto shell = parse_shell(word.substr(kCompletion.size()));
    if (!shell) return report_usage(app.get_name(), "--print-completion is of bash, zsh or fish");
    text = completion_script(app, *shell);
  } else {
    return std::nullopt;
  }
  const Result<void> written = write_data("", text);
  return written ? static_cast<int>(ExitCode::Ok) : report_errors(written.error());
}

}  // namespace vecc::tools
