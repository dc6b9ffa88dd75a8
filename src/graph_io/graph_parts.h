// A graph file in parts that are written at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph_io/file_sink.h"
#include "src/support/atomic_file.h"
#include "vecc/error.h"
#include "vecc/graph.pb.h"
#include "vecc/graph_io.h"

namespace vecc::graph_io {

/// A file that takes the fields `begin` .. `end - 1` of a graph.
struct GraphPart {
  std::unique_ptr<FileSink> sink;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// What one GraphWriter does of a graph in parts: it counts all fields, and writes those of
/// `parts`, which are in order. The End record is written by none.
struct PartsPass {
  std::string name;  ///< of the graph, in errors
  std::span<GraphPart> parts;
  std::uint64_t fields = 0;
  std::vector<std::uint64_t>* bytes_of_fields = nullptr;  ///< filled, about; may be null
  wire::End end;                                          ///< at the end: what the writer counted
  std::uint32_t crc = 0;                                  ///< of what it wrote
  std::uint64_t bytes = 0;

  /// The file of the next field, which has about so many bytes; null: of another pass.
  Result<FileSink*> next_field(std::uint64_t about_bytes);
};

/// More are not open at a time, nor removed by a signal.
inline constexpr std::uint32_t kMostParts = kMostRemembered;

struct PartsOptions {
  std::vector<std::string> paths;  ///< kMostParts at most
  Encoding encoding;               ///< its threads: that write parts and compress
  std::string producer;
  bool vocabularies = false;
};
/// Writes a graph to files that are the graph one after another: byte for byte the file that a
/// GraphWriter makes, or, compressed, one that unpacks to its bytes. What a part has does not
/// depend on the threads, and all are of about the same size before compression.
///
/// `write` calls a GraphWriter from its first field to finish(); it is called once to measure the
/// fields, then on several threads at once, and has to write the same each time.
/// Errors: those of `write` and of GraphWriter; Usage (more files than fields). Files appear when
/// all are whole.
using WriteGraph = std::function<Result<void>(GraphWriter writer)>;
[[nodiscard]] Result<void> write_graph_parts(const PartsOptions& options, const WriteGraph& write);

}  // namespace vecc::graph_io
