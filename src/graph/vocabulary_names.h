// Two lists of names beside each other, and in messages.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/neuron_graph.h"

namespace vecc::graph {

inline constexpr std::uint32_t kNoName = std::numeric_limits<std::uint32_t>::max();

/// The number of each of `names` among `others`; kNoName where it is not there.
[[nodiscard]] std::vector<std::uint32_t> find_names(const StringColumn& names,
                                                    const StringColumn& others);
/// The names that find_names() did not find.
[[nodiscard]] std::vector<std::string_view> lacking_names(const StringColumn& names,
                                                          const std::vector<std::uint32_t>& found);

/// `"a", "b" and 3 more`, escaped.
[[nodiscard]] std::string list_names(const std::vector<std::string_view>& names);
/// `3 names: "0", "1", "3"`, the same way.
[[nodiscard]] std::string describe_names(const StringColumn& names);
/// `vocabulary "node label"`, escaped.
[[nodiscard]] std::string describe_vocabulary(std::string_view name);

}  // namespace vecc::graph
