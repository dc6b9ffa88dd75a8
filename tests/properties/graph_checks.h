// What must hold for every well-formed graph; each check returns what is wrong, or "".
#pragma once

#include <string>

#include "tests/support/random_graph.h"
#include "vecc/graph_io.h"
#include "vecc/neuron_graph.h"

namespace vecc::test {

/// The reference gives every neuron the shape and the value that the generator computed.
[[nodiscard]] std::string check_reference(const RandomGraph& random);

/// Every backend that can run here agrees with the reference on every neuron and every output:
/// in double to 1e-9, in single precision to 1e-4, each |a - b| <= tolerance * max(1, |b|); an
/// exact graph without any difference. The torch backend runs on the device that VECC_TEST_DEVICE
/// names (default cpu). `compiled`: the cpu backend, too; it always runs with VECC_FULL.
[[nodiscard]] std::string check_agreement(const NeuronGraph& graph, bool exact, bool compiled);

/// The same in double alone, where numbers do not overflow before the reference's do.
[[nodiscard]] std::string check_agreement_in_double(const NeuronGraph& graph, bool compiled);

/// The vectorized Program passes verify(), its text parses to a Program with the same text, and
/// vectorizing again gives the same text.
[[nodiscard]] std::string check_program_text(const NeuronGraph& graph);

/// Writing and reading gives the same graph.
[[nodiscard]] std::string check_round_trip(const NeuronGraph& graph, Compression compression);

}  // namespace vecc::test
