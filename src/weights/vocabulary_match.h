// The vocabularies of a weight file beside a graph's: what numbers of the one are numbers of the
// other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/graph_io/error_list.h"
#include "src/weights/vocabulary_text.h"
#include "vecc/weights.h"

namespace vecc::weights {

/// Where a graph's weights of one table stand in a file. By VocabularyUse::Axis.
struct TablePlaces {
  struct Side {
    std::vector<std::uint64_t> in_file;  ///< by the graph's position; empty: the same
    std::uint64_t file_length = 0;       ///< unless empty
  };
  std::array<Side, 3> sides;
  bool names_entries = false;  ///< both name the table's weights, so that their order is known
  bool refused = false;        ///< reported already

  [[nodiscard]] bool differ() const {
    return std::ranges::any_of(sides, [](const Side& side) { return !side.in_file.empty(); });
  }
};

class VocabularyMatch {
 public:
  /// `text`: of the file's metadata, or empty. Reports BadWeightFile, and WeightsDiffer for each
  /// vocabulary of the graph with names that the file's lacks, or that cannot be mapped.
  VocabularyMatch(const NeuronGraph& graph, std::string_view text, graph_io::ErrorList& errors);

  /// Null if the table has no axis that both number.
  [[nodiscard]] const TablePlaces* find(const std::string& table) const;
  /// Vocabularies whose numbers differ and are mapped.
  [[nodiscard]] const std::vector<std::string>& mapped() const { return mapped_; }

 private:
  void match(const NeuronGraph& graph, const Vocabulary& ours, const std::vector<Vocabulary>& file,
             graph_io::ErrorList& errors);
  void map_axes(const NeuronGraph& graph, const Vocabulary& ours, const Vocabulary& theirs,
                const std::vector<std::uint32_t>& places);

  std::unordered_map<std::string, TablePlaces> tables_;
  std::vector<std::string> mapped_;
};

/// The tensor's values as the table has them: rows and columns by name. `values`: all of the
/// tensor.
[[nodiscard]] SharedNumbers rearrange(const SharedNumbers& values,
                                      const std::vector<std::uint64_t>& file_shape,
                                      const WeightTable& table, const TablePlaces& places);

/// The tensor's shape that the table can take values from.
[[nodiscard]] std::vector<std::uint64_t> shape_in_file(const WeightTable& table,
                                                       const TablePlaces* places);

}  // namespace vecc::weights
