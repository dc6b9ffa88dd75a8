// --split: which samples of a graph a command is about.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"
#include "vecc/neuron_graph.h"

namespace vecc::tools {

enum class SplitChoice : std::uint8_t { Train, Validation, Test, All };
/// train, validation, test, all; none for other text.
[[nodiscard]] std::optional<SplitChoice> parse_split(std::string_view text);
[[nodiscard]] std::string_view text_of(SplitChoice choice);

/// Adds --split; `choice` must outlive the parse, `default_text` says what none is.
void add_split_option(CLI::App& app, std::optional<SplitChoice>& choice, const char* default_text);

/// Test where the graph marks samples so, else all.
[[nodiscard]] SplitChoice tested_split(const NeuronGraph& graph);

/// In rising order. Train: also those without a mark, as training takes them. Error: BadSample (the
/// graph has none such).
[[nodiscard]] Result<std::vector<std::uint32_t>> choose_samples(const NeuronGraph& graph,
                                                                SplitChoice choice);

}  // namespace vecc::tools
