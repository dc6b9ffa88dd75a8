#include "tools/kg/device_options.h"

#include <CLI/CLI.hpp>

namespace vecc::tools {

void add_device_options(CLI::App& app, std::string& backend, Device& device,
                        const std::string& what) {
  app.add_option("--backend", backend, what)
      ->check(CLI::IsMember({"cpu", "cuda"}).description(""))
      ->type_name("cpu|cuda")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--device",
         [&device](const std::string& text) {
           const Result<Device> parsed = parse_device(text);
           if (!parsed) {
             throw CLI::ValidationError("--device", parsed.error().list().front().message);
           }
           device = *parsed;
         },
         "Which GPU")
      ->type_name("auto|cpu|cuda|cuda:N")
      ->default_str("auto");
}

std::string choose_device(const std::string& backend, Device& device) {
  const auto kind = backend == "cuda" ? Device::Kind::Cuda : Device::Kind::Cpu;
  if (device.kind == Device::Kind::Auto) device.kind = kind;
  if (device.kind == kind) return {};
  return "--backend=" + backend + " does not run on the --device that is given";
}

}  // namespace vecc::tools
