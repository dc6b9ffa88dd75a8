// An encoder as a Program: from learned rows of entities to the rows that a score reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/kg/encoder/encoder_options.h"
#include "src/kg/encoder/message_graph.h"
#include "vecc/program.h"

namespace vecc::kg {

/// How a learned table begins.
enum class TableStart : std::uint8_t {
  Embeddings,  ///< drawn as embeddings are
  Matrices,    ///< drawn as weights of layers are
  Zeros,
  Ones,
};
struct EncoderTable {
  std::string name;  ///< of a parameter of the Program
  std::uint32_t rows = 0;
  Shape shape;
  TableStart start = TableStart::Matrices;
};

/// The parameter that says which edges there are, where options have a mask: edge_values().
inline constexpr std::string_view kEdgeValues = "edges";

struct EncoderProgram {
  Program program;                   ///< sample i is the row of entity i, a column of `width`
  std::vector<EncoderTable> tables;  ///< all that is learned, in the order of layers
};

/// By edge a number, of edges that are left out 0; of others 1, of rgcn 1 / (those of the same type
/// and target that are kept). `keeps`: by edge 1 or 0.
[[nodiscard]] std::vector<double> edge_values(const MessageGraph& graph, EncoderKind kind,
                                              std::span<const std::uint8_t> keeps);

/// The order of the edges that the layers read.
[[nodiscard]] EdgeOrder edge_order_of(EncoderKind kind);

/// `options`: of a kind but None, checked; `graph`: in its order.
[[nodiscard]] EncoderProgram make_encoder_program(const MessageGraph& graph,
                                                  const EncoderOptions& options,
                                                  std::uint32_t width, DType dtype);

}  // namespace vecc::kg
