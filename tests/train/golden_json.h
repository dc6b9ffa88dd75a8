// The JSON dumps of NeuraLogic's initialisers and trainers in ../shared/golden.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace vecc::test {

/// `train-sgd-xor` gives the path of its dump.
[[nodiscard]] std::string golden_path(const std::string& name);
/// Whether it is there; in continuous integration (CI=true) a missing one fails the test.
[[nodiscard]] bool has_golden(const std::string& path);
/// Unpacks with `xz`.
[[nodiscard]] nlohmann::json read_golden(const std::string& path);

}  // namespace vecc::test
