#include "src/weights/table_rows.h"

#include <zlib.h>

#include <cstdio>

#include "vecc/escape.h"

namespace vecc::weights {

std::string describe_weights(const WeightTable& table) {
  return "weight table \"" + escape_terminal(table.name) + "\"";
}

Result<void> check_values(const NeuronGraph& graph) {
  Errors missing;
  for (const WeightTable& table : graph.weight_tables) {
    if (table.has_values) continue;
    missing.add(ErrorCode::MissingValues, describe_weights(table), "has no values");
  }
  if (missing.empty()) return {};
  return missing;
}

std::string rows_key(const WeightTable& table) {
  return "rows of " + table.name;
}

std::string digest_of_rows(const StringColumn& names) {
  const auto add = [](uLong crc, const void* data, std::size_t size) {
    return crc32_z(crc, static_cast<const Bytef*>(data), size);
  };
  const uLong texts = add(0, names.bytes.data(), names.bytes.size());
  const uLong all = add(texts, names.begin.data(), names.begin.size() * sizeof names.begin[0]);
  char text[16];
  std::snprintf(text, sizeof text, "%08lx", all);
  return text;
}

}  // namespace vecc::weights
