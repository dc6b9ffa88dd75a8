// GraphWriter's columns to messages of the wire.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "vecc/graph.pb.h"
#include "vecc/graph_io.h"

namespace vecc::graph_io {

/// Elements of a constant fact's value; 0 for other neurons.
[[nodiscard]] inline std::uint64_t value_size(const GroupChunk& chunk) {
  return chunk.fact == FactKind::Constant ? chunk.shape.size() : 0;
}

/// `count` entries from `begin` on, or nothing of a column that is not there.
template <class T>
[[nodiscard]] std::span<const T> part_of(std::span<const T> column, std::uint64_t begin,
                                         std::uint64_t count) {
  return column.empty() ? column : column.subspan(begin, count);
}

/// Neurons `begin` .. `begin + count - 1` of a GroupChunk, with their edges.
struct ChunkPart {
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
  std::uint64_t first_edge = 0;
  std::uint64_t edges = 0;
};

/// The bytes before a top-level field's message of `size` bytes.
[[nodiscard]] std::string field_head(std::uint32_t number, std::uint32_t size);

/// A part of a chunk as one message; `is_new`: the group's first.
[[nodiscard]] wire::Group make_group(const GroupChunk& chunk, const ChunkPart& part, bool is_new);

/// Samples as one message, each column only where a sample needs it. `ids`: samples have ids.
[[nodiscard]] wire::Samples make_samples(std::span<const SampleRecord> records, bool ids);

/// A vocabulary's names from `begin` on, as many as a chunk holds; its uses with the first ones.
[[nodiscard]] wire::Vocabulary make_vocabulary(const Vocabulary& vocabulary, std::size_t begin);

}  // namespace vecc::graph_io
