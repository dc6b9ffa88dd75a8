#include "tools/common/stages.h"

#include <fmt/format.h>
#include <unistd.h>

#include "src/support/log.h"
#include "src/support/quantity_text.h"

namespace vecc::tools {

Stages::Stages(bool show_progress) {
  if (show_progress) terminal_ = terminal_of(STDERR_FILENO);
}

void Stages::begin(const std::string& name) {
  log_debug(fmt::format("{}: begins", name));
}

void Stages::end(std::string name, std::chrono::duration<double> time) {
  log_info(fmt::format("{}: {}", name, text_of_seconds(time.count())));
  stages_.push_back({std::move(name), time.count(), {}, nlohmann::ordered_json::object()});
}

void Stages::describe(std::string words, nlohmann::ordered_json numbers) {
  stages_.back().words = std::move(words);
  stages_.back().numbers = std::move(numbers);
}

std::string Stages::text() const {
  std::string result;
  for (const Stage& s : stages_) {
    result += fmt::format("{:<10} {:>10}  {}\n", s.name, text_of_seconds(s.seconds), s.words);
  }
  return result;
}

nlohmann::ordered_json Stages::json() const {
  nlohmann::ordered_json result = nlohmann::ordered_json::array();
  for (const Stage& s : stages_) {
    nlohmann::ordered_json stage{{"name", s.name}, {"seconds", s.seconds}};
    stage.update(s.numbers);
    result.push_back(std::move(stage));
  }
  return result;
}

}  // namespace vecc::tools
