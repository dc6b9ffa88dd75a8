// Groups, from fine to coarse: by note ("hop_7/2: weighted rule"), by the note up to its colon
// ("hop_7/2"), by runs of neighbours ("hop_0/2 to hop_49/2").
#include "group_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "optimizer/rewrite/readers.h"
#include "src/support/quantity_text.h"
#include "vecc/escape.h"

namespace vecc::tools {
namespace {

// The groups of all ops, numbered by first appearance.
struct Groups {
  std::vector<std::uint32_t> of;      // by op
  std::vector<std::string> names;     // by group
  std::vector<std::uint32_t> joined;  // by group: how many groups it was made of
};

std::vector<std::string_view> notes_of(const Program& program) {
  const opt::Readers readers(program);
  std::vector<std::string_view> notes(program.ops().size());
  for (auto id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
    notes[id] = program.op(id).note.text();
    if (notes[id].empty() && !readers.of(id).empty()) notes[id] = notes[readers.of(id).front()];
  }
  // What has no reader belongs to what it reads: an output.
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const auto& operands = program.op(id).operands;
    if (notes[id].empty() && !operands.empty()) notes[id] = notes[operands.front()];
  }
  return notes;
}

Groups number_groups(const std::vector<std::string_view>& names) {
  Groups groups;
  boost::unordered_flat_map<std::string_view, std::uint32_t> numbers;
  for (const std::string_view name : names) {
    const auto [entry, is_new] =
        numbers.try_emplace(name, static_cast<std::uint32_t>(groups.names.size()));
    if (is_new) groups.names.push_back(name.empty() ? "(no name)" : escape_terminal(name));
    groups.of.push_back(entry->second);
  }
  groups.joined.assign(groups.names.size(), 1);
  return groups;
}

void join_neighbours(Groups& groups, std::uint32_t most) {
  const auto count = static_cast<std::uint32_t>(groups.names.size());
  const std::uint32_t each = (count + most - 1) / most;
  Groups joined;
  for (std::uint32_t first = 0; first < count; first += each) {
    const std::uint32_t last = std::min(first + each, count) - 1;
    joined.names.push_back(first == last ? groups.names[first]
                                         : groups.names[first] + " to " + groups.names[last]);
    joined.joined.push_back(last - first + 1);
  }
  groups.names = std::move(joined.names);
  groups.joined = std::move(joined.joined);
  for (std::uint32_t& group : groups.of) group /= each;
}

// Coarser groups, if `groups`, those of `notes`, are too many.
Groups coarsen(Groups groups, std::vector<std::string_view> notes, std::uint32_t most) {
  if (groups.names.size() <= most) return groups;
  for (std::string_view& note : notes) note = note.substr(0, note.find(": "));
  groups = number_groups(notes);
  if (groups.names.size() > most) join_neighbours(groups, most);
  return groups;
}

// The level of each op: how many runs of ops of its note, one after another in the Program, there
// were up to it. A recursion comes back to its notes level by level. 0: a fact or a weight, which
// may stand anywhere.
std::vector<std::uint32_t> levels_of(const Program& program, const Groups& notes) {
  std::vector<std::uint32_t> levels(program.ops().size());
  std::vector<std::uint32_t> runs(notes.names.size());
  auto last = static_cast<std::uint32_t>(notes.names.size());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (program.op(id).operands.empty()) continue;
    const std::uint32_t note = notes.of[id];
    if (note != last) ++runs[note];
    last = note;
    levels[id] = runs[note];
  }
  return levels;
}

struct Totals {
  std::uint64_t ops = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
};
using TotalsByKind = std::array<Totals, kOpKinds>;

std::vector<TotalsByKind> count_ops(const Program& program, const Groups& groups) {
  std::vector<TotalsByKind> totals(groups.names.size());
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const Op& op = program.op(id);
    Totals& kind = totals[groups.of[id]][op.attributes.index()];
    ++kind.ops;
    kind.rows += op.rows;
    kind.bytes += op.size() * byte_size(op.dtype);
  }
  return totals;
}

std::vector<BoxLine> lines_of(const TotalsByKind& totals) {
  std::vector<BoxLine> lines;
  for (std::size_t k = 0; k < kOpKinds; ++k) {
    if (totals[k].ops == 0) continue;
    const auto kind = static_cast<OpKind>(k);
    lines.push_back({fmt::format("{} x {}", text_of(kind), text_of_count(totals[k].ops)),
                     text_of_count(totals[k].rows, "row"), text_of_bytes(totals[k].bytes), kind});
  }
  return lines;
}

}  // namespace

LayerGraph graph_of_groups(const Program& program, std::uint32_t most_groups) {
  const std::vector<std::string_view> note_names = notes_of(program);
  const Groups notes = number_groups(note_names);
  const Groups groups = coarsen(notes, note_names, most_groups);
  const std::vector<std::uint32_t> levels = levels_of(program, notes);
  const std::vector<TotalsByKind> totals = count_ops(program, groups);
  LayerGraph graph;
  graph.collapsed = true;
  std::vector<std::uint32_t> last_level(groups.names.size());
  for (std::uint32_t g = 0; g < groups.names.size(); ++g) {
    graph.boxes.push_back({groups.names[g], {}, lines_of(totals[g]), 0, false});
  }
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const std::uint32_t group = groups.of[id];
    last_level[group] = std::max(last_level[group], levels[id]);
    for (const ValueId operand : program.op(id).operands) {
      if (levels[operand] == 0) continue;  // a shared weight ties no groups together
      if (groups.of[operand] != group) graph.edges.emplace_back(groups.of[operand], group);
      if (groups.of[operand] == group && levels[operand] < levels[id]) {
        graph.boxes[group].loops = true;
      }
    }
  }
  for (std::uint32_t g = 0; g < groups.names.size(); ++g) {
    if (groups.joined[g] > 1) {
      graph.boxes[g].title_note = text_of_count(groups.joined[g], "group");
    } else if (last_level[g] > 1) {
      graph.boxes[g].title_note = fmt::format("x {} levels", text_of_count(last_level[g]));
    }
  }
  return graph;
}

}  // namespace vecc::tools
