// info.dat of a heterogeneous graph benchmark: names for the numbers of its other files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/load/load_errors.h"
#include "tools/import/load/text_file.h"
#include "vecc/neuron_graph.h"

namespace vecc::tools {

using NumberNames = std::map<std::int64_t, std::string>;

struct HgbInfo {
  NumberNames node_types;
  NumberNames link_types;
  NumberNames labels;  ///< none where several node types have labels: their numbers may differ
};

/// Reads `{"node.dat": {"node type": {"0": "paper"}}, "link.dat": {"link type": {"0": {"meaning":
/// "paper-cite-paper"}}}, "label.dat": {"node type": {"0": {"0": "database"}}}}`. What is missing
/// is left empty, and so is a name; other entries are not read. Error BadTable: no JSON, or of
/// another form.
[[nodiscard]] HgbInfo parse_hgb_info(const Text& text, LoadErrors& errors);

/// The numbers that have names, for index_values.
[[nodiscard]] std::vector<std::int64_t> numbers_of(const NumberNames& names);
/// A distinct name for each number: its own, with the number behind it where another has the same;
/// the number itself where it has none.
[[nodiscard]] StringColumn name_numbers(const std::vector<std::int64_t>& numbers,
                                        const NumberNames& names);

}  // namespace vecc::tools
