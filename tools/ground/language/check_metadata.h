// The metadata of a template. Private to this folder.
#pragma once

#include "tools/ground/language/check_list.h"

namespace vecc::tools::language {

/// Keys, and the functions and values that stand behind them; what is read and not used.
void check_metadata(const Template& parsed, CheckList& list);

}  // namespace vecc::tools::language
