// Grounder: writes the neurons of a grounded template, group by group, straight into a graph.pb.
//
// A group's neurons are described one at a time by a callback; full chunks go to the file, so that
// memory does not grow with the graph. Neuron ids are given in order: group() returns the id of its
// first neuron, neuron i of it is that plus i. Inputs may name neurons of later groups.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vecc/error.h"
#include "vecc/graph_io.h"
#include "vecc/initialize.h"
#include "vecc/neuron_graph.h"

namespace vecc::tools {

/// A neuron's id in the file that is being written.
using FileId = std::uint64_t;

/// What all neurons of a group share.
struct GroupSpec {
  NeuronClass neuron_class = NeuronClass::Rule;
  std::string_view head;  ///< head predicate with its arity: "h1/1"
  std::string_view rule;  ///< the rule as NeuraLogic writes it: "h1(X) :- {10,7} x(Y), *edge(Y,X)."
  NeuronFunction function;
  std::optional<Shape> shape;  ///< declared value shape; required where a neuron may have no input
};

/// One neuron, as a callback of Grounder::group describes it: its inputs in order, each with its
/// weight (kNoWeight: as it is), its offset, and its words (AtIndex: 1, Slice: 4).
class NeuronRow {
 public:
  void input(FileId id, WeightId weight = kNoWeight) {
    inputs_.push_back(id);
    weights_.push_back(weight);
  }
  void offset(WeightId weight) { offset_ = weight; }
  void word(std::uint32_t word) { words_.push_back(word); }

 private:
  friend class Grounder;
  std::vector<FileId> inputs_;  // of the whole chunk
  std::vector<WeightId> weights_;
  std::vector<std::uint32_t> words_;
  WeightId offset_ = kNoWeight;
};

struct GrounderOptions {
  std::string path;
  Encoding encoding;
  std::string producer;
  std::optional<Initializer> initializer;  ///< none: weights have no values
  std::int64_t seed = 0;
  ImportLimits limits;
  std::function<void(std::uint64_t neurons)> progress;  ///< called now and then; may be empty
  bool is_repeated = false;  ///< another one grounds the same, and says what there is to say
};

class Grounder {
 public:
  /// Errors: those of GraphWriter.
  [[nodiscard]] static Result<Grounder> create(GrounderOptions options);
  /// By a writer that is there; `options` have the path for errors only.
  Grounder(GrounderOptions options, GraphWriter writer);
  Grounder(Grounder&&) noexcept;
  Grounder& operator=(Grounder&&) noexcept;
  ~Grounder();

  /// `count` learnable weights of one shape under one unique name; returns the id of the first.
  /// With an initializer their values are the next ones of its random stream, in the order of the
  /// calls. `row_names`: one a weight, or null.
  WeightId weights(std::string_view name, Shape shape, std::uint32_t count = 1,
                   const StringColumn* row_names = nullptr);
  /// The same with values: `fill(i, values)` writes those of weight i, or gives false: they are the
  /// next ones of the initializer's stream (zero without an initializer).
  WeightId given_weights(std::string_view name, Shape shape, std::uint32_t count,
                         const std::function<bool(std::uint32_t, std::span<double>)>& fill,
                         const StringColumn* row_names = nullptr);
  /// One weight that is never learned.
  WeightId fixed_weight(std::string_view name, Shape shape, std::span<const double> values);

  /// Facts: unvalued (the scalar ONE); constant, `fill(i, values)` writes fact i's shape.size()
  /// values; learnable, fact i is weight first_weight + i.
  FileId unit_facts(std::string_view head, std::uint64_t count);
  FileId constant_facts(std::string_view head, Shape shape, std::uint64_t count,
                        const std::function<void(std::uint64_t, std::span<double>)>& fill);
  FileId learnable_facts(std::string_view head, WeightId first_weight, std::uint64_t count);
  /// The same where fact i is weight weight_of(i).
  FileId learnable_facts(std::string_view head, std::uint64_t count,
                         const std::function<WeightId(std::uint64_t)>& weight_of);

  /// What comes next goes on with the group before: neurons of its class and head with another
  /// function, facts of another kind.
  void continue_group();

  /// A group of `count` neurons; `describe(i, row)` is called for i = 0 .. count-1 in order.
  template <class Describe>
  FileId group(const GroupSpec& spec, std::uint64_t count, Describe&& describe) {
    const FileId first = begin_group(spec);
    for (std::uint64_t i = 0; i < count && !failed(); ++i) {
      describe(i, row());
      end_neuron();
    }
    end_group();
    return first;
  }

  void sample(const SampleRecord& record);

  /// A vocabulary of the file, and what it numbers; one without names is none, and nor is what it
  /// would number.
  void vocabulary(std::string_view name, StringColumn names);
  void number_weights(std::string_view vocabulary, std::string_view table, VocabularyUse::Axis axis,
                      std::uint32_t inner = 1);
  /// The values of the last group, which holds constant facts.
  void number_facts(std::string_view vocabulary, VocabularyUse::Axis axis);
  /// The vocabulary of the classes.
  void number_outputs(std::string_view vocabulary);

  [[nodiscard]] std::uint64_t neuron_count() const;
  [[nodiscard]] std::uint64_t edge_count() const;
  [[nodiscard]] std::uint64_t sample_count() const;
  [[nodiscard]] const ImportLimits& limits() const;
  /// GrounderOptions'.
  [[nodiscard]] bool is_repeated() const;
  /// After a failure (a limit, the disk) calls do nothing; finish() reports it.
  [[nodiscard]] bool failed() const;
  /// Completes the file; without it nothing is left behind. Errors: CannotWrite, LimitNeurons,
  /// LimitEdges, LimitWeights.
  [[nodiscard]] Result<void> finish();

 private:
  struct State;
  FileId begin_group(const GroupSpec& spec);
  NeuronRow& row();
  void end_neuron();
  void end_group();

  std::unique_ptr<State> state_;
};

}  // namespace vecc::tools
