// The fields of a graph file with the right frame around them: magic, header, End with its CRC-32.
// So mutations reach the checks of the content and do not all end at the checksum.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "vecc/graph.pb.h"

namespace vecc::test {

/// The counts that the End record of a file with these fields says.
inline void set_counts(const std::string& bytes, wire::End& end) {
  wire::Graph graph;
  if (!graph.ParsePartialFromString(bytes)) return;
  for (const auto& table : graph.weight_table()) end.set_weights(end.weights() + table.count());
  for (const auto& samples : graph.samples()) {
    end.set_samples(end.samples() + static_cast<std::uint64_t>(samples.outputs_size()) +
                    static_cast<std::uint64_t>(samples.outputs64_size()));
  }
  for (const auto& group : graph.group()) {
    end.set_neurons(end.neurons() + group.count());
    end.set_edges(end.edges() + static_cast<std::uint64_t>(group.inputs_size()) +
                  static_cast<std::uint64_t>(group.inputs64_size()));
  }
}

inline std::string framed_graph(std::string_view fields) {
  std::string bytes("\x0dVECC\x12\x02\x08\x01", 9);
  bytes += fields;
  wire::End end;
  set_counts(bytes, end);
  end.set_crc32(static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size())));
  const std::string content = end.SerializeAsString();
  return bytes + '\x7a' + static_cast<char>(content.size()) + content;
}

}  // namespace vecc::test
