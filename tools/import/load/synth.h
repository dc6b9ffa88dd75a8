// Random typed graphs of any size.
#pragma once

#include <cstdint>

#include "tools/import/load/typed_graph.h"
#include "vecc/error.h"

namespace vecc::tools {

struct SynthOptions {
  std::uint32_t nodes = 0;
  std::uint64_t edges = 0;
  std::uint32_t types = 1;
  bool zipf = false;  ///< targets by Zipf's law, exponent 1; else uniform
  std::int64_t seed = 0;
  std::uint32_t classes = 0;  ///< of which each node has one, drawn uniformly; 0: no labels
};
/// Distinct random edges (docs/architectures.md), the same for the same options on every machine.
/// The edges do not depend on `classes`. Nothing has a name of its own: relation_names are "r0",
/// "r1", ..., label_names "c0", "c1", ...; node_names are empty. 12 bytes an edge stay; 8 to 16
/// more, and with Zipf's law 12 a node, are taken meanwhile; 12 a labelled node stay. Errors: Usage
/// (0 nodes or types; more edges than half of the distinct triples there are), LimitEdges (more
/// than 32-bit numbers can name).
[[nodiscard]] Result<TypedGraph> make_random_graph(const SynthOptions& options);

}  // namespace vecc::tools
