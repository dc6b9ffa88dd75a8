// An encoder as a Program: from learned rows of entities to the rows that a score reads.
#pragma once

#include <cstdint>
#include <string>
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

struct EncoderProgram {
  Program program;                   ///< sample i is the row of entity i, a column of `width`
  std::vector<EncoderTable> tables;  ///< all that is learned, in the order of layers
};

/// The order of the edges that the layers read.
[[nodiscard]] EdgeOrder edge_order_of(EncoderKind kind);

/// `options`: of a kind but None, checked; `graph`: in its order.
[[nodiscard]] EncoderProgram make_encoder_program(const MessageGraph& graph,
                                                  const EncoderOptions& options,
                                                  std::uint32_t width, DType dtype);

}  // namespace vecc::kg
