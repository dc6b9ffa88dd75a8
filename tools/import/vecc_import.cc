// vecc-import: makes graph.pb files from other data, and from other graphs.
#include "tools/common/run_tool.h"
#include "tools/import/commands.h"

namespace {

using AddCommand = void (*)(CLI::App&, vecc::ExitCode&);

// Every subcommand, in the order in which --help lists them.
constexpr AddCommand kCommands[] = {
    vecc::tools::add_repeat,
};

int run(int argc, char** argv) {
  vecc::ExitCode exit_code = vecc::ExitCode::Ok;
  CLI::App app("Makes graph.pb files.", "vecc-import");
  app.require_subcommand(1);
  app.footer(
      "Output names that end in .gz or .zst are compressed.\n"
      "Exit codes: 0 ok, 1 internal error, 2 usage, 3 bad input, 4 limit, 5 memory.\n\n"
      "Example:\n"
      "  vecc-import repeat --times=10 graph.pb -o graph10.pb");
  for (const AddCommand add : kCommands) add(app, exit_code);
  if (const auto leave = vecc::tools::parse_arguments(app, argc, argv)) return *leave;
  return static_cast<int>(exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  return vecc::tools::run_tool([&] { return run(argc, argv); });
}
