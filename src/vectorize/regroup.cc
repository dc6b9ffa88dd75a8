#include "src/vectorize/regroup.h"

#include <algorithm>
#include <utility>

namespace vecc::vectorizer {
namespace {

/// Neurons first .. first+count-1 of a range, as one of their own.
NeuronRange part_of(const NeuronGraph& graph, const NeuronRange& range, std::uint32_t first,
                    std::uint32_t count) {
  NeuronRange part = range;
  part.first = range.first + first;
  part.count = count;
  part.file_first_id += first;
  const auto move = [](std::uint64_t& begin, std::uint64_t by) {
    if (begin != kNoColumn) begin += by;
  };
  const bool is_fact = range.fact != FactKind::NotAFact;
  move(part.weight_begin,
       is_fact ? first : graph.input_begin[part.first] - graph.input_begin[range.first]);
  move(part.offset_begin, first);
  move(part.name_begin, first);
  if (is_fact) {
    move(part.value_begin, first * range.shape.size());
  } else {
    move(part.word_begin, first * word_count(graph.functions[range.function].transformation.id));
  }
  return part;
}

bool same_function(const NeuronGraph& graph, const NeuronRange& a, const NeuronRange& b) {
  return a.fact != FactKind::NotAFact || a.function == b.function ||
         graph.functions[a.function] == graph.functions[b.function];
}

/// Whether `next`, which begins behind `range`, can be its end: the same columns go on.
bool continues(const NeuronGraph& graph, const NeuronRange& range, const NeuronRange& next) {
  if (range.group != next.group || range.fact != next.fact || range.has_shape != next.has_shape ||
      !(range.shape == next.shape) || !same_function(graph, range, next)) {
    return false;
  }
  const NeuronRange after = part_of(graph, range, range.count, next.count);
  return after.first == next.first && after.file_first_id == next.file_first_id &&
         after.weight_begin == next.weight_begin && after.offset_begin == next.offset_begin &&
         after.word_begin == next.word_begin && after.value_begin == next.value_begin &&
         after.name_begin == next.name_begin;
}

/// Numbers groups by their first neurons; ids that are found are those that no group has.
void take_groups(NeuronGraph& graph, std::vector<NeuronGroup> groups) {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::vector<std::uint32_t> number(groups.size(), kNone);
  graph.groups.clear();
  for (std::uint32_t r = 0; r < graph.ranges.size(); ++r) {
    NeuronRange& range = graph.ranges[r];
    std::uint32_t& mine = number[range.group];
    if (mine == kNone) {
      mine = static_cast<std::uint32_t>(graph.groups.size());
      graph.groups.push_back(std::move(groups[range.group]));
      graph.groups.back().ranges.clear();
      graph.groups.back().neuron_count = 0;
    }
    range.group = mine;
    graph.groups[mine].ranges.push_back(r);
    graph.groups[mine].neuron_count += range.count;
  }
  std::vector<std::uint64_t> taken;
  for (const NeuronGroup& group : graph.groups) taken.push_back(group.file_id);
  std::ranges::sort(taken);
  std::uint64_t id = 0;
  for (NeuronGroup& group : graph.groups) {
    if (group.file_id != kFoundGroup) continue;
    while (std::ranges::binary_search(taken, id)) ++id;
    group.file_id = id++;
  }
}

}  // namespace

void regroup(NeuronGraph& graph, Grouping grouping) {
  std::vector<NeuronRange> ranges;
  for (const NeuronRange& range : graph.ranges) {
    for (std::uint32_t first = 0; first < range.count;) {
      const std::uint32_t group = grouping.group_of[range.first + first];
      std::uint32_t last = first + 1;
      while (last < range.count && grouping.group_of[range.first + last] == group) ++last;
      NeuronRange part = part_of(graph, range, first, last - first);
      part.group = group;
      if (!ranges.empty() && continues(graph, ranges.back(), part)) {
        ranges.back().count += part.count;
      } else {
        ranges.push_back(part);
      }
      first = last;
    }
  }
  graph.ranges = std::move(ranges);
  take_groups(graph, std::move(grouping.groups));
}

}  // namespace vecc::vectorizer
