// _core.Graph.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string_view>

#include "chunk.h"
#include "errors.h"
#include "graph.h"
#include "program.h"
#include "src/support/digest.h"
#include "src/support/enum_names.h"
#include "tools/vecc/options.h"
#include "tools/vecc/weight_stages.h"
#include "vecc/backend.h"
#include "vecc/find_groups.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/weights.h"

namespace vecc::python_package {
namespace {

tools::Stages quiet() {
  return tools::Stages(/*show_progress=*/false);
}

// The file that was read just now; null if it is another one since `state`.
std::shared_ptr<const GraphFile> file_of(const std::string& path, const std::string& state,
                                         const tools::Options& options) {
  if (state.empty() || file_state(path) != state) return nullptr;
  return std::make_shared<GraphFile>(GraphFile{path, state, options.find_groups, options.limits});
}

// What is read by `read`, with the facts that are inputs.
template <class Read>
Graph open_graph(const std::string& name, const std::string& file, Words words, Read&& read) {
  tools::Options options = parse_words(std::move(words));
  Graph result;
  result.path = name;
  const std::string state = file_state(file);
  without_lock([&] {
    const ImportOptions import{.limits = options.limits,
                               .progress = [](std::uint64_t) { check_signals(); },
                               .threads = options.threads};
    result.graph = std::make_shared<NeuronGraph>(take(read(import)));
    if (options.find_groups) *result.graph = find_groups(std::move(*result.graph));
    tools::Stages stages = quiet();
    take(tools::bind_graph_facts(*result.graph, options, stages));
  });
  result.facts = options.facts;
  if (options.bind_facts.empty()) result.file = file_of(file, state, options);
  return result;
}

Graph load_graph(const std::string& path, Words words) {
  return open_graph(path, path, std::move(words),
                    [&](const ImportOptions& import) { return read_graph(path, import); });
}

Graph load_graph_bytes(const Column<std::uint8_t>& bytes, const std::string& name, Words words) {
  const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return open_graph(name, "", std::move(words), [&](const ImportOptions& import) {
    return read_graph_bytes(view, name, import);
  });
}

std::uint64_t initialize(const Graph& self, const std::string& name, std::int64_t seed) {
  const auto initializer = parse_initializer(name);
  if (!initializer) {
    raise_usage("init", '"' + name + "\" is none of " + names_text<Initializer>(", "));
  }
  return without_lock([&] {
    const std::lock_guard guard(*self.mutex);
    return initialize_weights(*self.graph, *initializer, seed);
  });
}

void set_graph_weights(const Graph& self, const std::vector<NamedArray>& arrays) {
  without_lock([&] {
    const std::lock_guard guard(*self.mutex);
    take(set_tables(*self.graph, arrays));
  });
}

std::vector<MetadataEntry> load_weight_file(const Graph& self, const std::string& path,
                                            bool by_name) {
  const LoadMode mode = by_name ? LoadMode::ByName : LoadMode::Strict;
  return without_lock([&] {
    const std::lock_guard guard(*self.mutex);
    return take(load_tables(*self.graph, self.facts, path, mode));
  });
}

void save_weight_file(const Graph& self, const std::string& path,
                      const std::vector<MetadataEntry>& metadata) {
  without_lock([&] {
    const std::lock_guard guard(*self.mutex);
    tools::Stages stages = quiet();
    take(tools::save_graph_weights(*self.graph, self.facts, path, stages, metadata));
  });
}

void expect_neurons(const Graph& self, const char* what) {
  if (!self.program) return;
  raise_usage(what,
              "this graph is a program that was made without neurons; the same model with "
              "neurons: graph(data, way=\"neurons\")");
}

void save_graph(const Graph& self, const std::string& path, const std::string& compression,
                std::optional<std::int64_t> level) {
  expect_neurons(self, "save");
  const Encoding encoding = take(encoding_of(compression, level));
  without_lock([&] {
    const std::lock_guard guard(*self.mutex);
    take(write_graph(*self.graph, path, encoding));
  });
}

// With weights of its own.
Graph copy_graph(const Graph& self) {
  Graph copy;
  copy.path = self.path;
  copy.facts = self.facts;
  copy.program = self.program;
  copy.reads_lists = self.reads_lists;
  copy.file = self.file;
  without_lock([&] {
    const std::lock_guard guard(*self.mutex);
    copy.graph = std::make_shared<NeuronGraph>(*self.graph);
  });
  return copy;
}

// Names of the tables that training may change.
std::vector<std::string> learnable_weights(const Graph& self) {
  std::vector<std::string> names;
  for (const WeightTable& table : self.graph->weight_tables) {
    if (table.learnable) names.push_back(table.name);
  }
  return names;
}

nb::dict graph_weights(const Graph& self) {
  return table_arrays(without_lock([&] {
    const std::lock_guard guard(*self.mutex);
    return self.graph->weight_tables;
  }));
}

nb::list groups(const Graph& self) {
  nb::list result;
  for (const NeuronGroup& group : self.graph->groups) {
    nb::dict one;
    one["head"] = group.head_predicate;
    one["class"] = std::string(text_of(group.neuron_class));
    one["neurons"] = group.neuron_count;
    one["rule"] = group.rule_text;
    result.append(one);
  }
  return result;
}

nb::list list_of(const StringColumn& names) {
  nb::list result;
  for (std::size_t i = 0; i < names.size(); ++i) result.append(std::string(names[i]));
  return result;
}

nb::dict vocabularies(const Graph& self) {
  nb::dict result;
  for (const Vocabulary& vocabulary : self.graph->vocabularies) {
    result[nb::cast(vocabulary.name)] = list_of(vocabulary.names);
  }
  return result;
}

nb::object classes(const Graph& self) {
  const StringColumn* const names = self.graph->classes();
  if (names == nullptr) return nb::none();
  return list_of(*names);
}

// The oracle's values of the samples' neurons.
nb::object evaluate(const Graph& self) {
  expect_neurons(self, "evaluate");
  const ReferenceValues values = without_lock([&] {
    const std::lock_guard guard(*self.mutex);
    return take(evaluate_reference(*self.graph));
  });
  std::vector<ShapedValue> outputs;
  for (const Sample& sample : self.graph->samples) {
    outputs.push_back({values.shapes[sample.output], values.value(sample.output)});
  }
  return stack_values(outputs, DType::F64);
}

nb::object inputs(const Graph& self) {
  return view_of(self.graph->inputs, self.graph);
}
nb::object input_begin(const Graph& self) {
  return view_of(self.graph->input_begin, self.graph);
}

}  // namespace

void bind_graph(nb::module_& module) {
  module.def("load_graph", load_graph, nb::arg("path"), nb::arg("words"));
  module.def("load_graph_bytes", load_graph_bytes, nb::arg("data"), nb::arg("name"),
             nb::arg("words"));
  nb::class_<Graph>(module, "Graph", "The neurons of a file.")
      .def_prop_ro("path", [](const Graph& g) { return g.path; })
      .def_prop_ro("neuron_count", [](const Graph& g) { return g.graph->neuron_count(); })
      .def_prop_ro("edge_count", [](const Graph& g) { return g.graph->edge_count(); })
      .def_prop_ro("sample_count", [](const Graph& g) { return g.graph->samples.size(); })
      .def_prop_ro("byte_count", [](const Graph& g) { return g.graph->bytes(); })
      .def_prop_ro("producer", [](const Graph& g) { return g.graph->producer; })
      .def("groups", groups)
      .def("vocabularies", vocabularies)
      .def("classes", classes)
      .def("sample_ids", [](const Graph& g) { return sample_names(*g.graph); })
      .def(
          "targets", [](const Graph& g) { return targets_of(*g.graph); },
          nb::sig("def targets(self) -> " VECC_STACKED " | None"))
      .def("inputs", inputs, nb::sig("def inputs(self) -> " VECC_ARRAY))
      .def("input_begin", input_begin, nb::sig("def input_begin(self) -> " VECC_ARRAY))
      .def("initialize", initialize, nb::arg("initializer"), nb::arg("seed"))
      .def("weights", graph_weights)
      .def("learnable", learnable_weights)
      .def("set_weights", set_graph_weights, nb::arg("arrays"))
      .def("load_weights", load_weight_file, nb::arg("path"), nb::arg("by_name"))
      .def("save_weights", save_weight_file, nb::arg("path"),
           nb::arg("metadata") = std::vector<MetadataEntry>())
      .def("save", save_graph, nb::arg("path"), nb::arg("compression"), nb::arg("level").none())
      .def("copy", copy_graph)
      .def("evaluate", evaluate, nb::sig("def evaluate(self) -> " VECC_STACKED))
      .def("compile", compile_graph, nb::arg("words"), nb::arg("runs"), nb::arg("runs_later"));
}

}  // namespace vecc::python_package
