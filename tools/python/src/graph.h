// A graph as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "tools/vecc/options.h"
#include "vecc/bind_facts.h"
#include "vecc/graph_io.h"
#include "vecc/neuron_graph.h"
#include "vecc/program.h"
#include "vecc/weights.h"

namespace vecc::python_package {

/// Of options as the command line has them (`--max-errors=3`).
using Words = std::vector<std::string>;
[[nodiscard]] tools::Options parse_words(Words words);

/// A tensor by name, as a caller gives it: float64 in C order.
using NamedArray = std::pair<std::string, nb::ndarray<const double, nb::c_contig, nb::device::cpu>>;

/// The file that a graph was read from, for the program cache.
struct GraphFile {
  std::string path;
  std::string state;  ///< file_state(), before the graph was read and after
  bool find_groups = false;
  ImportLimits limits;
};

struct Graph {
  std::string path;                    ///< for titles; empty: built here
  std::shared_ptr<NeuronGraph> graph;  ///< only its weights' values ever change
  BoundFacts facts;
  /// Made without neurons: what computes the samples, in double. `graph` has only weight tables,
  /// samples and vocabularies then. Null: `graph` has neurons.
  std::shared_ptr<const Program> program;
  bool reads_lists = false;  ///< ProgramBuilder::keep_lists()
  /// Null: of no file, or with facts as inputs.
  std::shared_ptr<const GraphFile> file;
  /// Held by what reads or writes the weights' values, never while waiting for the
  /// interpreter.
  std::shared_ptr<std::mutex> mutex = std::make_shared<std::mutex>();
};

/// Gives tables the values of arrays: all or none. A table without an array keeps its own. Errors:
/// those of load_weights(); WeightsDiffer for an array that has no table.
[[nodiscard]] Result<void> set_tables(NeuronGraph& graph, const std::vector<NamedArray>& arrays);

/// --load-weights of a graph whose facts may be inputs: those are no weights, a file has none of
/// them. Returns the file's metadata. Errors: those of read_weights() and load_weights().
[[nodiscard]] Result<std::vector<MetadataEntry>> load_tables(NeuronGraph& graph,
                                                             const BoundFacts& facts,
                                                             const std::string& path,
                                                             LoadMode mode);

/// Values of a table's rows as [count, rows, cols] ([count] of scalars).
[[nodiscard]] nb::object table_array(const WeightTable& table, std::vector<double> values);
/// The tables' values by name; None for one without values.
[[nodiscard]] nb::dict table_arrays(std::vector<WeightTable> tables);

/// The targets of samples, as outputs are given: NaN where a sample has none. None if no sample
/// has.
[[nodiscard]] nb::object targets_of(const NeuronGraph& graph);

/// What a sample is called, as the command line's JSON has it.
[[nodiscard]] std::vector<std::string> sample_names(const NeuronGraph& graph);

void bind_graph(nb::module_& module);
void bind_writer(nb::module_& module);
/// _core.ground, which writes the file of one.
void bind_grounder(nb::module_& module);

}  // namespace vecc::python_package
