// Texts as vectors without a vocabulary: hashed n-grams (Weinberger et al., "Feature Hashing for
// Large Scale Multitask Learning", 2009).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace vecc::tools::sql {

/// Appends `entries` numbers: each word, and each three characters of it (`_wo`, `wor`, `ord`,
/// `rd_`), adds 1 or -1 to the entry that its hash names; the whole has length 1, or is 0 where
/// there is no word. A word is a run of letters, digits and bytes beyond ASCII; A is a.
void add_text_features(std::string_view text, std::uint32_t entries, std::vector<double>& out);

}  // namespace vecc::tools::sql
