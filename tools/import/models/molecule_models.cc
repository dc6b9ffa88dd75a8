// The two relational templates over molecules, simple and dims: atoms and bonds get an embedding by
// their type, three layers pass messages along the bonds, the molecule's output is a mean.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tools/import/ground/dimensions.h"
#include "tools/import/models/data_vocabularies.h"
#include "tools/import/models/models.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::uint32_t kDim = 3;
constexpr int kLayers = 3;
// In the order of the template's rules, which is the order of the weights.
constexpr std::array<std::string_view, 8> kElements{"c", "o", "br", "i", "f", "h", "n", "cl"};
constexpr std::array<std::int64_t, 6> kBondTypes{1, 2, 3, 4, 5, 7};

NeuronFunction function_of(Combination combination, Transformation transformation) {
  NeuronFunction function;
  function.combination = combination;
  function.transformation.id = transformation;
  return function;
}

/// A directed bond: the two atoms, and the bond's row.
struct Bond {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t row;
};

class MoleculeTemplate {
 public:
  /// `dims`: bond embeddings of dimension 1 and a visible bond; else dimension 3 and a hidden one.
  MoleculeTemplate(const Molecules& data, bool dims, Grounder& out)
      : data_(data), dims_(dims), bond_dim_(dims ? 1 : kDim), out_(out) {}

  Result<void> ground();

 private:
  WeightId next_weight(std::uint32_t rows, std::uint32_t cols) {
    return out_.weights("w" + std::to_string(weights_++), weight_shape(rows, cols));
  }
  Result<std::vector<std::uint32_t>> find_kinds_of_atoms() const;
  Result<std::vector<std::uint32_t>> find_kinds_of_bonds() const;
  void order_bonds();
  std::vector<FileId> ground_facts(const std::vector<std::string>& predicates,
                                   const std::vector<std::uint32_t>& kinds);
  FileId ground_embedding(const std::string& predicate, const std::string& text,
                          const std::vector<FileId>& facts, const std::vector<std::uint32_t>& kinds,
                          WeightId first_weight);
  FileId ground_layer(int layer, FileId atoms, FileId bonds, FileId bond_facts);
  void ground_query(FileId atoms);

  const Molecules& data_;
  bool dims_;
  std::uint32_t bond_dim_;
  Grounder& out_;
  int weights_ = 0;
  std::vector<Bond> bonds_;                // by `from`
  std::vector<std::uint64_t> bond_begin_;  // by atom
};

Result<std::vector<std::uint32_t>> MoleculeTemplate::find_kinds_of_atoms() const {
  std::vector<std::uint32_t> kind_of_element;
  for (std::size_t e = 0; e < data_.elements.size(); ++e) {
    std::uint32_t kind = 0;
    while (kind < kElements.size() && kElements[kind] != data_.elements[e]) ++kind;
    if (kind == kElements.size()) {
      return Errors(ErrorCode::BadTable, "atoms",
                    "element \"" + escape_terminal(data_.elements[e]) +
                        "\"; the template has rules for c, o, br, i, f, h, n and cl");
    }
    kind_of_element.push_back(kind);
  }
  std::vector<std::uint32_t> kinds;
  for (const std::uint32_t element : data_.element) kinds.push_back(kind_of_element[element]);
  return kinds;
}

Result<std::vector<std::uint32_t>> MoleculeTemplate::find_kinds_of_bonds() const {
  std::vector<std::uint32_t> kind_of_type;
  for (const std::int64_t type : data_.bond_types) {
    std::uint32_t kind = 0;
    while (kind < kBondTypes.size() && kBondTypes[kind] != type) ++kind;
    if (kind == kBondTypes.size()) {
      return Errors(
          ErrorCode::BadTable, "bonds",
          "bond_type " + std::to_string(type) + "; the template has rules for 1, 2, 3, 4, 5 and 7");
    }
    kind_of_type.push_back(kind);
  }
  std::vector<std::uint32_t> kinds;
  for (const std::uint32_t type : data_.bond_type) kinds.push_back(kind_of_type[type]);
  return kinds;
}

void MoleculeTemplate::order_bonds() {
  const auto atoms = data_.atom_begin.back();
  bond_begin_.assign(atoms + std::size_t{1}, 0);
  const auto count = static_cast<std::uint32_t>(data_.bond_first.size());
  for (std::uint32_t b = 0; b < count; ++b) {
    ++bond_begin_[data_.bond_first[b] + std::size_t{1}];
    ++bond_begin_[data_.bond_second[b] + std::size_t{1}];
  }
  for (std::uint32_t a = 0; a < atoms; ++a) bond_begin_[a + std::size_t{1}] += bond_begin_[a];
  std::vector<std::uint64_t> next(bond_begin_.begin(), bond_begin_.end() - 1);
  bonds_.resize(bond_begin_.back());
  for (std::uint32_t b = 0; b < count; ++b) {
    const std::uint32_t x = data_.bond_first[b];
    const std::uint32_t y = data_.bond_second[b];
    bonds_[next[x]++] = {x, y, b};
    bonds_[next[y]++] = {y, x, b};
  }
}

// One fact group a predicate; returns the fact of each thing.
std::vector<FileId> MoleculeTemplate::ground_facts(const std::vector<std::string>& predicates,
                                                   const std::vector<std::uint32_t>& kinds) {
  std::vector<std::uint64_t> count(predicates.size());
  for (const std::uint32_t kind : kinds) ++count[kind];
  std::vector<FileId> next(predicates.size());
  for (std::size_t k = 0; k < predicates.size(); ++k) {
    if (count[k] > 0) next[k] = out_.unit_facts(predicates[k] + "/1", count[k]);
  }
  std::vector<FileId> facts;
  facts.reserve(kinds.size());
  for (const std::uint32_t kind : kinds) facts.push_back(next[kind]++);
  return facts;
}

// {3,1} predicate(A) :- c(A). and so on: one rule a kind, one head a thing.
FileId MoleculeTemplate::ground_embedding(const std::string& predicate, const std::string& text,
                                          const std::vector<FileId>& facts,
                                          const std::vector<std::uint32_t>& kinds,
                                          WeightId first_weight) {
  const std::string head = predicate + "/1";
  const FileId rules = out_.group(
      {NeuronClass::Rule, head, text, function_of(Combination::Sum, Transformation::Tanh), {}},
      facts.size(), [&](std::uint64_t i, NeuronRow& row) { row.input(facts[i]); });
  const FileId means =
      out_.group({NeuronClass::Aggregation,
                  head,
                  text,
                  function_of(Combination::Avg, Transformation::Identity),
                  {}},
                 facts.size(), [&](std::uint64_t i, NeuronRow& row) { row.input(rules + i); });
  return out_.group({NeuronClass::WeightedAtom,
                     head,
                     head,
                     function_of(Combination::Sum, Transformation::Tanh),
                     {}},
                    facts.size(), [&](std::uint64_t i, NeuronRow& row) {
                      row.input(means + i, first_weight + kinds[i]);
                    });
}

FileId MoleculeTemplate::ground_layer(int layer, FileId atoms, FileId bonds, FileId bond_facts) {
  const std::string name = "layer_" + std::to_string(layer);
  const std::string head = name + "/1";
  const std::string body = layer == 1 ? "atom_embed" : "layer_" + std::to_string(layer - 1);
  const std::string text =
      name + "(X) :- {3,3} " + body + "(X), {3,3} " + body + "(Y), " +
      (dims_ ? "bond(X,Y,B), {3,1} bond_embed(B)." : "*bond(X,Y,B), bond_embed(B).");
  const WeightId own = next_weight(kDim, kDim);
  const WeightId other = next_weight(kDim, kDim);
  const WeightId bond = dims_ ? next_weight(kDim, 1) : kNoWeight;
  const FileId rules = out_.group({NeuronClass::WeightedRule,
                                   head,
                                   text,
                                   function_of(Combination::Sum, Transformation::Tanh),
                                   {}},
                                  bonds_.size(), [&](std::uint64_t i, NeuronRow& row) {
                                    row.input(atoms + bonds_[i].from, own);
                                    row.input(atoms + bonds_[i].to, other);
                                    if (dims_) row.input(bond_facts + i);
                                    row.input(bonds + bonds_[i].row, bond);
                                  });
  const std::uint64_t count = bond_begin_.size() - 1;
  const FileId means =
      out_.group({NeuronClass::Aggregation, head, text,
                  function_of(Combination::Avg, Transformation::Identity), value_shape(kDim)},
                 count, [&](std::uint64_t atom, NeuronRow& row) {
                   for (std::uint64_t i = bond_begin_[atom]; i < bond_begin_[atom + 1]; ++i) {
                     row.input(rules + i);
                   }
                 });
  return out_.group(
      {NeuronClass::Atom, head, head, function_of(Combination::Sum, Transformation::Tanh), {}},
      count, [&](std::uint64_t atom, NeuronRow& row) { row.input(means + atom); });
}

void MoleculeTemplate::ground_query(FileId atoms) {
  constexpr std::string_view kHead = "predict/0";
  constexpr std::string_view kText = "{1,3} predict :- layer_3(X).";
  const WeightId weight = next_weight(1, kDim);
  const FileId rules = out_.group(
      {NeuronClass::Rule, kHead, kText, function_of(Combination::Sum, Transformation::Tanh), {}},
      data_.atom_begin.back(),
      [&](std::uint64_t atom, NeuronRow& row) { row.input(atoms + atom); });
  const std::uint64_t count = data_.atom_begin.size() - 1;
  const FileId means =
      out_.group({NeuronClass::Aggregation, kHead, kText,
                  function_of(Combination::Avg, Transformation::Identity), value_shape(kDim)},
                 count, [&](std::uint64_t m, NeuronRow& row) {
                   for (std::uint32_t a = data_.atom_begin[m]; a < data_.atom_begin[m + 1]; ++a) {
                     row.input(rules + a);
                   }
                 });
  const FileId queries =
      out_.group({NeuronClass::WeightedAtom,
                  kHead,
                  kHead,
                  function_of(Combination::Sum, Transformation::Identity),
                  {}},
                 count, [&](std::uint64_t m, NeuronRow& row) { row.input(means + m, weight); });
  for (std::uint64_t m = 0; m < count; ++m) {
    SampleRecord sample;
    sample.id = data_.names[m];
    sample.output = queries + m;
    const double target = data_.active[m] ? 1 : 0;
    sample.has_target = true;
    sample.target = std::span(&target, 1);
    out_.sample(sample);
  }
}

Result<void> MoleculeTemplate::ground() {
  VECC_TRY(const std::vector<std::uint32_t> atom_kinds, find_kinds_of_atoms());
  VECC_TRY(const std::vector<std::uint32_t> bond_kinds, find_kinds_of_bonds());
  add_vocabularies(data_, out_);
  order_bonds();
  std::vector<std::string> elements(kElements.begin(), kElements.end());
  std::vector<std::string> bond_types;
  for (const std::int64_t type : kBondTypes) bond_types.push_back("b_" + std::to_string(type));
  const std::vector<FileId> atom_facts = ground_facts(elements, atom_kinds);
  const std::vector<FileId> bond_facts = ground_facts(bond_types, bond_kinds);
  const WeightId atom_weight = next_weight(kDim, 1);
  for (std::size_t k = 1; k < kElements.size(); ++k) next_weight(kDim, 1);
  const WeightId bond_weight = next_weight(bond_dim_, 1);
  for (std::size_t k = 1; k < kBondTypes.size(); ++k) next_weight(bond_dim_, 1);
  FileId atoms = ground_embedding("atom_embed", "{3,1} atom_embed(A) :- c(A).", atom_facts,
                                  atom_kinds, atom_weight);
  const std::string bond_text = weight_text(bond_dim_, 1) + " bond_embed(B) :- b_1(B).";
  const FileId bonds =
      ground_embedding("bond_embed", bond_text, bond_facts, bond_kinds, bond_weight);
  const FileId visible_bonds = dims_ ? out_.unit_facts("bond/3", bonds_.size()) : 0;
  for (int layer = 1; layer <= kLayers; ++layer) {
    atoms = ground_layer(layer, atoms, bonds, visible_bonds);
  }
  ground_query(atoms);
  return {};
}

Result<void> ground_simple(const Molecules& data, Grounder& out) {
  return MoleculeTemplate(data, false, out).ground();
}
Result<void> ground_dims(const Molecules& data, Grounder& out) {
  return MoleculeTemplate(data, true, out).ground();
}

constexpr MoleculeModel kMoleculeModels[] = {
    {"simple",
     "layer(X) = tanh( mean over bonds of tanh( W1 layer(X) + W2 layer(Y) + bond ) ), dim 3, three "
     "layers, mean",
     ground_simple},
    {"dims",
     "layer(X) = tanh( mean over bonds of tanh( W1 layer(X) + W2 layer(Y) + 1 + W3 bond ) ), bonds "
     "of dim 1",
     ground_dims},
};

}  // namespace

std::span<const MoleculeModel> molecule_models() {
  return kMoleculeModels;
}

}  // namespace vecc::tools
