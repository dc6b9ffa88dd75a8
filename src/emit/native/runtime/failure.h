// What ends the program early: lines for stderr, and the exit code, as vecc's own.
#pragma once

#include <string>
#include <vector>

namespace vecc::emitted {

enum class ExitCode : int { Ok = 0, Internal = 1, Usage = 2, BadInput = 3, Device = 5 };

/// Thrown; main() prints it.
struct Failure {
  ExitCode code = ExitCode::BadInput;
  std::vector<std::string> lines;

  Failure() = default;
  Failure(ExitCode exit_code, const std::string& place, const std::string& message)
      : code(exit_code) {
    add(place, message);
  }
  void add(const std::string& place, const std::string& message) {
    lines.push_back(place + ": error: " + message);
  }
};

}  // namespace vecc::emitted
