// What Python gives of a group's neurons, and whether its columns fit together.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.h"
#include "vecc/graph_io.h"

namespace vecc::python_package {

/// Rows and columns; 0, 0: a scalar.
using Sides = std::pair<std::uint32_t, std::uint32_t>;
[[nodiscard]] Shape shape_of(const Sides& sides);

/// Rows of one group: everything but its columns.
struct ChunkHead {
  std::uint64_t group_id = 0;
  std::string neuron_class;
  std::string head_predicate;
  std::string rule_text;
  std::uint64_t first_id = 0;
  std::uint32_t count = 0;
  std::optional<Sides> shape;  ///< none: not declared
  std::vector<std::string> names;
};
struct FunctionText {
  std::string combination;
  std::string transformation;
  int axis = -1;
  std::optional<std::string> expression;
};

/// `none`, `gzip` or `zstd`; `level` none: its default. Error: Usage.
[[nodiscard]] Result<Encoding> encoding_of(std::string_view compression,
                                           std::optional<std::int64_t> level);

/// Errors: Usage (no such class), UnknownFunction, ParameterRange, ProgramSyntax.
[[nodiscard]] Result<GroupChunk> chunk_of(const ChunkHead& head);
[[nodiscard]] Result<NeuronFunction> function_of(const FunctionText& text);

/// What GraphWriter::group() takes for granted. Errors: ColumnLength for every column that does not
/// fit the others.
[[nodiscard]] Result<void> check_columns(const GroupChunk& chunk);

}  // namespace vecc::python_package
