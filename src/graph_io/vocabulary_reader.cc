#include "src/graph_io/vocabulary_reader.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "src/graph/describe.h"
#include "src/graph/vocabulary_names.h"
#include "src/graph_io/sample_reader.h"
#include "src/graph_io/weight_reader.h"
#include "src/graph_io/wire_checks.h"
#include "vecc/escape.h"

namespace vecc::graph_io {
namespace {

// Whether the chunk begins or continues the vocabulary, as it says.
bool check_continued(const wire::Vocabulary& wire, const std::string& place, bool is_new,
                     ImportState& state) {
  if (is_new == !wire.continued()) return true;
  if (is_new) {
    state.errors.add(ErrorCode::InconsistentGroup, place,
                     "is continued, but no chunk before has this name");
  } else {
    state.errors.add(ErrorCode::DuplicateName, place,
                     "the name is used twice, expected unique names");
  }
  return false;
}

// Without a value: reported.
std::optional<VocabularyUse> read_use(const wire::VocabularyUse& wire, const std::string& place,
                                      ImportState& state) {
  VocabularyUse use;
  const auto refuse = [&](std::string message) {
    state.errors.add(ErrorCode::MalformedField, place, std::move(message));
    return std::nullopt;
  };
  switch (wire.place_case()) {
    case wire::VocabularyUse::kWeightTable:
      use.place = VocabularyUse::Place::Weights;
      use.table = wire.weight_table();
      break;
    case wire::VocabularyUse::kGroup:
      use.place = VocabularyUse::Place::Facts;
      use.group = wire.group();
      break;
    case wire::VocabularyUse::kOutputs:
      use.place = VocabularyUse::Place::Outputs;
      if (!wire.outputs() || wire.axis() != 0 || wire.inner() != 0) {
        return refuse("a use of the outputs says more than `outputs: true`");
      }
      return use;
    case wire::VocabularyUse::PLACE_NOT_SET:
      return refuse("a use names neither a weight table, a group, nor the outputs");
  }
  if (!check_enum(state, place, "the axis of a use", wire.axis(),
                  wire::VocabularyUse::Axis_IsValid(wire.axis()))) {
    return std::nullopt;
  }
  use.axis = static_cast<VocabularyUse::Axis>(wire.axis());
  use.inner = wire.inner() == 0 ? 1 : wire.inner();
  if (use.place == VocabularyUse::Place::Facts && use.axis == VocabularyUse::Axis::Entry) {
    return refuse("the axis of facts is the entries, expected the rows or columns of a value");
  }
  return use;
}

std::uint64_t side_of(Shape shape, VocabularyUse::Axis axis) {
  if (shape.is_scalar()) return 1;
  return axis == VocabularyUse::Axis::ValueRow ? shape.rows() : shape.cols();
}

std::string_view text_of(VocabularyUse::Axis axis) {
  switch (axis) {
    case VocabularyUse::Axis::Entry: return "weights";
    case VocabularyUse::Axis::ValueRow: return "rows";
    case VocabularyUse::Axis::ValueColumn: return "columns";
  }
  return "";
}

class VocabularyCheck {
 public:
  VocabularyCheck(const Vocabulary& vocabulary, ImportState& state)
      : vocabulary_(vocabulary),
        place_(graph::describe_vocabulary(vocabulary.name)),
        state_(state) {}

  bool check_names() {
    const StringColumn& names = vocabulary_.names;
    if (names.size() == 0) {
      report(ErrorCode::ColumnLength, "has no names, expected at least one");
      return false;
    }
    boost::unordered_flat_map<std::string_view, std::size_t> seen;
    seen.reserve(names.size());
    bool good = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto [entry, is_new] = seen.try_emplace(names[i], i);
      if (is_new) continue;
      good = false;
      report(ErrorCode::DuplicateName,
             "names " + std::to_string(entry->second) + " and " + std::to_string(i) +
                 " are both \"" + escape_terminal(names[i]) + "\", expected distinct names");
    }
    return good;
  }

  void check_use(const VocabularyUse& use) {
    switch (use.place) {
      case VocabularyUse::Place::Weights: return check_table(use);
      case VocabularyUse::Place::Facts: return check_facts(use);
      case VocabularyUse::Place::Outputs: return check_outputs();
    }
  }

 private:
  void report(ErrorCode code, std::string message) {
    state_.errors.add(code, place_, std::move(message));
  }

  // An axis is the names, each `inner` times, once or several times over.
  void check_length(const VocabularyUse& use, std::uint64_t length, const std::string& of) {
    const std::uint64_t names = vocabulary_.names.size();
    if (length % use.inner == 0 && length / use.inner % names == 0) return;
    report(ErrorCode::ShapeMismatch,
           of + " has " + std::to_string(length) + " " + std::string(text_of(use.axis)) +
               ", expected " + std::to_string(names) + " names" +
               (use.inner == 1 ? "" : ", each " + std::to_string(use.inner) + " times") +
               ", or a multiple");
  }

  void check_table(const VocabularyUse& use) {
    const auto found = state_.table_of_name.find(use.table);
    if (found == state_.table_of_name.end()) {
      return report(ErrorCode::DanglingReference,
                    "refers to " + describe_table(use.table) + ", but the graph has none");
    }
    const WeightTable& table = state_.graph.weight_tables[found->second];
    check_length(
        use, use.axis == VocabularyUse::Axis::Entry ? table.count : side_of(table.shape, use.axis),
        describe_table(use.table));
  }

  void check_facts(const VocabularyUse& use) {
    const auto found = state_.group_of_id.find(use.group);
    if (found == state_.group_of_id.end()) {
      return report(ErrorCode::DanglingReference,
                    "refers to group " + std::to_string(use.group) + ", but no group has that id");
    }
    const NeuronGroup& group = state_.graph.groups[found->second];
    const std::string place = graph::describe_group(group);
    for (const std::uint32_t r : group.ranges) {
      const NeuronRange& range = state_.graph.ranges[r];
      if (range.fact != FactKind::Constant) {
        return report(ErrorCode::InconsistentGroup,
                      "refers to " + place + ", expected a group of constant facts");
      }
      check_length(use, side_of(range.shape, use.axis), place);
    }
  }

  // Targets are as large as outputs, whose shapes are not known yet.
  void check_outputs() {
    const std::uint64_t names = vocabulary_.names.size();
    const NeuronGraph& graph = state_.graph;
    for (std::size_t i = 0; i < graph.samples.size(); ++i) {
      const Sample& sample = graph.samples[i];
      const std::uint64_t size = sample.target_shape.size();
      if (!sample.has_target || size == names || (size == 1 && names == 2)) continue;
      return report(ErrorCode::ShapeMismatch,
                    "has " + std::to_string(names) + " names of classes, but the target of " +
                        describe_sample(graph, i) + " has " + std::to_string(size) +
                        (size == 1 ? " element" : " elements"));
    }
  }

  const Vocabulary& vocabulary_;
  std::string place_;
  ImportState& state_;
};

}  // namespace

void read_vocabulary(const wire::Vocabulary& wire, ImportState& state) {
  const std::string place = graph::describe_vocabulary(wire.name());
  const auto next = static_cast<std::uint32_t>(state.graph.vocabularies.size());
  const auto [entry, is_new] = state.vocabulary_of_name.try_emplace(wire.name(), next);
  if (is_new) state.graph.vocabularies.emplace_back().name = wire.name();
  if (!check_continued(wire, place, is_new, state)) return;
  Vocabulary& vocabulary = state.graph.vocabularies[entry->second];
  for (const std::string& name : wire.names()) vocabulary.names.push_back(name);
  for (const wire::VocabularyUse& use : wire.uses()) {
    if (auto read = read_use(use, place, state)) vocabulary.uses.push_back(std::move(*read));
  }
}

void check_vocabularies(ImportState& state) {
  std::set<std::tuple<VocabularyUse::Place, std::string_view, std::uint64_t, VocabularyUse::Axis>>
      numbered;
  for (const Vocabulary& vocabulary : state.graph.vocabularies) {
    VocabularyCheck check(vocabulary, state);
    if (!check.check_names()) continue;
    for (const VocabularyUse& use : vocabulary.uses) {
      if (numbered.emplace(use.place, use.table, use.group, use.axis).second) {
        check.check_use(use);
        continue;
      }
      const std::string axis =
          use.place == VocabularyUse::Place::Outputs ? "the outputs" : "an axis";
      state.errors.add(ErrorCode::InconsistentGroup, graph::describe_vocabulary(vocabulary.name),
                       "numbers " + axis + " that a vocabulary numbers already");
    }
  }
}

}  // namespace vecc::graph_io
