#include "devices_command.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backends/cuda/device.h"
#include "commands.h"
#include "src/support/quantity_text.h"
#include "tools/common/data_sink.h"
#include "tools/common/run_tool.h"
#include "vecc/backend.h"
#include "weights_commands.h"

namespace vecc::tools {
namespace {

std::vector<cuda::DeviceInfo> find_gpus() {
  std::vector<cuda::DeviceInfo> gpus;
  for (std::uint32_t i = 0; i < cuda::device_count(); ++i) {
    if (const auto info = cuda::describe_device(i)) gpus.push_back(*info);
  }
  return gpus;
}

// Where a backend would run, of the CPU and the first GPU; else why not.
struct BackendState {
  std::string devices;
  std::string reason;
};

BackendState state_of(const Backend& backend, bool has_gpu) {
  BackendState state;
  const auto ask = [&](const Device& device, const char* name) {
    const auto available = backend.available(device);
    if (available) {
      state.devices += (state.devices.empty() ? "" : ", ") + std::string(name);
    } else if (state.reason.empty()) {
      const Errors& errors = available.error();
      state.reason = errors.list().front().message;
    }
  };
  const bool is_cuda = backend.name() == "cuda";
  if (!is_cuda) ask({Device::Kind::Cpu, 0}, "cpu");
  if (is_cuda || has_gpu) ask({Device::Kind::Cuda, 0}, "cuda:0");
  if (!state.devices.empty()) state.reason.clear();
  return state;
}

Result<void> print_text(const std::vector<cuda::DeviceInfo>& gpus) {
  std::vector<std::vector<std::string>> lines{{"device", "name", "memory", "capability", "SMs"}};
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    lines.push_back({"cuda:" + std::to_string(i), gpus[i].facts.device,
                     text_of_bytes(gpus[i].bytes), capability_text(gpus[i].facts.capability),
                     std::to_string(gpus[i].facts.multiprocessors)});
  }
  if (!gpus.empty()) VECC_TRY_VOID(print_table(lines));
  lines = {{"backend", "runs on", "if not, why"}};
  for (const Backend* backend : backends()) {
    const BackendState state = state_of(*backend, !gpus.empty());
    lines.push_back(
        {std::string(backend->name()), state.devices.empty() ? "-" : state.devices, state.reason});
  }
  return print_table(lines);
}

Result<void> print_json(const std::vector<cuda::DeviceInfo>& gpus) {
  nlohmann::ordered_json json{{"gpus", nlohmann::ordered_json::array()},
                              {"backends", nlohmann::ordered_json::array()}};
  for (const cuda::DeviceInfo& gpu : gpus) {
    json["gpus"].push_back({{"name", gpu.facts.device},
                            {"bytes", gpu.bytes},
                            {"capability", capability_text(gpu.facts.capability)},
                            {"multiprocessors", gpu.facts.multiprocessors}});
  }
  for (const Backend* backend : backends()) {
    const BackendState state = state_of(*backend, !gpus.empty());
    json["backends"].push_back(
        {{"name", backend->name()}, {"devices", state.devices}, {"reason", state.reason}});
  }
  return write_data("", json.dump(2) + "\n");
}

struct DevicesCommandLine {
  CLI::App app{"Shows the GPUs of this machine, and whether each backend can run here.",
               "vecc devices"};
  bool json = false;

  DevicesCommandLine() { app.add_flag("--json", json, "As one JSON object"); }
  DevicesCommandLine(const DevicesCommandLine&) = delete;  // its options are referred to
  DevicesCommandLine& operator=(const DevicesCommandLine&) = delete;
};

}  // namespace

int devices_main(int argc, char** argv) {
  DevicesCommandLine line;
  if (const auto code = parse_arguments(line.app, argc, argv)) return *code;
  const std::vector<cuda::DeviceInfo> gpus = find_gpus();
  const Result<void> printed = line.json ? print_json(gpus) : print_text(gpus);
  return printed ? 0 : report_errors(printed.error());
}

std::shared_ptr<CLI::App> devices_command_line() {
  return app_of(std::make_shared<DevicesCommandLine>());
}

}  // namespace vecc::tools
