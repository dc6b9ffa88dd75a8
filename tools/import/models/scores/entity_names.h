// Names of entities: numbers where the data has none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/load/typed_graph.h"
#include "vecc/error.h"

namespace vecc::tools {

[[nodiscard]] std::string entity_name(const TypedGraph& data, std::uint32_t entity);

/// The entities of these names, in the names' order without repeated ones. Error: Usage, for each
/// name that no entity has, with the closest names there are; `option` is what gave the names.
[[nodiscard]] Result<std::vector<std::uint32_t>> find_entities(
    const TypedGraph& data, const std::vector<std::string>& names, std::string_view option);

/// Insertions, deletions and replacements of bytes that make one text of the other; `limit` for any
/// number from there on.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to,
                                        std::size_t limit);

}  // namespace vecc::tools
