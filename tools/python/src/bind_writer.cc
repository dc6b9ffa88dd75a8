// _core.GraphWriter: columns to a graph.pb. vecc/builder.py calls it with arrays of the right
// types.
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <string_view>

#include "chunk.h"
#include "errors.h"
#include "graph.h"
#include "sample_columns.h"
#include "vecc/graph_io.h"

namespace vecc::python_package {
namespace {

std::unique_ptr<GraphWriter> create(const std::string& path, const std::string& compression,
                                    std::optional<std::int64_t> level, const std::string& producer,
                                    bool vocabularies) {
  return std::make_unique<GraphWriter>(take(
      GraphWriter::create(path, take(encoding_of(compression, level)), producer, vocabularies)));
}

void write_vocabulary(GraphWriter& self, const std::string& name,
                      const std::vector<std::string>& names,
                      const std::vector<VocabularyUse>& uses) {
  Vocabulary vocabulary{name, {}, uses};
  for (const std::string& one : names) vocabulary.names.push_back(one);
  without_lock([&] { self.vocabulary(vocabulary); });
}

// One of the vocabulary's uses; `axis`: 0 entries, 1 rows, 2 columns.
VocabularyUse table_use(const std::string& table, std::uint8_t axis, std::uint32_t inner) {
  return {VocabularyUse::Place::Weights, static_cast<VocabularyUse::Axis>(axis), table, 0, inner};
}
VocabularyUse fact_use(std::uint64_t group, std::uint8_t axis, std::uint32_t inner) {
  return {VocabularyUse::Place::Facts, static_cast<VocabularyUse::Axis>(axis), {}, group, inner};
}
VocabularyUse output_use() {
  return {VocabularyUse::Place::Outputs, {}, {}, 0, 1};
}

void write_table(GraphWriter& self, const std::string& name, std::uint32_t first,
                 std::uint32_t count, const Sides& shape, bool learnable,
                 const Column<double>& values, const std::vector<std::string>& row_names) {
  without_lock([&] {
    self.weight_table(name, first, count, shape_of(shape), learnable, span_of(values), row_names);
  });
}

GroupChunk facts_of(const ChunkHead& head, const Column<double>& values,
                    const Column<std::uint32_t>& weights) {
  GroupChunk chunk = take(chunk_of(head));
  chunk.values = span_of(values);
  chunk.weights = span_of(weights);
  chunk.fact = !chunk.weights.empty()  ? FactKind::Learnable
               : !chunk.values.empty() ? FactKind::Constant
                                       : FactKind::Unit;
  take(check_columns(chunk));
  return chunk;
}

GroupChunk neurons_of(const ChunkHead& head, const FunctionText& function,
                      const Column<std::uint32_t>& fan_in, const Column<std::uint64_t>& inputs,
                      const Column<std::uint32_t>& weights, const Column<std::uint32_t>& offsets,
                      const Column<std::uint32_t>& words) {
  GroupChunk chunk = take(chunk_of(head));
  chunk.function = take(function_of(function));
  chunk.fan_in = span_of(fan_in);
  chunk.inputs = span_of(inputs);
  chunk.weights = span_of(weights);
  chunk.offsets = span_of(offsets);
  chunk.words = span_of(words);
  take(check_columns(chunk));
  return chunk;
}

void write_facts(GraphWriter& self, const ChunkHead& head, const Column<double>& values,
                 const Column<std::uint32_t>& weights) {
  const GroupChunk chunk = facts_of(head, values, weights);
  without_lock([&] { self.group(chunk); });
}

void write_neurons(GraphWriter& self, const ChunkHead& head, const FunctionText& function,
                   const Column<std::uint32_t>& fan_in, const Column<std::uint64_t>& inputs,
                   const Column<std::uint32_t>& weights, const Column<std::uint32_t>& offsets,
                   const Column<std::uint32_t>& words) {
  const GroupChunk chunk = neurons_of(head, function, fan_in, inputs, weights, offsets, words);
  without_lock([&] { self.group(chunk); });
}

void write_samples(GraphWriter& self, const SampleColumns& columns) {
  const std::vector<SampleRecord> records = records_of(columns);
  without_lock([&] { self.samples(records); });
}

}  // namespace

void bind_writer(nb::module_& module) {
  // The columns of a call, checked when it is made: the writer comes later.
  module.def(
      "check_facts",
      [](const ChunkHead& head, const Column<double>& values,
         const Column<std::uint32_t>& weights) { (void)facts_of(head, values, weights); },
      nb::arg("head"), nb::arg("values"), nb::arg("weights"));
  module.def(
      "check_neurons",
      [](const ChunkHead& head, const FunctionText& function, const Column<std::uint32_t>& fan_in,
         const Column<std::uint64_t>& inputs, const Column<std::uint32_t>& weights,
         const Column<std::uint32_t>& offsets, const Column<std::uint32_t>& words) {
        (void)neurons_of(head, function, fan_in, inputs, weights, offsets, words);
      },
      nb::arg("head"), nb::arg("function"), nb::arg("fan_in"), nb::arg("inputs"),
      nb::arg("weights"), nb::arg("offsets"), nb::arg("words"));
  module.def(
      "check_samples", [](const SampleColumns& columns) { (void)records_of(columns); },
      nb::arg("columns"));
  nb::class_<ChunkHead>(module, "ChunkHead")
      .def(nb::init<std::uint64_t, std::string, std::string, std::string, std::uint64_t,
                    std::uint32_t, std::optional<Sides>, std::vector<std::string>>(),
           nb::arg("group_id"), nb::arg("kind"), nb::arg("head"), nb::arg("rule"),
           nb::arg("first_id"), nb::arg("count"), nb::arg("shape").none(), nb::arg("names"));
  nb::class_<FunctionText>(module, "FunctionText")
      .def(nb::init<std::string, std::string, int, std::optional<std::string>>(),
           nb::arg("combination"), nb::arg("transformation"), nb::arg("axis"),
           nb::arg("expression").none());
  nb::class_<SampleColumns>(module, "SampleColumns")
      .def(nb::init<Column<std::uint64_t>, std::vector<std::string>, std::vector<Sides>,
                    Column<std::uint8_t>, Column<double>, Column<std::uint8_t>,
                    Column<std::uint32_t>, Column<std::uint8_t>, Column<float>,
                    Column<std::uint32_t>>(),
           nb::arg("outputs"), nb::arg("ids"), nb::arg("target_shapes"), nb::arg("has_target"),
           nb::arg("targets"), nb::arg("splits"), nb::arg("groups"), nb::arg("roles"),
           nb::arg("weights"), nb::arg("target_classes"));
  nb::class_<VocabularyUse>(module, "VocabularyUse")
      .def_static("table", table_use, nb::arg("table"), nb::arg("axis"), nb::arg("inner"))
      .def_static("facts", fact_use, nb::arg("group"), nb::arg("axis"), nb::arg("inner"))
      .def_static("outputs", output_use);
  nb::class_<GraphWriter>(module, "GraphWriter")
      .def(nb::new_(&create), nb::arg("path"), nb::arg("compression"), nb::arg("level").none(),
           nb::arg("producer"), nb::arg("vocabularies"))
      .def("vocabulary", write_vocabulary, nb::arg("name"), nb::arg("names"), nb::arg("uses"))
      .def("weight_table", write_table, nb::arg("name"), nb::arg("first"), nb::arg("count"),
           nb::arg("shape"), nb::arg("learnable"), nb::arg("values"), nb::arg("row_names"))
      .def("facts", write_facts, nb::arg("head"), nb::arg("values"), nb::arg("weights"))
      .def("neurons", write_neurons, nb::arg("head"), nb::arg("function"), nb::arg("fan_in"),
           nb::arg("inputs"), nb::arg("weights"), nb::arg("offsets"), nb::arg("words"))
      .def("samples", write_samples, nb::arg("columns"))
      .def("finish", [](GraphWriter& self) { without_lock([&] { take(self.finish()); }); });
}

}  // namespace vecc::python_package
