// How large a file's weight tables and facts are, before it is read.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>

namespace vecc::graph_io {

struct TableSizes {
  boost::unordered_flat_map<std::string, std::uint64_t> tables;  ///< numbers by the table's name
  std::uint64_t facts = 0;                                       ///< numbers of all constant facts

  bool operator==(const TableSizes&) const = default;
};

/// Of a file that can be read from any place and is not compressed, by the first bytes of its
/// fields; of others none. What to make room for: a table that grew chunk by chunk would be copied
/// again and again. Nothing is checked but that a reader would not refuse the file for its size
/// (`most_bytes`) or that of a field; all together are no more than 4 bytes of the file each.
[[nodiscard]] TableSizes find_table_sizes(const std::string& path, std::uint64_t most_bytes);

}  // namespace vecc::graph_io
