#include "src/graph_io/cycle.h"

#include <algorithm>
#include <string>

#include "src/support/list_threads.h"

namespace vecc::graph_io {
namespace {

constexpr std::size_t kNamed = 8;  // neurons of a cycle that the message names

bool reads_only_earlier(const NeuronGraph& graph) {
  return holds_for_all(graph.neuron_count(), [&](std::size_t n) {
    for (std::uint64_t e = graph.input_begin[n]; e < graph.input_begin[n + 1]; ++e) {
      if (graph.inputs[e] >= n) return false;
    }
    return true;
  });
}

enum class Color : std::uint8_t { New, Open, Done };

// A neuron on the path and how many of its inputs were followed.
struct Step {
  NeuronId neuron;
  std::uint32_t followed;
};

std::vector<NeuronId> cycle_of(const std::vector<Step>& path, NeuronId closing) {
  const auto begin = std::find_if(path.begin(), path.end(),
                                  [&](const Step& step) { return step.neuron == closing; });
  std::vector<NeuronId> cycle;
  for (auto step = begin; step != path.end(); ++step) cycle.push_back(step->neuron);
  return cycle;
}

}  // namespace

std::vector<NeuronId> find_cycle(const NeuronGraph& graph) {
  if (reads_only_earlier(graph)) return {};
  std::vector<Color> color(graph.neuron_count(), Color::New);
  std::vector<Step> path;
  for (std::uint64_t start = 0; start < graph.neuron_count(); ++start) {
    if (color[start] != Color::New) continue;
    color[start] = Color::Open;
    path.push_back({static_cast<NeuronId>(start), 0});
    while (!path.empty()) {
      Step& step = path.back();
      const std::uint64_t edge = graph.input_begin[step.neuron] + step.followed;
      if (edge == graph.input_begin[step.neuron + 1]) {
        color[step.neuron] = Color::Done;
        path.pop_back();
        continue;
      }
      ++step.followed;
      const NeuronId input = graph.inputs[edge];
      if (color[input] == Color::Open) return cycle_of(path, input);
      if (color[input] == Color::New) {
        color[input] = Color::Open;
        path.push_back({input, 0});
      }
    }
  }
  return {};
}

void check_acyclic(const NeuronGraph& graph, ErrorList& errors) {
  const std::vector<NeuronId> cycle = find_cycle(graph);
  if (cycle.empty()) return;
  std::string text = "cycle: ";
  for (std::size_t i = 0; i < std::min(cycle.size(), kNamed); ++i) {
    text += std::to_string(graph.file_id(cycle[i])) + " -> ";
  }
  if (cycle.size() > kNamed) text += "(" + std::to_string(cycle.size() - kNamed) + " more) -> ";
  text += std::to_string(graph.file_id(cycle.front())) + " (each reads the next)";
  errors.add(ErrorCode::Cycle, graph.describe(cycle.front()), std::move(text));
}

}  // namespace vecc::graph_io
