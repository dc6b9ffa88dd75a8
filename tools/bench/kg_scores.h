// Forward scores of batches of triples, alone: what vecc-bench kg-scores measures.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/kg/triple.h"
#include "time_program.h"
#include "tools/import/load/typed_graph.h"
#include "vecc/error.h"

namespace vecc::tools {

/// The scores that cuKE's table has.
inline constexpr std::array kScoresOfTable{"transe", "transh", "transr", "transf", "rescal"};

struct ScoreCase {
  std::string model;
  std::uint32_t batch_size = 0;
  std::uint32_t dim = 0;
  bool negatives = false;  ///< else positives
};

/// The first triples of the set's training triples (all, where there are no splits); of negatives
/// each tail is another entity, drawn uniformly, so that no triple of the batch is there twice.
/// Error: Usage (the set has fewer).
[[nodiscard]] Result<std::vector<kg::Triple>> batch_of(const TypedGraph& set,
                                                       const ScoreCase& what);

/// A weight table in single precision, and its rows by entity or relation.
struct ScoreTable {
  std::string name;  ///< e, r, M, w
  std::uint32_t rows = 0;
  std::uint32_t size = 0;     ///< numbers a row
  std::vector<float> values;  ///< rows * size
};
/// What is scored: `triples` have rows of the tables.
struct ScoreData {
  std::vector<kg::Triple> triples;
  std::vector<ScoreTable> tables;

  /// Null: there is none.
  [[nodiscard]] const ScoreTable* table(std::string_view name) const;
};
/// A score in double, as its formula says: docs/architectures.md.
[[nodiscard]] double direct_score(const ScoreData& data, const std::string& model,
                                  const kg::Triple& triple);

struct ScoreTime {
  std::string device;
  TimedRuns host;            ///< until the host has seen the end of the run
  TimedRuns on_device;       ///< the same on the GPU's own clock; on a CPU empty
  std::uint64_t bytes = 0;   ///< held by the backend, on the GPU where it runs there
  double difference = 0;     ///< the largest |a - b| / max(1, |b|) of 64 scores from direct_score()
  std::vector<float> found;  ///< by triple
};
struct MeasuredScores {
  ScoreData data;
  ScoreTime time;
};
/// Grounds the batch by vecc-import among all entities and relations of the set, compiles its
/// forward pass and runs it, 3 times at least and no longer than `most_seconds`. Errors: those of
/// batch_of(), vecc-import, the stages and the backend; OutOfMemory (the host's, too);
/// DeviceFailure (other scores than direct_score()'s).
[[nodiscard]] Result<MeasuredScores> measure_scores(const TypedGraph& set, const ScoreCase& what,
                                                    const TimeOptions& options,
                                                    double most_seconds);

}  // namespace vecc::tools
