// vecc-import synth: random typed graphs of any size.
#include "tools/import/load/synth.h"

#include "tools/import/commands.h"
#include "tools/import/typed_command.h"

namespace vecc::tools {

void add_synth(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand("synth", "A random typed graph of any size");
  const auto options = std::make_shared<TypedCommandOptions>();
  const auto synth = std::make_shared<SynthOptions>();
  command->add_option("--nodes", synth->nodes, "Nodes")
      ->required()
      ->check(CLI::Range(1u, 0xFFFFFFF0u).description(""))
      ->type_name("N");
  command->add_option("--edges", synth->edges, "Edges, all different")
      ->required()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{0xFFFFFFF0u}).description(""))
      ->type_name("N");
  command->add_option("--types", synth->types, "Edge types")
      ->check(CLI::Range(1u, 65536u).description(""))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--degree", [synth](const std::string& word) { synth->zipf = word == "zipf"; },
          "How the targets of edges are drawn")
      ->check(CLI::IsMember({"uniform", "zipf"}).description(""))
      ->type_name("uniform|zipf")
      ->default_str("uniform");
  command
      ->add_option("--classes", synth->classes,
                   "Every node is a sample, of one of N classes at random (default: no targets)")
      ->check(CLI::Range(2u, 65536u).description(""))
      ->type_name("N");
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
