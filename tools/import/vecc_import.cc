// vecc-import: makes graph.pb files from other data, and from other graphs.
#include <cstdio>
#include <exception>
#include <new>

#include "tools/import/commands.h"

namespace {

using AddCommand = void (*)(CLI::App&, vecc::ExitCode&);

// Every subcommand, in the order in which --help lists them.
constexpr AddCommand kCommands[] = {
    vecc::tools::add_repeat,
};

vecc::ExitCode run(int argc, char** argv) {
  vecc::ExitCode exit_code = vecc::ExitCode::Ok;
  CLI::App app("Makes graph.pb files.", "vecc-import");
  app.require_subcommand(1);
  app.footer(
      "Output names that end in .gz or .zst are compressed.\n"
      "Exit codes: 0 ok, 1 internal error, 2 usage, 3 bad input, 4 limit, 5 memory.\n\n"
      "Example:\n"
      "  vecc-import repeat --times=10 graph.pb -o graph10.pb");
  for (const AddCommand add : kCommands) add(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? vecc::ExitCode::Ok : vecc::ExitCode::Usage;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return static_cast<int>(run(argc, argv));
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "error: out of memory\n");
    return static_cast<int>(vecc::ExitCode::Device);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "internal error: %s\n", error.what());
    return static_cast<int>(vecc::ExitCode::Internal);
  }
}
