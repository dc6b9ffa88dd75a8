// The stages of a tool: each timed, shown and logged.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/common/progress_line.h"

namespace vecc::tools {

struct Stage {
  std::string name;
  double seconds = 0;
  std::string words;               ///< for the report: `106,629 neurons`
  nlohmann::ordered_json numbers;  ///< an object, for --json
};

class Stages {
 public:
  /// `show_progress`: draw a progress line where stderr is a terminal.
  explicit Stages(bool show_progress);

  /// Runs `body(ProgressLine&)` as the stage `name` and returns its result.
  template <class Body>
  auto run(std::string name, Body&& body) {
    begin(name);
    const auto start = std::chrono::steady_clock::now();
    ProgressLine line(name, terminal_);
    auto result = std::forward<Body>(body)(line);
    end(std::move(name), std::chrono::steady_clock::now() - start);
    return result;
  }
  /// A stage that is over.
  void add(std::string name, std::chrono::duration<double> time) { end(std::move(name), time); }
  /// What the report says about the last stage.
  void describe(std::string words,
                nlohmann::ordered_json numbers = nlohmann::ordered_json::object());

  [[nodiscard]] const std::vector<Stage>& list() const { return stages_; }
  /// One line a stage.
  [[nodiscard]] std::string text() const;
  /// `[{"name": "import", "seconds": 0.1, ...}, ...]`
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  static void begin(const std::string& name);
  void end(std::string name, std::chrono::duration<double> time);

  Terminal terminal_;
  std::vector<Stage> stages_;
};

}  // namespace vecc::tools
