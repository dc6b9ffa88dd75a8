#include "src/weights/vocabulary_match.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "src/graph/vocabulary_names.h"

namespace vecc {
namespace {

using Use = VocabularyUse;

constexpr std::uint64_t kMaxErrors = 20;
bool are_equal(const StringColumn& a, const StringColumn& b) {
  return a.bytes == b.bytes && a.begin == b.begin;
}

bool has_use(const Vocabulary& vocabulary, Use::Place place) {
  return std::ranges::any_of(vocabulary.uses, [&](const Use& use) { return use.place == place; });
}

// Both number the same axis in the same way.
bool share_axis(const Use& ours, const Vocabulary& theirs) {
  return ours.place == Use::Place::Weights &&
         std::ranges::find(theirs.uses, ours) != theirs.uses.end();
}

std::uint64_t length_of(const WeightTable& table, Use::Axis axis) {
  if (axis == Use::Axis::Entry) return table.count;
  if (table.shape.is_scalar()) return 1;
  return axis == Use::Axis::ValueRow ? table.shape.rows() : table.shape.cols();
}

// Why the graph's numbers cannot be the file's; empty: they can.
std::string find_difference(const Vocabulary& ours, const Vocabulary& theirs, bool has_tables,
                            const std::vector<std::string_view>& lacking) {
  if (!lacking.empty()) return "the weights know nothing of " + graph::list_names(lacking);
  if (!has_tables) return "no weight table that both have is numbered by it";
  if (has_use(ours, Use::Place::Outputs) && ours.names.size() != theirs.names.size()) {
    return "the outputs are numbered by it, and need all of the names";
  }
  return {};
}

void report(const Vocabulary& ours, const Vocabulary& theirs, const std::string& difference,
            graph_io::ErrorList& errors) {
  const auto surplus =
      graph::lacking_names(theirs.names, graph::find_names(theirs.names, ours.names));
  std::string message = "the graph has " + graph::describe_names(ours.names) +
                        "; the weights have " + graph::describe_names(theirs.names) + ": " +
                        difference;
  if (!surplus.empty()) message += ", the graph lacks " + graph::list_names(surplus);
  errors.add(
      ErrorCode::WeightsDiffer, graph::describe_vocabulary(ours.name),
      message + "; import the graph with --like=TRAINED.pb, the graph that the weights are of");
}

}  // namespace

}  // namespace vecc

namespace vecc::weights {

VocabularyMatch::VocabularyMatch(const NeuronGraph& graph, std::string_view text,
                                 graph_io::ErrorList& errors) {
  if (text.empty()) return;
  const std::optional<std::vector<Vocabulary>> file = parse_vocabularies(text);
  if (!file) {
    errors.add(ErrorCode::BadWeightFile, "metadata \"" + std::string(kVocabulariesKey) + "\"",
               "is no list of vocabularies (docs/weights.md)");
    return;
  }
  for (const Vocabulary& ours : vocabularies_in_use(graph)) match(graph, ours, *file, errors);
}

void VocabularyMatch::match(const NeuronGraph& graph, const Vocabulary& ours,
                            const std::vector<Vocabulary>& file, graph_io::ErrorList& errors) {
  const bool is_value = has_use(ours, Use::Place::Facts) || has_use(ours, Use::Place::Outputs);
  for (const Vocabulary& theirs : file) {
    const bool has_tables =
        std::ranges::any_of(ours.uses, [&](const Use& use) { return share_axis(use, theirs); });
    if (!has_tables && !(is_value && ours.name == theirs.name)) continue;
    if (theirs.names.size() == 0) continue;  // left out: the digest of row names is compared
    const bool is_same = are_equal(ours.names, theirs.names);
    const auto places = graph::find_names(ours.names, theirs.names);
    const std::string difference =
        is_same
            ? std::string()
            : find_difference(ours, theirs, has_tables, graph::lacking_names(ours.names, places));
    for (const Use& use : ours.uses) {
      if (!share_axis(use, theirs)) continue;
      TablePlaces& table = tables_[use.table];
      table.refused = table.refused || !difference.empty();
      table.names_entries = table.names_entries || use.axis == Use::Axis::Entry;
    }
    if (is_same) continue;
    if (!difference.empty()) {
      report(ours, theirs, difference, errors);
      continue;
    }
    map_axes(graph, ours, theirs, places);
    mapped_.push_back(ours.name);
  }
}

void VocabularyMatch::map_axes(const NeuronGraph& graph, const Vocabulary& ours,
                               const Vocabulary& theirs, const std::vector<std::uint32_t>& places) {
  for (const Use& use : ours.uses) {
    if (!share_axis(use, theirs)) continue;
    const auto table = std::ranges::find(graph.weight_tables, use.table, &WeightTable::name);
    if (table == graph.weight_tables.end()) continue;  // facts that are apart
    TablePlaces::Side& side = tables_[use.table].sides[static_cast<std::size_t>(use.axis)];
    const std::uint64_t length = length_of(*table, use.axis);
    const std::uint64_t names = ours.names.size();
    const std::uint64_t file_names = theirs.names.size();
    side.file_length = length / names * file_names;
    side.in_file.resize(length);
    for (std::uint64_t p = 0; p < length; ++p) {
      const std::uint64_t block = p / use.inner;
      side.in_file[p] =
          (block / names * file_names + places[block % names]) * use.inner + p % use.inner;
    }
  }
}

const TablePlaces* VocabularyMatch::find(const std::string& table) const {
  const auto found = tables_.find(table);
  return found == tables_.end() ? nullptr : &found->second;
}

std::vector<std::uint64_t> shape_in_file(const WeightTable& table, const TablePlaces* places) {
  std::vector<std::uint64_t> shape = tensor_shape(table);
  if (places == nullptr) return shape;
  for (std::size_t axis = 0; axis < places->sides.size(); ++axis) {
    const TablePlaces::Side& side = places->sides[axis];
    if (side.in_file.empty()) continue;
    // A scalar is one row and one column, of which the file may have more.
    if (axis > 0 && shape.size() == 1) {
      if (side.file_length == 1) continue;
      shape.resize(3, 1);
    }
    shape[axis] = side.file_length;
  }
  return shape;
}

SharedNumbers rearrange(const SharedNumbers& values, const std::vector<std::uint64_t>& file_shape,
                        const WeightTable& table, const TablePlaces& places) {
  const auto places_of = [&](Use::Axis axis) {
    std::vector<std::uint64_t> in_file = places.sides[static_cast<std::size_t>(axis)].in_file;
    if (!in_file.empty()) return in_file;
    in_file.resize(length_of(table, axis));
    std::iota(in_file.begin(), in_file.end(), std::uint64_t{0});
    return in_file;
  };
  const auto columns = places_of(Use::Axis::ValueColumn);
  const auto rows = places_of(Use::Axis::ValueRow);
  const std::uint64_t file_rows = file_shape.size() == 3 ? file_shape[1] : 1;
  const std::uint64_t file_columns = file_shape.size() == 3 ? file_shape[2] : 1;
  NumberColumn result;
  result.reserve(table.count * table.shape.size());
  for (const std::uint64_t entry : places_of(Use::Axis::Entry)) {
    for (const std::uint64_t row : rows) {
      const std::uint64_t begin = (entry * file_rows + row) * file_columns;
      for (const std::uint64_t column : columns) result.push_back(values[begin + column]);
    }
  }
  return result.take();
}

}  // namespace vecc::weights

namespace vecc {

Result<void> check_same_vocabularies(const NeuronGraph& trained, const NeuronGraph& other) {
  graph_io::ErrorList errors(kMaxErrors);
  const std::string text = weights::text_of_vocabularies(weights::vocabularies_in_use(trained),
                                                         std::numeric_limits<std::uint64_t>::max());
  const weights::VocabularyMatch match(other, text, errors);
  for (const std::string& name : match.mapped()) {
    errors.add(ErrorCode::WeightsDiffer, graph::describe_vocabulary(name),
               "has other names, or another order, than that of the graph to train; import the "
               "graph with --like=TRAINED.pb, the graph to train");
  }
  if (!errors.empty()) return errors.errors();
  return {};
}

}  // namespace vecc
