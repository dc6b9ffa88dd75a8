// Queries and answers by names.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/kg/answers.h"
#include "tools/kg/kg_model.h"

namespace vecc::tools {

/// `head,relation,?` or `?,relation,tail`, one record of RFC 4180: names with commas stand in
/// double quotes, and so does one that is "?". Errors: Usage, BadTable.
[[nodiscard]] Result<kg::Query> parse_query(const KgModel& model, const std::string& text);

/// The same of names; none is what is asked for. Error: Usage (not one of head and tail is none, or
/// a name that the model does not know; `place` says where it stands).
using QueryNames = std::array<std::optional<std::string>, 3>;
[[nodiscard]] Result<kg::Query> query_of_names(const KgModel& model, const QueryNames& names,
                                               const std::string& place);

/// kg::answer_queries() by names: known are `triples`, also where a query asks them by NAME^-1.
/// `asks_inverse`: for heads by inverse relations, where the weights have them, as
/// evaluate_triples() does; options.inverse is not read. Error: that of choose_inverse().
[[nodiscard]] Result<std::vector<std::vector<kg::Answer>>> answer_by_names(
    const KgModel& model, std::span<const kg::Query> queries, std::vector<kg::Triple> triples,
    kg::AnswerOptions options, bool asks_inverse);

/// Of one query: `head relation tail score known` for each answer; tabs between, names escaped as
/// for a terminal.
[[nodiscard]] std::string lines_of(const KgModel& model, const kg::Query& query,
                                   const std::vector<kg::Answer>& answers);

/// The first line of lines_of().
inline constexpr std::string_view kAnswerHeader = "head\trelation\ttail\tscore\tknown\n";

}  // namespace vecc::tools
