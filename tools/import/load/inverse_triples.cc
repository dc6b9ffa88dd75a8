#include "tools/import/load/inverse_triples.h"

#include <string>
#include <vector>

#include "tools/import/load/load_errors.h"
#include "tools/import/load/name_table.h"
#include "tools/import/load/text_checks.h"

namespace vecc::tools {
namespace {

constexpr std::string_view kInverseEnding = "^-1";

template <class T, class Other>
void interleave(std::vector<T>& column, const Other& other) {
  std::vector<T> both;
  both.reserve(column.size() * 2);
  for (std::size_t i = 0; i < column.size(); ++i) {
    both.push_back(column[i]);
    both.push_back(other(i));
  }
  column = std::move(both);
}

}  // namespace

Result<void> add_inverse_triples(TypedGraph& data) {
  if (data.edge_count() * 2 > kMaxRows) {
    return Errors(ErrorCode::LimitEdges, escape_terminal(data.name),
                  "with inverse relations has " + std::to_string(data.edge_count() * 2) +
                      " triples: more than " + std::to_string(kMaxRows));
  }
  for (const std::uint32_t r : data.relation) {
    if (!data.relation_names[r].ends_with(kInverseEnding)) continue;
    return Errors(ErrorCode::Usage, escape_terminal(data.name),
                  "has the inverse relation " + quote(data.relation_names[r]) +
                      " already: leave --inverse=on away");
  }
  NameTable names;
  for (std::size_t r = 0; r < data.relation_names.size(); ++r) names.add(data.relation_names[r]);
  std::vector<std::uint32_t> inverse(data.relation_count());
  for (std::uint32_t r = 0; r < data.relation_count(); ++r) {
    const std::string_view name = data.relation_names[r];
    if (!name.ends_with(kInverseEnding)) {
      inverse[r] = names.add(std::string(name) + std::string(kInverseEnding));
    }
  }
  const std::vector<std::uint32_t> heads = data.source;
  interleave(data.source, [&](std::size_t i) { return data.target[i]; });
  interleave(data.target, [&](std::size_t i) { return heads[i]; });
  interleave(data.relation, [&](std::size_t i) { return inverse[data.relation[i]]; });
  if (!data.edge_split.empty()) {
    interleave(data.edge_split, [&](std::size_t i) { return data.edge_split[i]; });
  }
  data.relation_names = names.take_names();
  return {};
}

}  // namespace vecc::tools
