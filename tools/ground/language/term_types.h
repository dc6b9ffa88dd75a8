// Types of terms, where they are written at some places of a name only. Private to this folder.
#pragma once

#include "tools/ground/language/source.h"
#include "tools/ground/language/template.h"
#include "tools/import/load/load_errors.h"

namespace vecc::tools::language {

/// A variable has one type in a rule: NeuraLogic gives it to all its places. Error BadTable: two.
/// False after an error.
bool spread_types(Rule& rule, const Source& source, LoadErrors& errors);

/// A constant has one type in a file, or none; NeuraLogic would take the last one for all places.
/// Error BadTable at the first place that differs.
void check_types(const Source& source, LoadErrors& errors);

}  // namespace vecc::tools::language
