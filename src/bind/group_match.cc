#include "src/bind/group_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/graph/describe.h"
#include "vecc/escape.h"

namespace vecc::binding {
namespace {

constexpr std::size_t kMaxErrors = 20;
constexpr std::size_t kLongestName = 200;

void set_key(std::string& key, NeuronClass neuron_class, const std::string& head,
             const std::string& rule) {
  key.assign(1, static_cast<char>(neuron_class));
  key += head;
  key += '\0';
  key += rule;
}

std::string describe(FactKind fact, Shape shape, const std::vector<NeuronFunction>& functions,
                     std::uint32_t function) {
  switch (fact) {
    case FactKind::NotAFact: return "the function " + functions[function].text();
    case FactKind::Unit: return "facts without a value";
    case FactKind::Constant: return "facts of shape " + shape.text();
    case FactKind::Learnable: return "learnable facts";
  }
  return {};
}

std::string short_name(const std::string& text) {
  return escape_terminal(text, kLongestName);
}

}  // namespace

GroupMatch::GroupMatch(const TemplateData& data) : data_(data) {
  for (std::uint32_t g = 0; g < data.groups.size(); ++g) {
    const TemplateGroup& group = data.groups[g];
    set_key(key_, group.neuron_class, group.head, group.rule);
    groups_.emplace(key_, g);
  }
}

Result<void> GroupMatch::match(const NeuronGraph& graph) {
  group_of_.resize(graph.groups.size(), kNone);
  for (std::size_t g = 0; g < graph.groups.size(); ++g) {
    if (!is_group(graph.groups[g], group_of_[g])) group_of_[g] = find_group(graph.groups[g]);
  }
  function_of_.resize(graph.functions.size(), kNone);
  for (std::size_t f = 0; f < graph.functions.size(); ++f) {
    std::uint32_t& function = function_of_[f];
    if (function != kNone && data_.functions[function] == graph.functions[f]) continue;
    const auto found = std::ranges::find(data_.functions, graph.functions[f]);
    function = found == data_.functions.end()
                   ? kNone
                   : static_cast<std::uint32_t>(found - data_.functions.begin());
  }
  entries_.clear();
  Errors errors;
  for (const NeuronRange& range : graph.ranges) {
    entries_.push_back(find(range));
    if (entries_.back() == nullptr) report(graph, range, errors);
  }
  if (!errors.empty()) return errors;
  return {};
}

// Whether it is that group of the template.
bool GroupMatch::is_group(const NeuronGroup& group, std::uint32_t known) const {
  if (known == kNone) return false;
  const TemplateGroup& of = data_.groups[known];
  return of.neuron_class == group.neuron_class && of.head == group.head_predicate &&
         of.rule == group.rule_text;
}

std::uint32_t GroupMatch::find_group(const NeuronGroup& group) {
  set_key(key_, group.neuron_class, group.head_predicate, group.rule_text);
  const auto found = groups_.find(key_);
  return found == groups_.end() ? kNone : found->second;
}

const GroupEntry* GroupMatch::find(const NeuronRange& range) const {
  const std::uint32_t group = group_of_[range.group];
  if (group == kNone) return nullptr;
  for (const GroupEntry& entry : data_.groups[group].entries) {
    if (entry.fact != range.fact) continue;
    if (entry.fact == FactKind::NotAFact && entry.function != function_of_[range.function]) {
      continue;
    }
    if (entry.fact == FactKind::Constant && entry.shape != range.shape) continue;
    return &entry;
  }
  return nullptr;
}

void GroupMatch::report(const NeuronGraph& graph, const NeuronRange& range, Errors& errors) const {
  if (errors.list().size() >= kMaxErrors) return errors.omit(1);
  const NeuronGroup& group = graph.groups[range.group];
  const std::string place = graph::describe_group(group);
  const std::uint32_t known = group_of_[range.group];
  if (known == kNone) {
    std::string expected;
    for (const TemplateGroup& of : data_.groups) {
      if (of.head != group.head_predicate) continue;
      expected += fmt::format("{}{} \"{}\"", expected.empty() ? "" : ", ", text_of(of.neuron_class),
                              short_name(of.rule));
    }
    return errors.add(
        ErrorCode::InconsistentGroup, place,
        fmt::format(
            "{} \"{}\" is no group of the template, expected {}", text_of(group.neuron_class),
            short_name(group.rule_text),
            expected.empty() ? fmt::format("one of its {}", data_.groups.size()) : expected));
  }
  std::string expected;
  for (const GroupEntry& entry : data_.groups[known].entries) {
    expected += (expected.empty() ? "" : ", or ") +
                describe(entry.fact, entry.shape, data_.functions, entry.function);
  }
  errors.add(
      ErrorCode::InconsistentGroup, place,
      fmt::format("has {}, expected {} as in the template",
                  describe(range.fact, range.shape, graph.functions, range.function), expected));
}

}  // namespace vecc::binding
