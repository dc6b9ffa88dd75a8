// Recursions of a given depth.
#pragma once

#include <cstdint>

#include "vecc/neuron_graph.h"

namespace vecc::test {

/// Each neuron reads the one before; the last is a sample.
[[nodiscard]] NeuronGraph one_chain(std::uint32_t depth);
/// The same with a weight a level.
[[nodiscard]] NeuronGraph chain_of_weights(std::uint32_t depth);
/// That, with all levels summed up in the end.
[[nodiscard]] NeuronGraph levels_summed_up(std::uint32_t depth);
/// A chain with a group a level.
[[nodiscard]] NeuronGraph chain_of_groups(std::uint32_t depth);
/// Twenty chains of one group, of different lengths.
[[nodiscard]] NeuronGraph uneven_chains(std::uint32_t depth);
/// Rows of three that read the last two rows and one halfway back.
[[nodiscard]] NeuronGraph skipping_rows(std::uint32_t depth);
/// anc(X,Z) :- parent(X,Y), anc(Y,Z): a rule, an aggregation and an atom a level.
[[nodiscard]] NeuronGraph ancestor_levels(std::uint32_t depth);

}  // namespace vecc::test
