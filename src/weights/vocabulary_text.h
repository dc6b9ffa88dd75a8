// A graph's vocabularies as an entry of a weight file's metadata.
//
//   [{"name": "node label", "names": ["0", "1", "3"],
//     "uses": [{"weight_table": "h1.W", "axis": "columns", "inner": 1}]}]
//
// `names` is not there where all vocabularies' names together are too many for a header.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/neuron_graph.h"

namespace vecc::weights {

inline constexpr std::string_view kVocabulariesKey = "vocabularies";

/// The vocabularies that number something, with their uses in weight tables; and one for the rows
/// of every table with row names that no vocabulary numbers, `rows of TABLE`.
[[nodiscard]] std::vector<Vocabulary> vocabularies_in_use(const NeuronGraph& graph);

/// Empty for none. The longest lists of names are left out until the text has at most `max_bytes`.
[[nodiscard]] std::string text_of_vocabularies(const std::vector<Vocabulary>& vocabularies,
                                               std::uint64_t max_bytes);

/// None if the text is not such an array, or a list has a name twice.
[[nodiscard]] std::optional<std::vector<Vocabulary>> parse_vocabularies(std::string_view text);

}  // namespace vecc::weights
