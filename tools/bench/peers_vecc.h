// vecc's own part of vecc-bench peers, in the process that is measured.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "vecc/backend.h"
#include "vecc/error.h"

namespace vecc::tools {

struct PeersVeccRun {
  std::string graph;
  std::string backend;
  std::string outputs;    ///< vecc --json's, to be compared with; empty: not
  std::string gradients;  ///< vecc --gradients', the same
  Device device{Device::Kind::Cpu};
  MatmulPrecision precision = MatmulPrecision::Exact;
  std::uint32_t level = 2;
  bool eager = false;  ///< op by op where the backend could record a CUDA graph
  bool forward_only = false;
  std::string loss = "crossentropy";
  double rate = 0.01;
  std::uint32_t threads = 0;
  std::uint32_t warmup = 10;
  std::uint32_t repeat = 50;
  double limit = 10;  ///< seconds that one measurement may take
  bool set_up_only = false;
  bool mini_batches = false;
};
/// Measures what tools/bench/pyg/time_peer.py measures, with the same words. A backend that is not
/// there is {"absent": why, "remedy": how}. Errors: those of the stages.
[[nodiscard]] Result<nlohmann::ordered_json> time_vecc(const PeersVeccRun& run);

}  // namespace vecc::tools
