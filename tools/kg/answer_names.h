// Queries and answers by names.
#pragma once

#include <string>
#include <vector>

#include "src/kg/answers.h"
#include "tools/kg/kg_model.h"

namespace vecc::tools {

/// `head,relation,?` or `?,relation,tail`, one record of RFC 4180: names with commas stand in
/// double quotes. Errors: Usage, BadTable.
[[nodiscard]] Result<kg::Query> parse_query(const KgModel& model, const std::string& text);

/// Of one query: `head relation tail score known` for each answer; tabs between, names escaped as
/// for a terminal.
[[nodiscard]] std::string lines_of(const KgModel& model, const kg::Query& query,
                                   const std::vector<kg::Answer>& answers);

/// The first line of lines_of().
inline constexpr std::string_view kAnswerHeader = "head\trelation\ttail\tscore\tknown\n";

}  // namespace vecc::tools
