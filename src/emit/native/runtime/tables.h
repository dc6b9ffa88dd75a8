// What data.safetensors holds: the program as data, so that its code does not grow with it. A table
// is a tensor [rows, fields] of U64, a row a struct below.
//
//   launches     LaunchRow, in the order in which they may run
//   tiles        C++: TileRow, by launch (tile_table.h)
//   blocks       CUDA: BlockTableRow, by launch (block_table.h)
//   accesses     AccessRow, those of a launch one after another
//   words        places in indices_32, those of a launch one after another
//   buffers      BufferRow
//   weights      WeightRow; metadata `weight K`: the name, `rows K`: the digest of its row names
//   outputs      OutputRow, by sample
//   indices_16   lists and orders of launches whose entries fit 16 bits
//   indices_32   other lists and orders; offsets, words, and what tiles or blocks name
//   constants    the numbers of constant buffers: F32 or F64, what the program computes with
//   sample_lines a line a sample: id, tab, target
//
// Metadata `kernels` is the digest of the kernels' text, `digest TENSOR` that of a tensor's bytes.
#pragma once

#include <cstdint>

namespace vecc::emitted {

/// No list, no offsets, ...
inline constexpr std::uint64_t kNoPlace = ~std::uint64_t{0};

/// Places are elements of indices_16 or indices_32.
struct LaunchRow {
  std::uint64_t kernel;
  std::uint64_t is_wide;  ///< 1: its lists and its order have 32 bits
  std::uint64_t rows;
  std::uint64_t members;
  std::uint64_t offsets;
  std::uint64_t order;
  std::uint64_t access_count;
  std::uint64_t word_count;
};

struct AccessRow {
  std::uint64_t buffer;
  std::uint64_t first;  ///< element of the buffer
  std::uint64_t list;
};

enum class BufferKind : std::uint64_t { Arena, Constant, Weight };

struct BufferRow {
  BufferKind kind;
  std::uint64_t elements;
  std::uint64_t first;  ///< element of the arena, of `constants`; or the number of the weight
};

/// Rows of weights that a file may replace: the tensor [count, rows, cols], [count] of scalars.
struct WeightRow {
  std::uint64_t is_fact;  ///< 1: of facts.safetensors
  std::uint64_t count;
  std::uint64_t rows;  ///< 0: scalars
  std::uint64_t cols;
  std::uint64_t is_fixed;  ///< 1: a file may lack it, but not differ
  std::uint64_t digest;    ///< of a fixed one: of its values as doubles
};

struct OutputRow {
  std::uint64_t buffer;
  std::uint64_t first;  ///< element of the buffer
  std::uint64_t rows;   ///< 0: a scalar
  std::uint64_t cols;
};

}  // namespace vecc::emitted
