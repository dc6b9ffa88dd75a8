// Aggregations get a weight for each of their members.
#include <algorithm>
#include <charconv>
#include <utility>

#include "src/graph/aggregation_levels.h"
#include "src/graph/describe.h"
#include "vecc/fanout.h"

namespace vecc {
namespace {

std::uint32_t limit_of(const Fanout& fanout, std::uint32_t level) {
  if (level == 0) return Fanout::kAll;  // no output reads it
  return fanout.members[std::min<std::size_t>(level, fanout.members.size()) - 1];
}

class MemberSampling {
 public:
  MemberSampling(const NeuronGraph& graph, const Fanout& fanout)
      : graph_(graph), fanout_(fanout), levels_(graph::aggregation_levels(graph)) {}

  Result<SampledGraph> run() {
    choose_groups();
    if (!errors_.empty()) return errors_;
    VECC_TRY_VOID(check_table());
    SampledGraph result{graph_, {}};
    result.members.fanout = fanout_;
    result.members.aggregations = aggregations_;
    result.members.first = static_cast<WeightId>(graph_.weight_count());
    for (std::uint32_t r = 0; r < graph_.ranges.size(); ++r) {
      if (is_sampled(r)) add_range(r, result);
    }
    if (!result.members.ranges.empty()) add_table(result);
    return result;
  }

 private:
  [[nodiscard]] std::uint64_t fan_in(NeuronId n) const {
    return graph_.input_begin[n + 1ull] - graph_.input_begin[n];
  }
  [[nodiscard]] std::uint64_t edge_count(const NeuronRange& range) const {
    return graph_.input_begin[range.first + std::uint64_t{range.count}] -
           graph_.input_begin[range.first];
  }
  [[nodiscard]] const NeuronFunction& function_of(const NeuronRange& range) const {
    return graph_.functions[range.function];
  }
  [[nodiscard]] bool is_sampled(std::uint32_t r) const {
    return groups_[graph_.ranges[r].group] && graph::is_aggregation(graph_, r) &&
           obstacle(r).empty();
  }

  // Groups that have a neuron with more members than its level's number.
  void choose_groups() {
    groups_.assign(graph_.groups.size(), false);
    for (std::uint32_t r = 0; r < graph_.ranges.size(); ++r) {
      const NeuronRange& range = graph_.ranges[r];
      if (!graph::is_aggregation(graph_, r)) continue;
      if (function_of(range).combination == Combination::Count) continue;
      bool is_checked = false;
      for (NeuronId n = range.first; n < range.first + range.count; ++n) {
        if (fan_in(n) <= limit_of(fanout_, levels_[n])) continue;
        ++aggregations_;
        groups_[range.group] = true;
        if (!is_checked) check(r, n);
        is_checked = true;
      }
    }
  }

  // Why members of a range's aggregations may not be left out; empty: they may.
  [[nodiscard]] std::string obstacle(std::uint32_t r) const {
    const NeuronRange& range = graph_.ranges[r];
    const Combination combination = function_of(range).combination;
    if (!graph::is_summed_aggregation(graph_, r)) {
      return "by " + std::string(info(combination).text) +
             ", and only sums and means can be sampled";
    }
    if (range.weight_begin != kNoColumn) return "with weights of their own";
    if (range.offset_begin != kNoColumn && combination == Combination::Avg) {
      return "and an offset that is averaged with them";
    }
    return {};
  }

  void check(std::uint32_t r, NeuronId n) {
    const std::string why = obstacle(r);
    if (why.empty()) return;
    errors_.add(ErrorCode::Usage, "--fanout=" + text_of(fanout_),
                graph::describe_group(graph_.groups[graph_.ranges[r].group]) +
                    " has an aggregation of " + std::to_string(fan_in(n)) + " members at level " +
                    std::to_string(levels_[n]) + ", " + why + ": give that level all");
  }

  [[nodiscard]] Result<void> check_table() const {
    std::uint64_t weights = graph_.weight_count();
    for (std::uint32_t r = 0; r < graph_.ranges.size(); ++r) {
      if (is_sampled(r)) weights += edge_count(graph_.ranges[r]);
    }
    if (weights >= kNoWeight) {
      return Errors(ErrorCode::LimitWeights, "--fanout",
                    "weights and members would be " + std::to_string(weights) + ", the limit is " +
                        std::to_string(kNoWeight - 1));
    }
    const auto same = std::ranges::find(graph_.weight_tables, kFanoutTable, &WeightTable::name);
    if (same == graph_.weight_tables.end()) return {};
    return Errors(ErrorCode::DuplicateName, "--fanout",
                  "the graph has a weight table \"" + std::string(kFanoutTable) + "\"");
  }

  // The number of the function with sum in the place of avg.
  std::uint32_t summing(NeuronGraph& graph, std::uint32_t function) {
    NeuronFunction sum = graph.functions[function];
    sum.combination = Combination::Sum;
    const auto found = std::ranges::find(graph.functions, sum);
    if (found != graph.functions.end()) {
      return static_cast<std::uint32_t>(found - graph.functions.begin());
    }
    graph.functions.push_back(std::move(sum));
    return static_cast<std::uint32_t>(graph.functions.size() - 1);
  }

  void add_range(std::uint32_t r, SampledGraph& to) {
    NeuronRange& range = to.graph.ranges[r];
    SampledMembers::Range sampled{r, function_of(range).combination == Combination::Avg, {}};
    for (NeuronId n = range.first; n < range.first + range.count; ++n) {
      sampled.limits.push_back(limit_of(fanout_, levels_[n]));
    }
    if (sampled.is_mean) range.function = summing(to.graph, range.function);
    const std::uint64_t edges = edge_count(range);
    range.weight_begin = to.graph.weights.size();
    for (std::uint64_t e = 0; e < edges; ++e) {
      to.graph.weights.push_back(static_cast<WeightId>(to.members.first + to.members.members + e));
    }
    to.members.members += edges;
    to.members.ranges.push_back(std::move(sampled));
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
    table.values.resize(table.count);
    to.graph.table_of_weight.resize(to.members.first + to.members.members,
                                    static_cast<std::uint32_t>(to.graph.weight_tables.size()));
    to.graph.weight_tables.push_back(std::move(table));
  }

  const NeuronGraph& graph_;
  const Fanout& fanout_;
  const std::vector<std::uint32_t> levels_;
  std::vector<bool> groups_;  // that are sampled
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
