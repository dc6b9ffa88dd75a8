// The programs that vecc-bench peers measures, and how each is started.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "peers_bench.h"

namespace vecc::tools {

struct PeerRunner {
  std::string_view name;
  std::string_view backend;  ///< vecc's; empty: a peer
  std::string_view script;   ///< a peer's, in the source tree
  std::string_view way;      ///< its --way
  bool compiles;             ///< and keeps what it compiled, for the next process
};
/// All, in the order of the table.
[[nodiscard]] std::span<const PeerRunner> peer_runners();

/// Whether the case has a line for the runner (if only one that says why it was left out).
[[nodiscard]] bool has_line(const PeerRunner& runner, const PeerCase& what);

/// What the runners of a case read and write.
struct PeerFiles {
  std::string folder;  ///< private; caches go there
  std::string graph;
  std::string outputs;    ///< vecc --json's of the reference
  std::string gradients;  ///< vecc --gradients' of it
};
/// Runs it in a process of its own, or two: the first with an empty cache. What it lacks or fails
/// at is in the row. Errors: CannotWrite.
[[nodiscard]] Result<PeerRow> run_peer(const PeerRunner& runner, const PeerCase& what,
                                       const PeerFiles& files, const PeersBenchOptions& options);

}  // namespace vecc::tools
