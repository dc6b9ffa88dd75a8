// --backend and --device of the commands of vecc-kg.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "vecc/backend.h"

namespace vecc::tools {

/// Adds them; both must outlive the parse. `what`: what --backend chooses.
void add_device_options(CLI::App& app, std::string& backend, Device& device,
                        const std::string& what);
/// After the parse: empty if they agree; the device is then the backend's.
[[nodiscard]] std::string choose_device(const std::string& backend, Device& device);

}  // namespace vecc::tools
