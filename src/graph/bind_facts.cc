// Facts become learnable facts of new weight tables: what follows knows these already.
#include "vecc/bind_facts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "src/graph/describe.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

bool is_bindable(const NeuronRange& range) {
  return range.fact == FactKind::Constant || range.fact == FactKind::Unit;
}

Shape shape_of(const NeuronRange& range) {
  return range.fact == FactKind::Unit ? Shape::scalar() : range.shape;
}

std::string quote(std::string_view name) {
  return "\"" + escape_terminal(name) + "\"";
}

/// `; groups with facts: "a", "b" and 3 more`
std::string list_groups(const NeuronGraph& graph) {
  constexpr std::size_t kMost = 20;
  std::set<std::string_view> names;
  for (const NeuronRange& range : graph.ranges) {
    if (is_bindable(range)) names.insert(graph.groups[range.group].head_predicate);
  }
  if (names.empty()) return "; the graph has no group with facts";
  std::string text;
  std::size_t listed = 0;
  for (const std::string_view name : names) {
    if (listed == kMost) {
      return text + " and " + std::to_string(names.size() - kMost) + " more";
    }
    text += (listed++ == 0 ? "; groups with facts: " : ", ") + quote(name);
  }
  return text;
}

/// By head predicate; if no group has it, by number.
std::vector<GroupIndex> find_groups(const NeuronGraph& graph, const std::string& name) {
  std::vector<GroupIndex> by_name;
  std::vector<GroupIndex> by_number;
  for (GroupIndex g = 0; g < graph.groups.size(); ++g) {
    if (graph.groups[g].head_predicate == name) by_name.push_back(g);
    if (std::to_string(graph.groups[g].file_id) == name) by_number.push_back(g);
  }
  return by_name.empty() ? by_number : by_name;
}

class FactBinder {
 public:
  explicit FactBinder(NeuronGraph& graph) : graph_(graph) {
    for (const WeightTable& table : graph.weight_tables) names_.insert(table.name);
  }

  /// Plans the tables of a group.
  Result<void> add(const std::string& name) {
    const auto error = [&](const std::string& message) {
      return Errors(ErrorCode::Usage, "--bind-facts=" + escape_terminal(name), message);
    };
    const std::vector<GroupIndex> groups = find_groups(graph_, name);
    if (groups.empty()) return error("no group has this name" + list_groups(graph_));
    std::map<Shape, std::vector<std::uint32_t>> ranges;
    bool has_weights = false;
    for (std::uint32_t r = 0; r < graph_.ranges.size(); ++r) {
      const NeuronRange& range = graph_.ranges[r];
      if (std::ranges::find(groups, range.group) == groups.end()) continue;
      has_weights = has_weights || range.fact == FactKind::Learnable;
      if (is_bindable(range)) ranges[shape_of(range)].push_back(r);
    }
    const std::string place = graph::describe_group(graph_.groups[groups.front()]);
    if (ranges.empty() && has_weights) return error(place + ": its facts are weights already");
    if (ranges.empty()) return error(place + " holds no facts" + list_groups(graph_));
    for (auto& [shape, of_shape] : ranges) {
      const std::string table =
          "fact/" + name + (ranges.size() > 1 ? "/" + shape.text() : std::string());
      if (!names_.insert(table).second) {
        return Errors(ErrorCode::DuplicateName, "--bind-facts=" + escape_terminal(name),
                      "the graph has a weight table " + quote(table) +
                          ", or these facts are bound "
                          "twice");
      }
      planned_.emplace_back(table, std::move(of_shape));
    }
    return {};
  }

  Result<BoundFacts> bind() {
    std::uint64_t rows = graph_.weight_count();
    std::set<std::uint32_t> taken;
    for (const auto& [name, ranges] : planned_) {
      for (const std::uint32_t r : ranges) {
        rows += graph_.ranges[r].count;
        if (taken.insert(r).second) continue;
        return Errors(ErrorCode::Usage, "--bind-facts",
                      quote(name) +
                          ": facts that are bound "
                          "already");
      }
    }
    if (rows >= kNoWeight) {
      return Errors(ErrorCode::LimitWeights, "--bind-facts",
                    "weights and facts would be " + std::to_string(rows) + ", the limit is " +
                        std::to_string(kNoWeight - 1));
    }
    BoundFacts facts;
    for (const auto& [name, ranges] : planned_) {
      bind_table(name, ranges);
      facts.tables.push_back(name);
    }
    return facts;
  }

 private:
  void bind_table(const std::string& name, const std::vector<std::uint32_t>& ranges) {
    WeightTable table;
    table.name = name;
    table.shape = shape_of(graph_.ranges[ranges.front()]);
    table.first = static_cast<WeightId>(graph_.weight_count());
    for (const WeightTable& other : graph_.weight_tables) {
      table.file_first_id = std::max(table.file_first_id, other.file_first_id + other.count);
    }
    table.has_values = true;
    NumberColumn values;
    const bool named = std::ranges::all_of(
        ranges, [&](std::uint32_t r) { return graph_.ranges[r].name_begin != kNoColumn; });
    for (const std::uint32_t r : ranges) {
      NeuronRange& range = graph_.ranges[r];
      append_values(range, values);
      for (std::uint32_t i = 0; named && i < range.count; ++i) {
        table.row_names.push_back(graph_.names[range.name_begin + i]);
      }
      range.fact = FactKind::Learnable;
      range.value_begin = kNoColumn;
      range.weight_begin = graph_.weights.size();
      for (std::uint32_t i = 0; i < range.count; ++i) {
        graph_.weights.push_back(table.first + table.count + i);
      }
      table.count += range.count;
    }
    table.values = values.take();
    for (Vocabulary& vocabulary : graph_.vocabularies) number_table(vocabulary, table.name, ranges);
    graph_.table_of_weight.resize(graph_.weight_count() + table.count,
                                  static_cast<std::uint32_t>(graph_.weight_tables.size()));
    graph_.weight_tables.push_back(std::move(table));
  }

  // What numbered the facts' values numbers the table's.
  void number_table(Vocabulary& vocabulary, const std::string& table,
                    const std::vector<std::uint32_t>& ranges) const {
    const NeuronGroup& group = graph_.groups[graph_.ranges[ranges.front()].group];
    const std::vector<VocabularyUse> uses = vocabulary.uses;
    for (VocabularyUse use : uses) {
      if (use.place != VocabularyUse::Place::Facts || use.group != group.file_id) continue;
      use.place = VocabularyUse::Place::Weights;
      use.table = table;
      use.group = 0;
      vocabulary.uses.push_back(std::move(use));
    }
  }

  void append_values(const NeuronRange& range, NumberColumn& values) const {
    if (range.fact == FactKind::Unit) {
      values.append(SharedNumbers::repeated(range.count, 1));
    } else {
      values.append(graph_.values.row(range.value_begin), range.count * range.shape.size());
    }
  }

  NeuronGraph& graph_;
  std::set<std::string> names_;
  std::vector<std::pair<std::string, std::vector<std::uint32_t>>> planned_;  // table, ranges
};

}  // namespace

bool BoundFacts::contains(std::string_view table) const {
  return std::ranges::find(tables, table) != tables.end();
}

Result<BoundFacts> bind_facts(NeuronGraph& graph, std::span<const std::string> groups) {
  FactBinder binder(graph);
  for (const std::string& group : groups) VECC_TRY_VOID(binder.add(group));
  return binder.bind();
}

}  // namespace vecc
