#include "learn_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/common/run_tool.h"
#include "vecc/escape.h"

namespace vecc::tools {

int run_learn_program(const char* command, int argc, char** argv) {
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  std::string path = (self.parent_path() / "vecc-learn").string();
  std::vector<char*> words{path.data()};
  words.insert(words.end(), argv, argv + argc);
  words.push_back(nullptr);
  if (!unknown) ::execv(path.c_str(), words.data());
  const int error = unknown ? unknown.value() : errno;
  if (error != ENOENT) {
    return report_usage(command, fmt::format("{} cannot be run: {}", escape_terminal(path, 4096),
                                             std::strerror(error)));
  }
  return report_usage(
      command, fmt::format("needs the program vecc-learn beside vecc, and there is no {}: cmake "
                           "--build build --target vecc-learn, or ./tools/run learn ...",
                           escape_terminal(path, 4096)));
}

int learn_program_main(int argc, char** argv) {
  return run_learn_program("vecc learn", argc, argv);
}

std::shared_ptr<CLI::App> learn_program_command_line() {
  auto app = std::make_shared<CLI::App>(kLearnDescription, "vecc learn");
  app->footer("\nIts options: those of vecc-learn learn.");
  return app;
}

}  // namespace vecc::tools
