// Optimized Programs on disk, by what they were made from: the second run of a graph begins where
// the first one's optimizer ended.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>

#include "src/graph/graph_outline.h"
#include "src/support/column_file.h"
#include "vecc/program.h"
#include "vecc/train.h"
#include "vecc/vectorize.h"

namespace vecc {

struct ProgramCacheOptions {
  std::string folder;  ///< empty: the user's, cache_folder("programs")
  std::uint64_t max_bytes = std::uint64_t{4} << 30;  ///< of all entries
  double min_seconds = 1;     ///< what was made in less is not kept: to make it again is as fast
  std::uint32_t threads = 0;  ///< that read an entry; 0: as many as there are cores
  std::function<void(const std::string&)> warn;  ///< may be empty
};

/// A forward Program, and what else of its graph a command needs.
struct CachedForward {
  GraphOutline outline;
  Program program;  ///< optimized; parameters without values
  VectorizeReport report;
  std::uint64_t bytes = 0;  ///< of the entry
};

/// A folder of entries: files of columns, named by the digest of their keys, which they hold too.
/// Any number of processes may use it: an entry appears whole, by rename; of two that store the
/// same, the last one stays. An entry that is damaged is removed with a warning, and is as if it
/// was not there. If the folder cannot be used, or written to, a warning says why, once, and
/// nothing is kept.
class ProgramCache {
 public:
  explicit ProgramCache(ProgramCacheOptions options);

  [[nodiscard]] std::optional<CachedForward> find_forward(const std::string& key);
  /// `graph` with `sizes`, as write_outline() has them; `tables`: its weight tables with the values
  /// that its file has. The entry's bytes; none if it is not kept.
  std::optional<std::uint64_t> store_forward(const std::string& key, const NeuronGraph& graph,
                                             const GraphSizes& sizes,
                                             std::span<const WeightTable> tables,
                                             const Program& program, const VectorizeReport& report);
  [[nodiscard]] std::optional<SavedStep> find_step(const std::string& key);
  std::optional<std::uint64_t> store_step(const std::string& key, const SavedStep& step);

  [[nodiscard]] const ProgramCacheOptions& options() const { return options_; }

 private:
  [[nodiscard]] std::string path_of(const std::string& key);
  [[nodiscard]] std::optional<ColumnFile> read(const std::string& key);
  std::optional<std::uint64_t> write(const std::string& key,
                                     const std::function<bool(ColumnWriter&)>& add_columns);
  void remove(const std::string& key, const Errors& why);
  void give_up(const std::string& why);
  void warn(const std::string& text) const;

  ProgramCacheOptions options_;
  std::string folder_;
  std::string unusable_;  // why nothing is kept; empty: it is
  bool is_told_ = false;
  std::unordered_set<std::string> used_;  // names of files
};

/// Steps of the trainings of one forward Program: entries under its key and what decides the step.
class CachedSteps final : public StepStore {
 public:
  /// `cache` must outlive it.
  CachedSteps(ProgramCache& cache, std::string forward_key)
      : cache_(cache), forward_key_(std::move(forward_key)) {}

  std::optional<SavedStep> find(const std::string& what) override;
  void keep(const std::string& what, const SavedStep& step, double seconds) override;
  [[nodiscard]] std::uint32_t found() const override { return found_; }

 private:
  ProgramCache& cache_;
  std::string forward_key_;
  std::uint32_t found_ = 0;
};

}  // namespace vecc
