// The options of every command that times programs.
#include <CLI/CLI.hpp>

#include "commands.h"

namespace vecc::tools {

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
  command.add_option("--threads", time.execution.threads, "CPU threads; 0: as many as there are")
      ->type_name("N")
      ->capture_default_str();
  const auto count = [&](const char* name, std::uint32_t& value, const char* text) {
    command.add_option(name, value, text)
        ->check(CLI::Range(1, 1000000).description(""))
        ->type_name("N")
        ->capture_default_str();
  };
  count("--warmup", time.warmup, "Runs that the medians leave out, but the chart shows");
  count("--repeat", time.repeat, "Runs after them");
}

}  // namespace vecc::tools
