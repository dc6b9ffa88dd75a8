#include "tools/common/command_tree.h"

#include <algorithm>
#include <cctype>

namespace vecc::tools {
namespace {

bool is_choice(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '_';
  });
}

OptionText describe_option(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  text.is_argument = option.get_positional();
  if (text.is_argument) text.names = {option.get_name(true)};
  if (option.get_items_expected_max() > 0) {
    text.value = option.get_type_name();
    text.default_value = option.get_default_str();
  }
  text.description = option.get_description();
  text.group = option.get_group();
  text.required = option.get_required();
  return text;
}

}  // namespace

std::vector<std::string> OptionText::choices() const {
  std::vector<std::string> result;
  const std::string_view list(value.data(), std::min(value.find(",..."), value.size()));
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find('|', begin), list.size());
    std::string word(list.substr(begin, end - begin));
    word.resize(std::min(word.find('['), word.size()));  // `cuda[:N]`
    if (is_choice(word)) result.push_back(std::move(word));
    begin = end + 1;
  }
  return result;
}

CommandText describe_command(const CLI::App& app) {
  CommandText text{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) text.options.push_back(describe_option(*option));
  }
  std::stable_partition(text.options.begin(), text.options.end(),
                        [](const OptionText& option) { return option.is_argument; });
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) text.commands.push_back(describe_command(*command));
  }
  return text;
}

}  // namespace vecc::tools
