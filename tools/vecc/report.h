// The words on stderr, and the same numbers for --json.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "execute.h"
#include "options.h"
#include "src/program_cache/program_cache.h"
#include "tools/common/stages.h"
#include "vecc/vectorize.h"

namespace vecc::tools {

/// What describes the last stage: import, initialize (of so many weights), vectorize, optimize.
void describe_import(Stages& stages, const NeuronGraph& graph, const Options& options);
void describe_initialize(Stages& stages, std::uint64_t weights, const Options& options);
void describe_vectorize(Stages& stages, const Vectorized& vectorized);
void describe_optimize(Stages& stages, const ProgramStatistics& before, const Program& after,
                       const OptimizeReport& report);

/// Describes the last stage: what was found in the program cache.
void describe_cached(Stages& stages, const CachedForward& found);

/// {"graph": {...}, "program": {...}}; program is null without one. `optimized` is what runs.
/// `sizes`: the graph's, which may have no neurons any more.
[[nodiscard]] nlohmann::ordered_json describe_sizes(const NeuronGraph& graph,
                                                    const GraphSizes& sizes,
                                                    const VectorizeReport* vectorized,
                                                    const Program* optimized);

/// Stages, sizes, backend, device, dtype and timing: what stands beside "outputs" in --json.
[[nodiscard]] nlohmann::ordered_json describe_execution(const Execution& execution,
                                                        const Stages& stages,
                                                        const nlohmann::ordered_json& sizes);

/// Prints the report to stderr; `execution` null: nothing was run.
void print_report(const Options& options, const Stages& stages, const Execution* execution);

}  // namespace vecc::tools
