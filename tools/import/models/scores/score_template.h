// What the scores of triples share: facts of entities and relations, rules by triple, samples.
//
// Every stage of a score is a rule with one body for each of its heads, which stand for a triple
// (`diff(H,R,T)`), a relation or an entity: a rule neuron, its aggregation, its atom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/import/ground/dimensions.h"
#include "tools/import/ground/single_rule.h"
#include "tools/import/models/scores/triple_list.h"

namespace vecc::tools {

/// `diff(H,R,T) :- e(H), r(R), <-1> e(T), *triple(H,R,T).`, its functions, and whether a literal of
/// the body has a weight.
struct StageSpec {
  std::string name;       ///< "diff"
  std::string variables;  ///< "H,R,T"
  std::string body;       ///< "e(H), r(R), <-1> e(T)"
  bool weighted = false;
  Combination combination = Combination::Sum;
  TransformationSpec activation = {};
  bool weighted_head = false;  ///< the rule has a weight
};
[[nodiscard]] SingleRule rule_of(const StageSpec& stage);

/// Neurons of those entities or relations only that a triple has in one place.
struct KeyedNeurons {
  FileId first = 0;
  std::vector<std::uint32_t> row;  ///< by entity or relation

  [[nodiscard]] FileId of(std::uint32_t key) const { return first + row[key]; }
};

class ScoreTemplate {
 public:
  /// Errors: Usage (dimension 0; what list_triples refuses), LimitShape, LimitNeurons.
  [[nodiscard]] static Result<ScoreTemplate> create(const TypedGraph& data,
                                                    const ScoreOptions& options, Grounder& out);

  [[nodiscard]] const std::vector<Triple>& triples() const { return list_.triples; }
  [[nodiscard]] std::uint32_t dim() const { return options_.dim; }
  [[nodiscard]] std::uint32_t relation_dim() const {
    return options_.relation_dim == 0 ? options_.dim : options_.relation_dim;
  }
  /// A table of one weight an entity (a relation) and its facts; the first fact.
  FileId entities(const std::string& name, std::uint32_t dim);
  FileId relations(const std::string& name, std::uint32_t dim);
  WeightId relation_weights(const std::string& name, Shape shape);
  /// One weight of all triples, which makes a matrix [dim, dim] of a relation's column. Error:
  /// LimitShape.
  [[nodiscard]] Result<WeightId> core_tensor(const std::string& name);
  /// The fixed weight -1.
  WeightId minus_one();
  /// A fixed row of `count` equal values: the sum over a column, times that value.
  WeightId fixed_row(const std::string& name, std::uint32_t count, double value);

  /// One atom a triple; `describe(triple, row)` gives the body's inputs. Returns the first atom,
  /// the triples' are in order.
  template <class Describe>
  FileId ground(const StageSpec& stage, Describe&& describe) {
    return ground_single(out_, rule_of(stage), triples().size(),
                         [&](std::uint64_t i, NeuronRow& row) { describe(i, row); });
  }
  /// The same without the atoms: the first aggregation, for heads with several rules.
  template <class Describe>
  FileId ground_rule(const StageSpec& stage, Describe&& describe);
  /// The atoms of a head with several rules; `describe(i, row)` gives atom i's inputs.
  template <class Describe>
  FileId ground_atoms(const StageSpec& stage, Describe&& describe);
  /// One atom for each relation (each head entity) of a triple; `describe(key, row)` as above.
  template <class Describe>
  KeyedNeurons ground_by_relation(const StageSpec& stage, Describe&& describe) {
    return ground_by_key(stage, used_relations(), describe);
  }
  template <class Describe>
  KeyedNeurons ground_by_head(const StageSpec& stage, Describe&& describe) {
    return ground_by_key(stage, used_heads(), describe);
  }
  /// row(H) :- e(H).: the column of each head entity of a triple as a row; `e`: the entities' first
  /// fact.
  KeyedNeurons head_rows(FileId e);

  /// score(H,R,T) :- <-1, ..., -1> body(H,R,T). (`value` -1): the sum over a column of `dim`.
  FileId ground_sum(const std::string& body, FileId column, std::uint32_t dim, double value);
  /// A sample for each query.
  void add_samples(FileId scores);

 private:
  ScoreTemplate(const TypedGraph& data, const ScoreOptions& options, Grounder& out, TripleList list)
      : data_(data), options_(options), out_(out), list_(std::move(list)) {}
  /// Keys in ascending order and the row of each.
  struct UsedKeys {
    std::vector<std::uint32_t> keys;
    std::vector<std::uint32_t> row;
  };
  [[nodiscard]] UsedKeys used_relations() const;
  [[nodiscard]] UsedKeys used_heads() const;
  [[nodiscard]] static UsedKeys number_used(std::vector<std::uint32_t> is_used);
  template <class Describe>
  KeyedNeurons ground_by_key(const StageSpec& stage, UsedKeys used, Describe& describe);

  const TypedGraph& data_;
  const ScoreOptions& options_;
  Grounder& out_;
  TripleList list_;
};

/// "[1,...,1]": how texts of rules write a fixed row.
[[nodiscard]] std::string row_text(double value, std::uint32_t count);

template <class Describe>
FileId ScoreTemplate::ground_rule(const StageSpec& stage, Describe&& describe) {
  const SingleRule rule = rule_of(stage);
  const FileId bodies = out_.group({rule.weighted ? NeuronClass::WeightedRule : NeuronClass::Rule,
                                    rule.head,
                                    rule.text,
                                    rule.body,
                                    {}},
                                   triples().size(), describe);
  return out_.group({NeuronClass::Aggregation, rule.head, rule.text, {}, {}}, triples().size(),
                    [&](std::uint64_t i, NeuronRow& row) { row.input(bodies + i); });
}

template <class Describe>
FileId ScoreTemplate::ground_atoms(const StageSpec& stage, Describe&& describe) {
  const SingleRule rule = rule_of(stage);
  const std::string text = atom_text(rule.head, rule.transformation);
  return out_.group({stage.weighted_head ? NeuronClass::WeightedAtom : NeuronClass::Atom,
                     rule.head,
                     text,
                     combine(Combination::Sum, rule.transformation),
                     {}},
                    triples().size(), describe);
}

template <class Describe>
KeyedNeurons ScoreTemplate::ground_by_key(const StageSpec& stage, UsedKeys used,
                                          Describe& describe) {
  const FileId first =
      ground_single(out_, rule_of(stage), used.keys.size(),
                    [&](std::uint64_t i, NeuronRow& row) { describe(used.keys[i], row); });
  return {first, std::move(used.row)};
}

}  // namespace vecc::tools
