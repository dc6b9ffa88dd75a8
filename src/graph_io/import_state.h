// What one import knows so far.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "src/graph_io/error_list.h"
#include "src/graph_io/id_map.h"
#include "src/graph_io/table_sizes.h"
#include "vecc/graph_io.h"
#include "vecc/neuron_graph.h"

namespace vecc::graph_io {

/// A chunk of neurons as it arrived. Its columns are in the graph already; inputs and weights hold
/// the file's ids until resolve_references().
struct NeuronChunk {
  std::uint32_t range = 0;  ///< in NeuronGraph::ranges
  NeuronId first = 0;
  std::uint32_t count = 0;
  bool uniform = true;             ///< fan_in is every neuron's
  std::uint32_t fan_in = 0;        ///< if uniform
  std::uint64_t fan_in_begin = 0;  ///< else: into ImportState::fan_in
  std::uint64_t first_edge = 0;
  std::uint64_t edges = 0;
  std::vector<std::uint64_t> wide_inputs;  ///< ids of a chunk with 64-bit ones; else in `inputs`
};

/// A chunk of a weight table: ids first .. first + count - 1 are the table's rows from `row` on.
struct WeightChunk {
  std::uint32_t table = 0;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t row = 0;
  bool is_void = false;  ///< refused
};

struct ImportState {
  explicit ImportState(const ImportLimits& given) : limits(given), errors(given.max_errors) {}

  ImportLimits limits;
  NeuronGraph graph;
  ErrorList errors;
  bool stopped = false;  ///< a limit was met: reading on is pointless

  std::uint64_t neuron_count = 0;  ///< claimed so far, refused chunks included
  std::uint64_t edge_count = 0;
  std::uint64_t weight_count = 0;

  boost::unordered_flat_map<std::uint64_t, GroupIndex> group_of_id;
  boost::unordered_flat_map<std::string, std::uint32_t> function_of_key;
  std::vector<NeuronChunk> chunks;
  std::vector<std::uint32_t> fan_in;  ///< of chunks that have one entry a neuron
  IdMap neuron_ids;

  boost::unordered_flat_map<std::string, std::uint32_t> table_of_name;
  TableSizes table_sizes;                  ///< of a file that says them ahead
  std::vector<NumberColumn> table_values;  ///< by table, until all chunks are read
  std::vector<WeightChunk> weight_chunks;
  std::vector<bool> refused_tables;  ///< a chunk was refused: what the table is like is unknown

  boost::unordered_flat_map<std::string, std::uint32_t> vocabulary_of_name;

  std::vector<std::uint64_t> sample_outputs;  ///< the file's neuron ids

  /// Reports a limit and stops.
  void stop(ErrorCode code, std::string place, std::string message) {
    errors.add(code, std::move(place), std::move(message));
    stopped = true;
  }
};

}  // namespace vecc::graph_io
