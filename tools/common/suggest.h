// "Did you mean": the name that a misspelt word is nearest to.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vecc::tools {

/// Insertions, deletions, substitutions and swaps of neighbours from one to the other (the
/// optimal string alignment distance: Damerau 1964).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The nearest of the names, the first of several; none where all are too far to be meant (more
/// than a third of the word, and at least one edit is allowed).
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view word,
                                                      std::span<const std::string> names);

}  // namespace vecc::tools
