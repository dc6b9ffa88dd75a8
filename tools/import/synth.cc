// vecc-import synth: random typed graphs of any size.
#include "tools/import/load/synth.h"

#include "tools/common/number_options.h"
#include "tools/import/commands.h"
#include "tools/import/typed_command.h"

namespace vecc::tools {

void add_synth(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand("synth", "A random typed graph of any size");
  const auto options = std::make_shared<TypedCommandOptions>();
  options->draws_graph = true;
  const auto synth = std::make_shared<SynthOptions>();
  constexpr std::uint64_t kMostIds = 0xFFFFFFF0;
  add_unset_whole(*command, "--nodes", synth->nodes, {1, kMostIds}, "Nodes")->required();
  add_unset_whole(*command, "--edges", synth->edges, {1, kMostIds}, "Edges, all different")
      ->required();
  add_whole(*command, "--types", synth->types, {1, 65536}, "Edge types");
  command
      ->add_option_function<std::string>(
          "--degree", [synth](const std::string& word) { synth->zipf = word == "zipf"; },
          "How the targets of edges are drawn")
      ->check(CLI::IsMember({"uniform", "zipf"}).description(""))
      ->type_name("uniform|zipf")
      ->default_str("uniform");
  add_unset_whole(*command, "--classes", synth->classes, {2, 65536},
                  "Every node is a sample, of one of N classes at random (default: no targets)");
  add_typed_command(
      *command, options, false,
      [options, synth] {
        SynthOptions drawn = *synth;
        drawn.seed = options->common.seed;
        return make_random_graph(drawn);
      },
      exit_code);
  command->footer(
      "\nExamples:\n"
      "  vecc-import synth --nodes=10000 --edges=100000 --types=20 --model=rgcn -o random.pb\n"
      "  vecc-import synth --nodes=2500000 --edges=16000000 --types=535 --degree=zipf "
      "--model=rgcn \\\n      --init=none -o large.pb\n"
      "  vecc-import synth --nodes=10000 --edges=100000 --types=20 --classes=4 --model=rgcn -o "
      "train.pb");
}

}  // namespace vecc::tools
