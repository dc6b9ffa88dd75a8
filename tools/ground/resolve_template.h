// What a template means: functions, weights and defaults decided, everything numbered.
#pragma once

#include "tools/ground/language/check.h"
#include "tools/ground/language/template.h"
#include "tools/ground/rule_program.h"
#include "vecc/error.h"

namespace vecc::tools::ground {

using language::FunctionDefaults;

/// `source`: what language::check_template() found nothing wrong with. Error BadTable, with line
/// and column: what vecc-ground does not do.
[[nodiscard]] Result<RuleProgram> resolve_template(const language::Template& source,
                                                   const FunctionDefaults& defaults);

}  // namespace vecc::tools::ground
