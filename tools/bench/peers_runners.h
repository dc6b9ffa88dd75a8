// The programs that vecc-bench peers measures, and how each is started.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "peers_bench.h"

namespace vecc::tools {

struct PeerRunner {
  std::string_view name;
  std::string_view backend;      ///< vecc's; empty: a peer
  std::string_view script;       ///< a peer's, in the source tree
  std::string_view layers = "";  ///< time_peer.py's --layers: pyg, fast, torch, types
  std::string_view way = "";     ///< its --way, and that of vecc's torch: eager, compile, capture
  bool compiles = false;         ///< and keeps what it compiled, for the next process
  Device::Kind device = Device::Kind::Auto;  ///< where it runs; Auto: everywhere
  std::uint32_t level = 2;                   ///< vecc's -O
};
/// All, in the order of the table.
[[nodiscard]] std::span<const PeerRunner> peer_runners();

/// Whether the case has a line for the runner (if only one that says why it was left out).
[[nodiscard]] bool has_line(const PeerRunner& runner, const PeerCase& what,
                            const PeersBenchOptions& options);
/// Whether the peer can be started for the case: else why not is in the row.
[[nodiscard]] bool can_start(const PeerRunner& runner, const PeerCase& what,
                             const PeersBenchOptions& options, PeerRow& row);
/// Does the peer run by tools/bench/pyg/time_peer.py?
[[nodiscard]] bool is_torch_peer(const PeerRunner& runner);
[[nodiscard]] bool is_neumann(const PeerRunner& runner);
[[nodiscard]] PeerRow absent_row(PeerRow row, std::string why, std::string remedy);

/// What the runners of a case read and write.
struct PeerFiles {
  std::string folder;  ///< private; caches go there
  std::string graph;
  std::string outputs;    ///< vecc --json's of the reference
  std::string gradients;  ///< vecc --gradients' of it; empty: not compared
};
/// Runs it in a process of its own, or two: the first with an empty cache. What it lacks or fails
/// at is in the row. Errors: CannotWrite.
[[nodiscard]] Result<PeerRow> run_peer(const PeerRunner& runner, const PeerCase& what,
                                       const PeerFiles& files, const PeersBenchOptions& options);

}  // namespace vecc::tools
