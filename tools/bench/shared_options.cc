// Options that several commands have.
#include <CLI/CLI.hpp>

#include "commands.h"
#include "tools/common/number_options.h"

namespace vecc::tools {

void add_set_options(CLI::App& command, std::vector<std::string>& data,
                     std::vector<std::string>& models, std::uint32_t& dim) {
  command.add_option("data", data, "Folders in TUDataset text")->required()->type_name("DIR ...");
  command.add_option("--models", models, "Architectures")
      ->delimiter(',')
      ->check(CLI::IsMember({"gcn", "sage", "gin"}).description(""))
      ->type_name("gcn|sage|gin,...")
      ->capture_default_str();
  add_whole(command, "--dim", dim, {1, 4096}, "Dimensions of every layer");
}

void add_peer_option(CLI::App& command, std::string& python) {
  command
      .add_option("--python", python,
                  "A Python with torch_geometric, the peer; an empty name: no peer")
      ->type_name("PATH")
      ->capture_default_str();
}

void add_timing_options(CLI::App& command, TimeOptions& time) {
  command.add_option("--backend", time.backend, "What runs the programs")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--device",
          [&time](const std::string& text) {
            const Result<Device> device = parse_device(text);
            if (!device) throw CLI::ValidationError("--device", device.error().text());
            time.execution.device = *device;
          },
          "Where they run, the peer too")
      ->type_name("auto|cpu|cuda[:N]")
      ->default_str("auto");
  add_whole(command, "--threads", time.execution.threads, {0, 4096},
            "CPU threads; 0: as many as there are");
  const auto count = [&](const char* name, std::uint32_t& value, const char* text) {
    add_whole(command, name, value, {1, 1'000'000}, text);
  };
  count("--warmup", time.warmup, "Runs that the medians leave out, but the chart shows");
  count("--repeat", time.repeat, "Runs after them");
}

}  // namespace vecc::tools
