// `-` in place of a file: stdin for what is read, stdout for what is written.
#pragma once

namespace CLI {
class Option;
}  // namespace CLI

namespace vecc::tools {

/// Of a graph that is read once from its beginning to its end, so that a pipe will do.
void allow_stdin(CLI::Option& option);
void allow_stdout(CLI::Option& option);

}  // namespace vecc::tools
