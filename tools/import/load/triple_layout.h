// How files of triples are laid out, as options say it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace vecc::tools {

enum class TripleFormat : std::uint8_t {
  Auto,      ///< .csv, .nt, else tabs
  Tsv,       ///< tabs between names, which are any text without tabs
  Csv,       ///< RFC 4180
  Space,     ///< blanks or tabs between names, which have none
  NTriples,  ///< RDF
};
/// auto, tsv, csv, space, nt; empty after the last.
[[nodiscard]] std::string_view text_of(TripleFormat format);

struct TripleLayout {
  TripleFormat format = TripleFormat::Auto;
  bool has_header = false;  ///< the first line of each table is none of its rows
  /// Where head, relation and tail stand, from 1; other columns are passed over. All 0: in this
  /// order, and there are no others.
  std::array<std::uint32_t, 3> columns{};
  std::string types;  ///< a file of types of entities; empty: none
  /// A triple that the files have again stands again, in its own split. (N-Triples are a set: in
  /// each file once.)
  bool keeps_repeated = false;
};

/// The format that a file's name says; `.gz` and `.zst` do not count.
[[nodiscard]] TripleFormat format_of_name(std::string_view path);

/// The files that load_triples(path) reads, or would read if they were there: a folder's parts.
[[nodiscard]] std::vector<std::string> triple_files(const std::string& path);

/// Adds --format, --header and --columns; `layout` must outlive the parse.
void add_triple_format_options(CLI::App& app, TripleLayout& layout);
/// And --types.
void add_triple_layout_options(CLI::App& app, TripleLayout& layout);

}  // namespace vecc::tools
