// _core.Embeddings: trained embeddings of a knowledge graph, by names.
#include "knowledge_graph.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "errors.h"
#include "src/support/enum_names.h"
#include "tools/kg/answer_names.h"
#include "tools/kg/device_options.h"
#include "tools/kg/evaluate_triples.h"

namespace vecc::python_package {
namespace {

using tools::KgModel;
using NamedAnswer = std::tuple<std::string, double, bool>;

void create_embeddings(KgModel* self, const std::string& weights, const std::string& model,
                       std::uint32_t p, const std::string& entities, const std::string& relations) {
  new (self) KgModel(without_lock([&] {
    tools::KgModelOptions options;
    options.weights = weights;
    options.model = model;
    options.p = p;
    options.entities = entities;
    options.relations = relations;
    return take(tools::load_kg_model(options));
  }));
}

std::vector<std::string> names_of_rows(const StringColumn& names) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < names.size(); ++i) list.emplace_back(names[i]);
  return list;
}

// The metrics as JSON text.
std::string evaluate_kg(const KgModel& self, const std::string& triples, const std::string& split,
                        bool inverse, std::uint32_t threads, const std::string& backend,
                        const std::string& device) {
  if (backend != "cpu" && backend != "cuda") {
    raise_usage("backend", "'" + backend + "' is none of cpu, cuda");
  }
  Device chosen = take(parse_device(device));
  const std::string problem = tools::choose_device(backend, chosen);
  if (!problem.empty()) raise_usage("device", problem);
  const auto choice = tools::parse_split(split);
  if (!choice) {
    raise_usage("split", "'" + split + "' is none of " + names_text<tools::SplitChoice>(", "));
  }
  return without_lock([&] {
    tools::EvaluateTriplesOptions options;
    options.split = *choice;
    options.inverse = inverse;
    options.threads = threads;
    options.device = chosen;
    const tools::KgTriples data = take(tools::load_kg_triples(self, triples));
    return tools::json_of(take(tools::evaluate_triples(self, data, options)).rows).dump();
  });
}

std::vector<std::vector<NamedAnswer>> predict_kg(const KgModel& self,
                                                 const std::vector<tools::QueryNames>& names,
                                                 std::uint32_t top, const std::string& triples,
                                                 bool drop_known, bool inverse,
                                                 std::uint32_t threads) {
  return without_lock([&] {
    std::vector<kg::Query> queries;
    for (std::size_t q = 0; q < names.size(); ++q) {
      queries.push_back(
          take(tools::query_of_names(self, names[q], "queries[" + std::to_string(q) + "]")));
    }
    tools::KgTriples data;
    if (!triples.empty()) data = take(tools::load_kg_triples(self, triples));
    const auto answers = take(tools::answer_by_names(self, queries, std::move(data.triples),
                                                     {top, drop_known, threads}, inverse));
    std::vector<std::vector<NamedAnswer>> result;
    for (const auto& list : answers) {
      auto& named = result.emplace_back();
      for (const kg::Answer& answer : list) {
        named.emplace_back(self.entities.names()[answer.entity], answer.score, answer.known);
      }
    }
    return result;
  });
}

std::vector<std::pair<std::string, double>> nearest_to(const KgModel& self,
                                                       const std::string& entity, std::uint32_t top,
                                                       const std::string& by) {
  const auto kind = parse_name<kg::NearnessKind>(by);
  if (!kind) raise_usage("by", "'" + by + "' is none of " + names_text<kg::NearnessKind>(", "));
  return without_lock([&] {
    const std::uint32_t number = take(tools::find_entity(self, entity, "entity"));
    std::vector<std::pair<std::string, double>> result;
    for (const kg::Neighbour& near : kg::nearest_entities(self.embeddings, number, *kind, top)) {
      result.emplace_back(self.entities.names()[near.entity], near.nearness);
    }
    return result;
  });
}

nb::object entity_vectors(const KgModel& self) {
  const kg::Embeddings& e = self.embeddings;
  return std::visit(
      [&](const auto& tables) {
        return array_of(tables.entities, {e.entities, e.dim});
      },
      e.tables);
}

// Those that the score has.
nb::dict relation_tables(const KgModel& self) {
  const kg::Embeddings& e = self.embeddings;
  nb::dict result;
  std::visit(
      [&](const auto& tables) {
        const std::size_t count = e.relations;
        if (!tables.relations.empty()) {
          result["vectors"] = array_of(tables.relations, {count, e.relation_dim});
        }
        if (!tables.matrices.empty()) {
          const std::size_t rows = tables.matrices.size() / count / e.dim;
          result["matrices"] = array_of(tables.matrices, {count, rows, e.dim});
        }
        if (!tables.normals.empty()) result["normals"] = array_of(tables.normals, {count, e.dim});
      },
      e.tables);
  return result;
}

}  // namespace

void bind_knowledge_graph(nb::module_& module) {
  nb::class_<KgModel>(module, "Embeddings")
      .def("__init__", create_embeddings, nb::arg("weights"), nb::arg("model"), nb::arg("p"),
           nb::arg("entities"), nb::arg("relations"))
      .def("entities", [](const KgModel& self) { return names_of_rows(self.entities.names()); })
      .def("relations", [](const KgModel& self) { return names_of_rows(self.relations.names()); })
      .def("vectors", entity_vectors, nb::sig("def vectors(self) -> " VECC_ARRAY))
      .def("relation_tables", relation_tables,
           nb::sig("def relation_tables(self) -> dict[str, " VECC_ARRAY "]"))
      .def("evaluate", evaluate_kg, nb::arg("triples"), nb::arg("split"), nb::arg("inverse"),
           nb::arg("threads"), nb::arg("backend"), nb::arg("device"))
      .def("predict", predict_kg, nb::arg("queries"), nb::arg("top"), nb::arg("triples"),
           nb::arg("drop_known"), nb::arg("inverse"), nb::arg("threads"))
      .def("nearest", nearest_to, nb::arg("entity"), nb::arg("top"), nb::arg("by"));
}

}  // namespace vecc::python_package
