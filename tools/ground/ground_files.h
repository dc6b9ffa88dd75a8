// From files to graph.pb: all that vecc-ground does, and what a front end asks for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/common/stages.h"
#include "tools/ground/fact_base.h"
#include "tools/ground/resolve_template.h"
#include "tools/ground/rule_query.h"
#include "tools/import/ground/compression_options.h"
#include "tools/import/ground/grounder.h"
#include "vecc/error.h"
#include "vecc/graph_io.h"

namespace vecc::tools::ground {

/// Of one query: its example, and whether the rules derive it there (one with variables: an atom
/// of it).
struct QueryAnswer {
  std::uint32_t example = 0;
  bool derived = false;
};

/// What callers may want to know beside the file.
struct GroundReport {
  std::vector<QueryAnswer> answers;  ///< in the order of the queries
  std::vector<std::string> weights;  ///< names of the template's learnable ones, reached or not
};

struct GroundOptions {
  std::string template_path;
  std::string facts_path;
  std::string queries_path;  ///< empty: the examples have their own
  std::string output;
  bool names_output = true;  ///< in the report
  FunctionDefaults defaults;
  bool keep_outputs = false;  ///< see GroundNetwork
  bool explain = false;       ///< the SQL to stdout
  SqlEngine engine = SqlEngine::Sqlite;
  CompressionOptions compression;  ///< its threads ground, too
  std::string init = "glorot";     ///< an initializer's name, or none
  std::int64_t seed = 0;
  bool quiet = false;
  bool double_rules = false;  ///< scalars of the template: see language::Limits::double_scalars
  bool double_facts = false;  ///< of examples and queries
  std::uint64_t max_groundings = std::uint64_t{1} << 32;
  ImportLimits limits;
  std::string producer = "vecc-ground";
  GroundReport* report = nullptr;  ///< filled; may be null
};

/// The file appears whole or not at all. Errors: those of the stages; Usage: two paths name one
/// file, or the output has no such level of compression.
[[nodiscard]] Result<void> ground_files(const GroundOptions& options, Stages& stages);

/// The stages behind the facts, for callers that have them from elsewhere: grounds `base` and
/// writes the network. `data` has the predicates of the facts; `add` gives the graph what is no
/// neuron (vocabularies), and may be empty.
[[nodiscard]] Result<void> ground_facts(const GroundOptions& options,
                                        const language::Template& parsed, RuleProgram& program,
                                        FactBase& base, const language::DataPredicates& data,
                                        Stages& stages,
                                        const std::function<void(Grounder&)>& add = {});

}  // namespace vecc::tools::ground
