// Aggregations get a weight for each of their members.
#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "src/graph/aggregation_levels.h"
#include "src/graph/describe.h"
#include "src/graph/member_counts.h"
#include "vecc/fanout.h"

namespace vecc {
namespace {

std::uint32_t limit_of(const Fanout& fanout, std::uint32_t level) {
  if (level == 0) return Fanout::kAll;  // no output reads it
  return fanout.members[std::min<std::size_t>(level, fanout.members.size()) - 1];
}

// Some members, or shares of them, stand for all.
bool takes_some(Combination combination) {
  return graph::counts_of(combination) == SampledMembers::Counts::There;
}

class MemberSampling {
 public:
  MemberSampling(const NeuronGraph& graph, const Fanout& fanout)
      : graph_(graph),
        fanout_(fanout),
        attention_(graph::find_attention(graph)),
        levels_(graph::aggregation_levels(graph, attention_)) {
    for (const NeuronGroup& group : graph.groups) {
      next_group_id_ = std::max(next_group_id_, group.file_id + 1);
    }
    for (const NeuronRange& range : graph.ranges) {
      next_neuron_id_ = std::max(next_neuron_id_, range.file_first_id + range.count);
    }
  }

  Result<SampledGraph> run() {
    choose_groups();
    if (!errors_.empty()) return errors_;
    VECC_TRY_VOID(check_table());
    number_rows();
    VECC_TRY_VOID(check_sizes());
    SampledGraph result{graph_, {}};
    result.members.fanout = fanout_;
    result.members.aggregations = aggregations_;
    result.members.first = static_cast<WeightId>(graph_.weight_count());
    result.members.members = members_;
    if (members_ == 0) return result;
    result.members.follows = follows_;
    for (std::uint32_t r = 0; r < graph_.ranges.size(); ++r) {
      if (is_numbered(r)) note_range(r, result.members);
      if (is_numbered(r) || has_followers(r)) change_range(r, result);
    }
    add_table(result);
    return result;
  }

 private:
  static constexpr std::uint64_t kNotSampled = ~std::uint64_t{0};

  [[nodiscard]] std::uint64_t fan_in(NeuronId n) const {
    return graph_.input_begin[n + 1ull] - graph_.input_begin[n];
  }
  [[nodiscard]] std::uint64_t edge_count(const NeuronRange& range) const {
    return graph_.input_begin[range.first + std::uint64_t{range.count}] -
           graph_.input_begin[range.first];
  }
  [[nodiscard]] Combination combination_of(std::uint32_t r) const {
    return graph_.functions[graph_.ranges[r].function].combination;
  }
  // Its softmaxes draw the members of such a sum.
  [[nodiscard]] bool draws(std::uint32_t r, NeuronId n) const {
    const Combination combination = combination_of(r);
    return combination != Combination::Count &&
           !(attention_.readers[n] && combination == Combination::Sum);
  }
  [[nodiscard]] bool is_sampled(std::uint32_t r) const {
    const NeuronRange& range = graph_.ranges[r];
    if (!groups_[range.group] || !graph::is_aggregation(graph_, r)) return false;
    if (!obstacle(r).empty()) return false;
    for (NeuronId n = range.first; n < range.first + range.count; ++n) {
      if (fan_in(n) > 0 && draws(r, n)) return true;
    }
    return false;
  }
  [[nodiscard]] std::uint32_t limit(std::uint32_t r, NeuronId n) const {
    return draws(r, n) ? limit_of(fanout_, levels_[n]) : Fanout::kAll;
  }
  // Its members stand in neurons of their own.
  [[nodiscard]] bool has_new_neurons(std::uint32_t r) const {
    return takes_some(combination_of(r)) || graph_.ranges[r].weight_begin != kNoColumn;
  }

  // Groups that have a neuron with more members than its level's number.
  void choose_groups() {
    groups_.assign(graph_.groups.size(), false);
    for (std::uint32_t r = 0; r < graph_.ranges.size(); ++r) {
      const NeuronRange& range = graph_.ranges[r];
      if (!graph::is_aggregation(graph_, r)) continue;
      bool is_checked = false;
      for (NeuronId n = range.first; n < range.first + range.count; ++n) {
        if (fan_in(n) <= limit(r, n)) continue;
        ++aggregations_;
        groups_[range.group] = true;
        if (!is_checked) check(r, n);
        is_checked = true;
      }
    }
  }

  // Why members of a range's aggregations may not be left out; empty: they may.
  [[nodiscard]] std::string obstacle(std::uint32_t r) const {
    const Combination combination = combination_of(r);
    if (std::string why = graph::why_not_sampled(combination); !why.empty()) return why;
    if (graph_.ranges[r].offset_begin != kNoColumn && combination == Combination::Avg) {
      return "and an offset that is averaged with them";
    }
    return {};
  }
  [[nodiscard]] std::string obstacle(std::uint32_t r, NeuronId n) const {
    if (!attention_.readers[n]) return obstacle(r);
    return graph::why_attention_is_not_sampled(combination_of(r));
  }

  void check(std::uint32_t r, NeuronId n) {
    const std::string why = obstacle(r, n);
    if (why.empty()) return;
    errors_.add(ErrorCode::Usage, "--fanout=" + text_of(fanout_),
                graph::describe_group(graph_.groups[graph_.ranges[r].group]) +
                    " has an aggregation of " + std::to_string(fan_in(n)) + " members at level " +
                    std::to_string(levels_[n]) + ", " + why + ": give that level all");
  }

  // Rows of the table, by sampled range; then which sums have the members of softmaxes.
  void number_rows() {
    first_row_.assign(graph_.ranges.size(), kNotSampled);
    for (std::uint32_t r = 0; r < graph_.ranges.size(); ++r) {
      if (!is_sampled(r)) continue;
      first_row_[r] = members_;
      members_ += edge_count(graph_.ranges[r]);
    }
    follows_.assign(graph_.neuron_count(), false);
    for (NeuronId n = 0; n < graph_.neuron_count(); ++n) {
      if (!attention_.readers[n] || draws(graph_.range_of(n), n)) continue;
      for (std::uint64_t e = graph_.input_begin[n]; e < graph_.input_begin[n + 1ull]; ++e) {
        if (row_of_softmax(e)) follows_[n] = true;
      }
    }
  }
  [[nodiscard]] bool is_numbered(std::uint32_t r) const { return first_row_[r] != kNotSampled; }
  [[nodiscard]] bool has_followers(std::uint32_t r) const {
    const NeuronRange& range = graph_.ranges[r];
    for (NeuronId n = range.first; n < range.first + range.count; ++n) {
      if (follows_[n]) return true;
    }
    return false;
  }

  // The row of the softmax's member whose entry the member of a sum is a product with; none if no
  // softmax draws it.
  [[nodiscard]] std::optional<std::uint64_t> row_of_softmax(std::uint64_t edge) const {
    const NeuronId member = graph_.inputs[edge];
    for (std::uint64_t e = graph_.input_begin[member]; e < graph_.input_begin[member + 1ull]; ++e) {
      const auto entry = graph::find_softmax_entry(graph_, graph_.inputs[e]);
      if (!entry) continue;
      const std::uint32_t r = graph_.range_of(entry->softmax);
      const NeuronRange& range = graph_.ranges[r];
      const bool has_offset =
          range.offset_begin != kNoColumn &&
          graph_.offsets[range.offset_begin + (entry->softmax - range.first)] != kNoWeight;
      if (!is_numbered(r) || (has_offset && entry->element == 0)) continue;
      const std::uint64_t place = entry->element - (has_offset ? 1 : 0);
      if (place >= fan_in(entry->softmax)) continue;
      return first_row_[r] + graph_.input_begin[entry->softmax] + place -
             graph_.input_begin[range.first];
    }
    return {};
  }

  [[nodiscard]] Result<void> check_sizes() const {
    const std::uint64_t weights = graph_.weight_count() + members_;
    std::uint64_t neurons = graph_.neuron_count();
    for (std::uint32_t r = 0; r < graph_.ranges.size(); ++r) {
      const bool changes = is_numbered(r) || has_followers(r);
      if (changes && has_new_neurons(r)) neurons += edge_count(graph_.ranges[r]);
    }
    constexpr std::uint64_t kMostNeurons = std::numeric_limits<NeuronId>::max() - 1;
    if (neurons > kMostNeurons) {
      return Errors(ErrorCode::LimitNeurons, "--fanout",
                    "neurons and members would be " + std::to_string(neurons) + ", the limit is " +
                        std::to_string(kMostNeurons));
    }
    if (weights < kNoWeight) return {};
    return Errors(ErrorCode::LimitWeights, "--fanout",
                  "weights and members would be " + std::to_string(weights) + ", the limit is " +
                      std::to_string(kNoWeight - 1));
  }

  [[nodiscard]] Result<void> check_table() const {
    const auto same = std::ranges::find(graph_.weight_tables, kFanoutTable, &WeightTable::name);
    if (same == graph_.weight_tables.end()) return {};
    return Errors(ErrorCode::DuplicateName, "--fanout",
                  "the graph has a weight table \"" + std::string(kFanoutTable) + "\"");
  }

  static std::uint32_t number_of(NeuronGraph& graph, NeuronFunction function) {
    const auto found = std::ranges::find(graph.functions, function);
    if (found != graph.functions.end()) {
      return static_cast<std::uint32_t>(found - graph.functions.begin());
    }
    graph.functions.push_back(std::move(function));
    return static_cast<std::uint32_t>(graph.functions.size() - 1);
  }

  void note_range(std::uint32_t r, SampledMembers& to) const {
    const NeuronRange& range = graph_.ranges[r];
    SampledMembers::Range sampled{
        r, *graph::counts_of(combination_of(r)), static_cast<std::uint32_t>(first_row_[r]), {}};
    for (NeuronId n = range.first; n < range.first + range.count; ++n) {
      sampled.limits.push_back(limit(r, n));
    }
    to.ranges.push_back(std::move(sampled));
  }

  void change_range(std::uint32_t r, SampledGraph& to) {
    const Combination combination = combination_of(r);
    const WeightId first = to.members.first;
    if (has_new_neurons(r)) add_neurons(r, first, to.graph);
    NeuronRange& range = to.graph.ranges[r];
    range.weight_begin = kNoColumn;
    if (takes_some(combination)) return;
    range.weight_begin = to.graph.weights.size();
    for (NeuronId n = range.first; n < range.first + range.count; ++n) {
      for (std::uint64_t e = graph_.input_begin[n]; e < graph_.input_begin[n + 1ull]; ++e) {
        std::optional<std::uint64_t> row;
        if (follows_[n]) {
          row = row_of_softmax(e);
        } else if (is_numbered(r)) {
          row = first_row_[r] + (e - graph_.input_begin[range.first]);
        }
        to.graph.weights.push_back(row ? static_cast<WeightId>(first + *row) : kNoWeight);
      }
    }
    if (combination == Combination::Avg) {
      NeuronFunction sum = graph_.functions[range.function];
      sum.combination = Combination::Sum;
      range.function = number_of(to.graph, std::move(sum));
    }
  }

  // A neuron for each member of a range: W * x, or x + log(m) of what selects among members.
  void add_neurons(std::uint32_t r, WeightId first, NeuronGraph& to) {
    const NeuronRange& of = graph_.ranges[r];
    const std::uint64_t edges = edge_count(of);
    const std::uint64_t first_edge = graph_.input_begin[of.first];
    NeuronRange members;
    members.first = static_cast<NeuronId>(to.neuron_count());
    members.count = static_cast<std::uint32_t>(edges);
    if (edges == 0) return;
    members.group = group_of_members(of.group, to);
    members.file_first_id = std::exchange(next_neuron_id_, next_neuron_id_ + edges);
    if (of.weight_begin != kNoColumn) {
      members.weight_begin = to.weights.size();
      for (std::uint64_t e = 0; e < edges; ++e) {
        to.weights.push_back(graph_.weights[of.weight_begin + e]);
      }
    }
    NeuronFunction function;
    if (takes_some(combination_of(r))) {
      function = masking(combination_of(r));
      members.offset_begin = to.offsets.size();
      for (std::uint64_t e = 0; e < edges; ++e) {
        to.offsets.push_back(static_cast<WeightId>(first + first_row_[r] + e));
      }
    }
    members.function = number_of(to, std::move(function));
    for (std::uint64_t e = 0; e < edges; ++e) {
      to.inputs.push_back(graph_.inputs[first_edge + e]);
      to.input_begin.push_back(to.inputs.size());
      to.inputs[first_edge + e] = static_cast<NeuronId>(members.first + e);
    }
    to.groups[members.group].ranges.push_back(static_cast<std::uint32_t>(to.ranges.size()));
    to.groups[members.group].neuron_count += edges;
    to.ranges.push_back(members);
  }

  // $0 is the member's weight in the table, $1 the member.
  [[nodiscard]] NeuronFunction masking(Combination combination) {
    std::shared_ptr<const Expr>& expr = combination == Combination::Min ? from_above_ : from_below_;
    if (!expr) {
      auto parsed = parse_expr(
          combination == Combination::Min ? "sum($1, elproduct(-1, log($0)))" : "sum($1, log($0))",
          "--fanout");
      VECC_CHECK(parsed.has_value(), "the mask of members");
      expr = std::make_shared<const Expr>(*std::move(parsed));
    }
    NeuronFunction function;
    function.combination = Combination::FunctionGraph;
    function.expr = expr;
    return function;
  }

  // Of the neurons of members of a group's aggregations.
  GroupIndex group_of_members(GroupIndex of, NeuronGraph& to) {
    const auto [found, is_new] =
        new_groups_.try_emplace(of, static_cast<GroupIndex>(to.groups.size()));
    if (is_new) {
      NeuronGroup group;
      group.file_id = next_group_id_++;
      group.neuron_class = NeuronClass::Rule;
      group.head_predicate = to.groups[of].head_predicate;
      group.rule_text = to.groups[of].rule_text;
      to.groups.push_back(std::move(group));
    }
    return found->second;
  }

  static void add_table(SampledGraph& to) {
    WeightTable table;
    table.name = kFanoutTable;
    table.shape = Shape::scalar();
    table.first = to.members.first;
    table.count = static_cast<std::uint32_t>(to.members.members);
    for (const WeightTable& other : to.graph.weight_tables) {
      table.file_first_id = std::max(table.file_first_id, other.file_first_id + other.count);
    }
    table.has_values = true;
    table.values = SharedNumbers::repeated(table.count, 0);
    to.graph.table_of_weight.resize(to.members.first + to.members.members,
                                    static_cast<std::uint32_t>(to.graph.weight_tables.size()));
    to.graph.weight_tables.push_back(std::move(table));
  }

  const NeuronGraph& graph_;
  const Fanout& fanout_;
  const graph::Attention attention_;
  const std::vector<std::uint32_t> levels_;
  std::vector<bool> groups_;              // that are sampled
  std::vector<std::uint64_t> first_row_;  // by range, of the table
  std::vector<bool> follows_;             // by neuron (SampledMembers)
  std::uint64_t members_ = 0;             // the table's rows
  std::map<GroupIndex, GroupIndex> new_groups_;
  std::shared_ptr<const Expr> from_below_;
  std::shared_ptr<const Expr> from_above_;
  std::uint64_t next_group_id_ = 0;  // of the file's
  std::uint64_t next_neuron_id_ = 0;
  std::uint64_t aggregations_ = 0;
  Errors errors_;
};

}  // namespace

Result<SampledGraph> sample_members(const NeuronGraph& graph, const Fanout& fanout) {
  VECC_CHECK(!fanout.members.empty(), "a fan-out without numbers");
  return MemberSampling(graph, fanout).run();
}

Result<Fanout> parse_fanout(std::string_view text) {
  Fanout fanout;
  for (bool has_more = true; has_more;) {
    const std::size_t comma = text.find(',');
    const std::string_view word = text.substr(0, comma);
    std::uint32_t members = Fanout::kAll;
    const char* const end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, members);
    const bool is_number = read.ec == std::errc() && read.ptr == end && members > 0;
    if (word != "all" && !is_number) {
      return Errors(ErrorCode::Usage, "--fanout",
                    "expected numbers of members by level, the first of the level next to the "
                    "outputs, as in 15,10; all: no limit");
    }
    fanout.members.push_back(members);
    has_more = comma != std::string_view::npos;
    if (has_more) text.remove_prefix(comma + 1);
  }
  return fanout;
}

std::string text_of(const Fanout& fanout) {
  std::string text;
  for (const std::uint32_t members : fanout.members) {
    text += text.empty() ? "" : ",";
    text += members == Fanout::kAll ? "all" : std::to_string(members);
  }
  return text;
}

}  // namespace vecc
