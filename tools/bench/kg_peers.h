// The peers of vecc-bench kg: tools/bench/kg/time_steps.py.
#pragma once

#include <cstdint>
#include <string>

#include "src/kg/train/triple_trainer.h"

namespace vecc::tools {

/// A step that is timed, and on what.
struct KgPeerCase {
  std::string python;  ///< one that has torch, or PyKEEN
  std::string model;   ///< as --models names it
  bool on_gpu = false;
  std::uint32_t steps = 0;
  std::uint32_t repeat = 0;
  std::uint32_t give_up_seconds = 60;  ///< for all repetitions
  std::uint32_t entities = 0;
  std::uint32_t relations = 0;
  std::uint32_t triples = 0;
  kg::TripleTrainOptions train;
};

struct KgPeerTime {
  double seconds = 0;       ///< of a step, the median of the repetitions; 0: `why` it is not known
  std::uint64_t bytes = 0;  ///< the most that torch took on a GPU
  std::string how;          ///< "recorded", "eager"
  std::string why;
};

/// `peer`: "torch", "pykeen".
[[nodiscard]] KgPeerTime time_kg_peer(const std::string& peer, const KgPeerCase& of);

}  // namespace vecc::tools
