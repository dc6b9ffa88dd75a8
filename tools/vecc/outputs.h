// The outputs of a run by sample, as text or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "execute.h"
#include "tools/common/data_sink.h"

namespace vecc::tools {

/// Lines of id, value and target (`-` if there is none); of a cross-validation also the fold, and
/// none of samples that are in no fold. `aligned`: columns with a header, for
/// people; else separated by tabs. A vector is written `[1, 2]`, a matrix `[[1, 2], [3, 4]]`.
void write_outputs(DataSink& sink, const NeuronGraph& graph, const Execution& execution,
                   bool aligned);

/// `{"outputs": [{"sample": "s0", "value": 0.5, "target": 1}, ...], ...}`, a line a sample, then
/// the members of `rest`. A scalar is a number, a vector an array, a matrix an array of rows; what
/// is no scalar also has "shape": [rows, cols]; what is no number is "NaN", "Infinity",
/// "-Infinity"; no target is null. Of a cross-validation also "fold", and no samples without one.
void write_outputs_json(DataSink& sink, const NeuronGraph& graph, const Execution& execution,
                        const nlohmann::ordered_json& rest);

/// A sample's id as the graph has it (data: escape it for every sink), or its number.
[[nodiscard]] std::string sample_id(const NeuronGraph& graph, std::size_t sample);
/// The shortest number that reads back as the same; "NaN", "Infinity", "-Infinity".
[[nodiscard]] nlohmann::ordered_json json_of_number(double value, bool single);

/// A sample's id, and its target (`-` if there is none), as write_outputs() prints them.
[[nodiscard]] std::string text_of_sample_id(const NeuronGraph& graph, std::size_t sample);
[[nodiscard]] std::string text_of_target(const NeuronGraph& graph, std::size_t sample);

/// How many outputs hold a NaN or an infinity.
[[nodiscard]] std::uint64_t count_not_finite(const Execution& execution);

}  // namespace vecc::tools
