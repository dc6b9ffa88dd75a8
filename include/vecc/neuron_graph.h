// NeuronGraph: the neurons of a file in columns; immutable once built.
//
// Neurons are numbered densely, 0..neuron_count-1, in file order (the file's own ids, up to 64 bits
// wide, are kept as ranges for messages). A *range* is a run of consecutive neurons of one group
// that share function and column layout; a group is one or more ranges. Edges are one CSR: the
// inputs of neuron n are inputs[input_begin[n] .. input_begin[n+1]). Everything that only some
// ranges have (weights, offsets, words, values) is a column that such a range points into.
// Cost: 8 + 4 bytes a neuron and 4 bytes an edge, 4 more an edge of a weighted range.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/function.h"
#include "vecc/shape.h"
#include "vecc/shared_numbers.h"

namespace vecc {

using NeuronId = std::uint32_t;
using WeightId = std::uint32_t;
using GroupIndex = std::uint32_t;

/// In a weight column: the unit weight ONE (the input as it is). In an offset column: no offset.
inline constexpr WeightId kNoWeight = std::numeric_limits<WeightId>::max();
/// "This range has no such column."
inline constexpr std::uint64_t kNoColumn = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

/// NeuraLogic's neuron classes; what a neuron computes does not depend on them.
enum class NeuronClass : std::uint8_t {
  Fact,
  Rule,
  WeightedRule,
  Aggregation,
  Atom,
  WeightedAtom,
  Negation,
  SplittableAggregation,
};
[[nodiscard]] std::string_view text_of(NeuronClass neuron_class);

/// Strings in one buffer; string i is bytes[begin[i] .. begin[i+1]).
struct StringColumn {
  std::string bytes;
  std::vector<std::uint64_t> begin{0};

  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    return std::string_view(bytes).substr(begin[i], begin[i + 1] - begin[i]);
  }
  void push_back(std::string_view text) {
    bytes += text;
    begin.push_back(bytes.size());
  }
};

struct NeuronGroup {
  std::uint64_t file_id = 0;
  NeuronClass neuron_class = NeuronClass::Fact;
  std::string head_predicate;  ///< data: escape it for every sink
  std::string rule_text;       ///< data: escape it for every sink
  std::vector<std::uint32_t> ranges;
  std::uint64_t neuron_count = 0;
};

enum class FactKind : std::uint8_t {
  NotAFact,
  Unit,       ///< unvalued: the scalar ONE
  Constant,   ///< `shape.size()` values a neuron at `value_begin`
  Learnable,  ///< a weight a neuron at `weight_begin`
};

struct NeuronRange {
  GroupIndex group = 0;
  std::uint32_t function = 0;  ///< index into NeuronGraph::functions; unused for facts
  FactKind fact = FactKind::NotAFact;
  NeuronId first = 0;
  std::uint32_t count = 0;
  std::uint64_t file_first_id = 0;
  bool has_shape = false;
  Shape shape;                             ///< declared value shape, if has_shape
  std::uint64_t weight_begin = kNoColumn;  ///< weights[weight_begin + (edge - first edge)]; a fact:
                                           ///< weights[weight_begin + (neuron - first)]
  std::uint64_t offset_begin = kNoColumn;  ///< offsets[offset_begin + (neuron - first)]
  std::uint64_t word_begin = kNoColumn;    ///< words[word_begin + word_count * (neuron - first)]
  std::uint64_t value_begin = kNoColumn;   ///< values[value_begin + size * (neuron - first)]
  std::uint64_t name_begin = kNoColumn;    ///< names[name_begin + (neuron - first)]
};

/// `count` weights of one shape under one name; weight ids first .. first+count-1.
struct WeightTable {
  std::string name;  ///< unique; data: escape it for every sink
  Shape shape;
  WeightId first = 0;
  std::uint32_t count = 0;
  std::uint64_t file_first_id = 0;
  bool learnable = true;
  bool has_values = false;
  SharedNumbers values;    ///< count * shape.size(), or none: to be initialised
  StringColumn row_names;  ///< count names, or none
};

enum class Split : std::uint8_t { Unspecified, Train, Validation, Test };
enum class Role : std::uint8_t { Unspecified, Positive, Negative };

struct Sample {
  NeuronId output = 0;
  std::uint32_t group = kNoGroup;  ///< ranking or pairing
  float weight = 1;
  Split split = Split::Unspecified;
  Role role = Role::Unspecified;
  bool has_target = false;
  Shape target_shape;
  std::uint64_t target_begin = 0;  ///< into NeuronGraph::target_values
};

/// An axis of a value that a vocabulary numbers: of n names, position p is name (p / inner) mod n.
struct VocabularyUse {
  enum class Place : std::uint8_t {
    Weights,  ///< of the weight table `table`
    Facts,    ///< values of the constant facts of the group with the file's id `group`
    Outputs,  ///< elements of the samples' outputs; a single one of two classes is high for class 1
  };
  enum class Axis : std::uint8_t {
    Entry,     ///< the weights of a table, one after another
    ValueRow,  ///< of one value
    ValueColumn,
  };
  Place place = Place::Weights;
  Axis axis = Axis::Entry;  ///< not of outputs
  std::string table;
  std::uint64_t group = 0;
  std::uint32_t inner = 1;  ///< positions in a row that belong to one name

  bool operator==(const VocabularyUse&) const = default;
};

/// What numbers stand for: name i is number i wherever the vocabulary is used.
struct Vocabulary {
  std::string name;    ///< unique: "node label"; data: escape it for every sink
  StringColumn names;  ///< distinct, at least one; data
  std::vector<VocabularyUse> uses;
};

struct NeuronGraph {
  std::vector<NeuronGroup> groups;
  std::vector<NeuronRange> ranges;  ///< in order of `first`, covering 0..neuron_count-1
  std::vector<NeuronFunction> functions;

  std::vector<std::uint64_t> input_begin{0};  ///< neuron_count + 1
  std::vector<NeuronId> inputs;
  std::vector<WeightId> weights;
  std::vector<WeightId> offsets;
  std::vector<std::uint32_t> words;
  NumberColumn values;
  StringColumn names;

  std::vector<WeightTable> weight_tables;      ///< in order of `first`
  std::vector<std::uint32_t> table_of_weight;  ///< weight id -> table
  std::vector<Sample> samples;
  StringColumn sample_ids;  ///< one a sample, or none
  std::vector<double> target_values;
  std::vector<Vocabulary> vocabularies;
  std::string producer;

  NeuronGraph();
  NeuronGraph(const NeuronGraph& other);
  NeuronGraph(NeuronGraph&& other) noexcept;
  NeuronGraph& operator=(const NeuronGraph& other);
  NeuronGraph& operator=(NeuronGraph&& other) noexcept;
  ~NeuronGraph();

  [[nodiscard]] std::uint64_t neuron_count() const { return input_begin.size() - 1; }
  [[nodiscard]] std::uint64_t edge_count() const { return inputs.size(); }
  [[nodiscard]] std::uint64_t weight_count() const { return table_of_weight.size(); }
  /// Index of the range that holds a neuron; logarithmic.
  [[nodiscard]] std::uint32_t range_of(NeuronId neuron) const;
  /// The id that the file gives a neuron.
  [[nodiscard]] std::uint64_t file_id(NeuronId neuron) const;
  /// `group 3 "layer_1", neuron 345`, escaped.
  [[nodiscard]] std::string describe(NeuronId neuron) const;
  /// Null if there is none of that name.
  [[nodiscard]] const Vocabulary* find_vocabulary(std::string_view name) const;
  /// The names of the outputs' classes, or null. Output element i is class i; where outputs have
  /// one element and there are two classes, it says how much the sample is of class 1.
  [[nodiscard]] const StringColumn* classes() const;
  /// Bytes held by all columns (capacity, not size).
  [[nodiscard]] std::uint64_t bytes() const;
};

}  // namespace vecc
