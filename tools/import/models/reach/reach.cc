// reach: which entities walks from given sources end at, by a rule that calls itself.
//
// All levels are one group a neuron class: the compiler has to find the levels.
#include "tools/import/models/reach/reach.h"

#include <algorithm>
#include <string>

#include "tools/import/ground/single_rule.h"
#include "tools/import/models/data_vocabularies.h"
#include "tools/import/models/scores/entity_names.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

Result<void> check_limits(const TypedGraph& data, const ReachOptions& options,
                          const ReachSize& size, const ImportLimits& limits) {
  Errors errors;
  const auto check = [&](ErrorCode code, std::uint64_t found, std::uint64_t limit, const char* what,
                         const std::string& advice) {
    if (found <= limit) return;
    errors.add(code, escape_terminal(data.name),
               "reach of depth " + std::to_string(options.depth) + " has " + std::to_string(found) +
                   " " + what + ", more than " + std::to_string(limit) + "; lower --depth" +
                   advice);
  };
  // vecc numbers neurons with 32 bits, however high the limit is.
  const std::uint64_t most = ImportLimits{}.max_neurons;
  check(ErrorCode::LimitNeurons, size.neurons, std::min(limits.max_neurons, most), "neurons",
        size.neurons <= most ? " or raise --max-neurons" : "");
  check(ErrorCode::LimitEdges, size.edges, limits.max_edges, "edges", " or raise --max-edges");
  if (!errors.empty()) return errors;
  return {};
}

WeightId add_weights(const TypedGraph& data, bool inverse, Grounder& out) {
  StringColumn names;
  for (const char* suffix : {"", "^-1"}) {
    for (std::size_t r = 0; r < data.relation_names.size(); ++r) {
      names.push_back(std::string(data.relation_names[r]) + suffix);
    }
    if (!inverse) break;
  }
  add_vocabularies(data, out);
  out.number_weights(vocabulary::kRelation, "reach.w", VocabularyUse::Axis::Entry);
  return out.weights("reach.w", Shape{}, static_cast<std::uint32_t>(names.size()), &names);
}

// reach(0,X) and reach(N+1,X); returns the first atom.
FileId ground_levels(std::uint64_t sources, const ReachLevels& levels, WeightId weights,
                     Grounder& out) {
  const std::string text =
      "reach(N+1,X) :- {w_r} reach(N,Y), *r(Y,X), *next(N,N+1). [aggregation=sum]";
  const FileId facts = out.unit_facts("source/1", sources);
  const FileId starts =
      out.group({NeuronClass::Rule, "reach/2", "reach(0,X) :- source(X).", {}, {}}, sources,
                [&](std::uint64_t i, NeuronRow& row) { row.input(facts + i); });
  // Bodies read atoms, which come last: their ids follow from the counts before them.
  const std::uint64_t body_count = levels.source_atom.size();
  const std::uint64_t aggregation_count = sources + levels.relation.size();
  const FileId atoms = starts + sources + body_count + aggregation_count;
  std::uint32_t aggregation = 0;
  const FileId bodies =
      out.group({NeuronClass::WeightedRule, "reach/2", text, {}, {}}, body_count,
                [&](std::uint64_t i, NeuronRow& row) {
                  while (levels.first_body[aggregation + std::size_t{1}] <= i) ++aggregation;
                  row.input(atoms + levels.source_atom[i], weights + levels.relation[aggregation]);
                });
  const FileId aggregations =
      out.group({NeuronClass::Aggregation, "reach/2", text, {}, {}}, aggregation_count,
                [&](std::uint64_t i, NeuronRow& row) {
                  if (i < sources) return row.input(starts + i);
                  const std::uint64_t a = i - sources;
                  for (std::uint32_t b = levels.first_body[a]; b < levels.first_body[a + 1]; ++b) {
                    row.input(bodies + b);
                  }
                });
  const TransformationSpec tanh = transform(Transformation::Tanh);
  const FileId first =
      out.group({NeuronClass::Atom,
                 "reach/2",
                 atom_text("reach/2", tanh),
                 combine(Combination::Sum, tanh),
                 {}},
                levels.node.size(), [&](std::uint64_t i, NeuronRow& row) {
                  if (i < sources) return row.input(aggregations + i);
                  for (std::uint32_t a = levels.first[i]; a < levels.first[i + 1]; ++a) {
                    row.input(aggregations + sources + a);
                  }
                });
  VECC_CHECK(out.failed() || first == atoms, "reach atoms have other ids than their bodies read");
  return first;
}

// reached(X), and a sample for each.
void ground_reached(const TypedGraph& data, const ReachLevels& levels, FileId atoms,
                    Grounder& out) {
  const std::string text = "reached(X) :- reach(N,X). [aggregation=max]";
  const ItemLists of_node = list_by_key(levels.node, data.node_count);
  const FileId bodies =
      out.group({NeuronClass::Rule, "reached/1", text, {}, {}}, levels.node.size(),
                [&](std::uint64_t i, NeuronRow& row) { row.input(atoms + of_node.item[i]); });
  std::vector<std::uint32_t> reached;
  for (std::uint32_t node = 0; node < data.node_count; ++node) {
    if (!of_node.is_empty(node)) reached.push_back(node);
  }
  const FileId aggregations = out.group(
      {NeuronClass::Aggregation, "reached/1", text, combine(Combination::Max), {}}, reached.size(),
      [&](std::uint64_t i, NeuronRow& row) {
        const std::uint32_t node = reached[i];
        for (std::uint32_t b = of_node.begin[node]; b < of_node.begin[node + std::size_t{1}]; ++b) {
          row.input(bodies + b);
        }
      });
  const FileId heads = out.group(
      {NeuronClass::Atom, "reached/1", atom_text("reached/1", {}), {}, {}}, reached.size(),
      [&](std::uint64_t i, NeuronRow& row) { row.input(aggregations + i); });
  SampleRecord sample;
  for (std::size_t i = 0; i < reached.size() && !out.failed(); ++i) {
    const std::string id = entity_name(data, reached[i]);
    sample.id = id;
    sample.output = heads + i;
    out.sample(sample);
  }
}

}  // namespace

Result<ReachSize> measure_reach(const TypedGraph& data, const ReachOptions& options) {
  VECC_TRY(const ReachGraph graph, make_reach_graph(data, options));
  return count_reach(graph, options.depth);
}

Result<void> ground_reach(const TypedGraph& data, const ReachOptions& options, Grounder& out) {
  VECC_TRY(ReachGraph graph, make_reach_graph(data, options));
  VECC_TRY_VOID(check_limits(data, options, count_reach(graph, options.depth), out.limits()));
  const ReachLevels levels = unroll_reach(graph, options.depth);
  const std::uint64_t sources = graph.start.size();
  graph = {};
  const WeightId weights = add_weights(data, options.inverse, out);
  ground_reached(data, levels, ground_levels(sources, levels, weights, out), out);
  return {};
}

}  // namespace vecc::tools
