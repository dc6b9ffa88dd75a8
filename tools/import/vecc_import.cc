// vecc-import: makes graph.pb files from other data, and from other graphs.
#include "tools/common/data_sink.h"
#include "tools/common/logging.h"
#include "tools/common/run_tool.h"
#include "tools/import/commands.h"

namespace {

using AddCommand = void (*)(CLI::App&, vecc::ExitCode&);

// Every subcommand, in the order in which --help lists them.
constexpr AddCommand kCommands[] = {
    vecc::tools::add_tu,    vecc::tools::add_graph,     vecc::tools::add_kg,
    vecc::tools::add_rdf,   vecc::tools::add_hgb,       vecc::tools::add_sql,
    vecc::tools::add_synth, vecc::tools::add_synth_set, vecc::tools::add_repeat,
};

int run(int argc, char** argv) {
  vecc::tools::set_up_logging("warn");
  vecc::ExitCode exit_code = vecc::ExitCode::Ok;
  CLI::App app("Makes graph.pb files: data sets grounded by an architecture, neuron by neuron.",
               "vecc-import");
  app.require_subcommand(0, 1);
  bool list = false;
  app.add_flag("--list", list, "Print every architecture with its formula");
  app.footer(
      "Output names that end in .gz or .zst are compressed.\n"
      "Exit codes: 0 ok, 1 internal error, 2 usage, 3 bad input, 4 limit, 5 memory.\n\n"
      "Examples:\n"
      "  vecc-import --list\n"
      "  vecc-import tu MUTAG --model=gcn --dim=10 -o mutag.pb\n"
      "  vecc-import kg FB15k-237 --model=rgcn --dims=64,64 -o fb.pb\n"
      "  vecc-import repeat --times=10 graph.pb -o graph10.pb");
  for (const AddCommand add : kCommands) add(app, exit_code);
  if (const auto leave = vecc::tools::parse_arguments(app, argc, argv)) return *leave;
  if (list) {
    const auto written = vecc::tools::write_data("", vecc::tools::list_models());
    return written ? 0 : vecc::tools::report_errors(written.error());
  }
  if (app.get_subcommands().empty()) {
    return vecc::tools::report_usage("vecc-import", "a subcommand is missing; see --help");
  }
  return static_cast<int>(exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  return vecc::tools::run_tool([&] { return run(argc, argv); });
}
