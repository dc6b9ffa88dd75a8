#include "tools/kg/train_config.h"

#include <cctype>
#include <istream>
#include <sstream>
#include <string_view>

#include "tools/common/suggest.h"
#include "tools/import/load/load_errors.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

std::string config_of(const CLI::App& app) {
  return "--config=" + escape_terminal(app.get_config_ptr()->as<std::string>(), 4096);
}

// The first line, from 1, whose key or section begins with this one; 0: none.
std::size_t line_of_key(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const std::size_t begin = line.find_first_not_of(" \t[\"'");
    if (begin == std::string::npos || !std::string_view(line).substr(begin).starts_with(key)) {
      continue;
    }
    const std::size_t end = begin + key.size();
    if (end == line.size() ||
        std::string_view(" \t\r=.]\"'#").find(line[end]) != std::string::npos) {
      return number;
    }
  }
  return 0;
}

class TrainConfig : public CLI::ConfigTOML {
 public:
  TrainConfig(const CLI::App& app, std::vector<std::string>& keys) : app_(app), keys_(keys) {}

  [[nodiscard]] std::vector<CLI::ConfigItem> from_config(std::istream& in) const override {
    // One that does not end is not read on and on.
    std::string text(kMostBytes + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMostBytes) {
      throw CLI::ConfigError(config_of(app_) + ": has more than " + std::to_string(kMostBytes) +
                             " bytes, the limit of a file of options");
    }
    std::istringstream bounded(text);
    std::vector<CLI::ConfigItem> read = CLI::ConfigTOML::from_config(bounded);
    for (const CLI::ConfigItem& item : read) check(item, text);
    return read;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  void check(const CLI::ConfigItem& item, const std::string& text) const {
    const std::string key = item.parents.empty() ? item.name : item.parents.front();
    const CLI::Option* const option = app_.get_option_no_throw("--" + key);
    if (item.parents.empty() && option != nullptr && option->get_configurable()) {
      if (option->empty()) keys_.push_back("--" + key);  // else the command line has it
      return;
    }
    std::vector<std::string> names;
    for (const CLI::Option* each : app_.get_options()) {
      for (const std::string& name : each->get_lnames()) names.push_back(name);
    }
    const auto meant = nearest_name(key, names);
    throw CLI::ConfigError(config_of(app_) + ": line " + std::to_string(line_of_key(text, key)) +
                           ": found the key " + quote(key) +
                           ", expected an option of vecc-kg train as NAME = VALUE" +
                           (meant ? "; did you mean " + *meant + "?" : ""));
  }

  const CLI::App& app_;
  std::vector<std::string>& keys_;
};

// Whether the text has the option as a whole word.
bool names_option(std::string_view text, std::string_view option) {
  for (std::size_t at = text.find(option); at != std::string_view::npos;
       at = text.find(option, at + 1)) {
    const std::size_t end = at + option.size();
    const bool goes_on = end < text.size() &&
                         (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '-');
    if (!goes_on) return true;
  }
  return false;
}

}  // namespace

void add_config_option(CLI::App& app, std::vector<std::string>& keys) {
  app.config_formatter(std::make_shared<TrainConfig>(app, keys));
  app.set_config("--config", "", "Options from a TOML file; those of the command line come first");
  app.allow_config_extras(CLI::config_extras_mode::error);
}

std::string say_config_keys(const CLI::App& app, const std::vector<std::string>& keys,
                            const std::string& problem) {
  std::string named;
  for (const std::string& key : keys) {
    if (names_option(problem, key)) named += (named.empty() ? "" : ", ") + key;
  }
  return named.empty() ? problem : problem + " (" + config_of(app) + " has " + named + ")";
}

}  // namespace vecc::tools
