#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tools/common/command_pages.h"
#include "tools/common/command_tree.h"

namespace vecc::tools {
namespace {

// A line of text for troff: no character of it is a command.
std::string troff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    if (c == '\n') result += "\\&";  // a dot or an apostrophe may follow
  }
  return "\\&" + result;
}

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string tag_of(const OptionText& option) {
  std::string tag;
  for (const std::string& name : option.names) {
    tag += fmt::format("{}\\fB{}\\fR", tag.empty() ? "" : ", ", troff(name));
  }
  if (option.value.empty() || option.is_argument) return tag;
  const bool is_short = !option.names.front().starts_with("--");
  return tag + fmt::format("{}\\fI{}\\fR", is_short ? " " : "=", troff(option.value));
}

std::string options_of(const CommandText& command) {
  std::string result;
  std::string group;
  for (const OptionText& option : command.options) {
    const std::string name = option.is_argument ? "Arguments" : option.group;
    if (name != group) result += fmt::format(".PP\n{}:\n", troff(name));
    group = name;
    const std::string default_text =
        option.default_value.empty() ? "" : " Default: " + option.default_value + ".";
    const bool is_sentence = option.description.ends_with('.');
    result += fmt::format(".TP\n{}\n{}\n", tag_of(option),
                          troff(option.description + (is_sentence ? "" : ".") + default_text));
  }
  return result;
}

std::string synopsis_of(const CommandText& command, const std::string& path) {
  std::string result = fmt::format("\\fB{}\\fR [\\fIOPTIONS\\fR]", troff(path));
  for (const OptionText& option : command.options) {
    if (option.is_argument) result += fmt::format(" \\fI{}\\fR", troff(option.names.front()));
  }
  return result + "\n";
}

std::string footer_of(const CommandText& command) {
  if (command.footer.empty()) return {};
  const std::size_t begin = command.footer.find_first_not_of('\n');
  return fmt::format(".PP\n.nf\n{}\n.fi\n", troff(command.footer.substr(begin)));
}

std::string sections_of(const CommandText& command, const std::string& path) {
  std::string result;
  for (const CommandText& each : command.commands) {
    const std::string name = path + " " + each.name;
    result += fmt::format(".SS {}\n{}.PP\n{}\n{}{}", troff(name), synopsis_of(each, name),
                          troff(each.description), options_of(each), footer_of(each));
    result += sections_of(each, name);
  }
  return result;
}

}  // namespace

std::string man_page(const CLI::App& app, std::string_view version) {
  const CommandText command = describe_command(app);
  const std::string first = command.description.substr(0, command.description.find('.'));
  std::string page = fmt::format(".TH {} 1 \"\" \"{}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}",
                                 upper_case(command.name), version, troff(command.name),
                                 troff(first), synopsis_of(command, command.name));
  for (const CommandText& each : command.commands) {
    page += ".br\n" + synopsis_of(each, command.name + " " + each.name);
  }
  page += fmt::format(".SH DESCRIPTION\n{}\n.SH OPTIONS\n{}{}", troff(command.description),
                      options_of(command), footer_of(command));
  if (command.commands.empty()) return page;
  return page + ".SH COMMANDS\n" + sections_of(command, command.name);
}

}  // namespace vecc::tools
