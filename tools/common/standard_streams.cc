#include "tools/common/standard_streams.h"

#include <CLI/CLI.hpp>
#include <string>

namespace vecc::tools {
namespace {

void read_dash_as(CLI::Option& option, const char* path) {
  option.transform(
      [path](const std::string& word) { return word == "-" ? std::string(path) : word; }, "");
}

}  // namespace

void allow_stdin(CLI::Option& option) {
  read_dash_as(option, "/dev/stdin");
}

void allow_stdout(CLI::Option& option) {
  read_dash_as(option, "/dev/stdout");
}

}  // namespace vecc::tools
