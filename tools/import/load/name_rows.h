// Rows of names in a text of any format of tables.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "tools/import/load/load_errors.h"
#include "tools/import/load/text_file.h"
#include "tools/import/load/triple_layout.h"

namespace vecc::tools {

struct NameRows {
  TripleFormat format = TripleFormat::Tsv;  ///< Tsv, Csv or Space
  bool has_header = false;
  std::span<const std::string_view> titles;  ///< of the columns that are wanted
  std::span<const std::uint32_t> columns;    ///< where they stand, from 1; empty: in order,
                                             ///< and there are no others
};

/// Calls `sink(place, names)` for each row until it returns false. Errors, at most one a row, as
/// BadTable: a row without all of the columns (or with others), or with an empty name.
void read_name_rows(
    const Text& text, const NameRows& rows, LoadErrors& errors,
    const std::function<bool(const Place&, std::span<const std::string_view>)>& sink);

}  // namespace vecc::tools
