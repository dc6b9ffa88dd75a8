// Examples and queries to a FactBase.
#pragma once

#include <functional>
#include <optional>

#include "tools/ground/fact_base.h"
#include "tools/ground/language/check.h"
#include "tools/ground/language/parse.h"
#include "tools/ground/rule_program.h"
#include "tools/import/load/text_file.h"
#include "vecc/error.h"

namespace vecc::tools::ground {

/// Facts of predicates that the program never reads are counted and left out; `data` sees all.
/// `queries`: the file of queries, or none where the examples have their own. Errors, with line and
/// column: BadTable (what the language's parser says; a fact with variables; two values of one
/// fact, one of them learnable; rules among the facts; other numbers of examples and queries, or
/// names that do not match).
[[nodiscard]] Result<FactBase> load_facts(RuleProgram& program, const Text& examples,
                                          const std::optional<Text>& queries,
                                          language::DataPredicates& data,
                                          const std::function<void(std::uint64_t facts)>& progress,
                                          const language::Limits& limits = {});

}  // namespace vecc::tools::ground
