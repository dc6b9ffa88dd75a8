#include "tools/import/models/scores/entity_names.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <numeric>

#include "vecc/escape.h"

namespace vecc::tools {
namespace {

constexpr std::size_t kSuggestions = 3;
constexpr std::size_t kLongestName = 256;  // no suggestions for longer ones

// How far a name is from what was typed; the start of a longer name is nearly right.
std::size_t distance_of(std::string_view typed, std::string_view name, std::size_t limit) {
  if (!typed.empty() && name.starts_with(typed)) return 1;
  return edit_distance(typed, name, limit);
}

// `, did you mean "a", "b" or "c"?` with the closest names, the closest first; empty if none is.
std::string suggest(const TypedGraph& data, std::string_view typed) {
  if (typed.size() > kLongestName) return {};
  struct Candidate {
    std::size_t distance;
    std::uint32_t entity;
  };
  std::vector<Candidate> best;
  for (std::uint32_t entity = 0; entity < data.node_names.size(); ++entity) {
    const std::string_view name = data.node_names[entity];
    if (name.size() > kLongestName) continue;
    // More than half of the letters wrong is no spelling mistake.
    const std::size_t worst = std::max(typed.size(), name.size()) / 2 + 1;
    const std::size_t limit =
        best.size() < kSuggestions ? worst : std::min(worst, best.back().distance);
    const std::size_t distance = distance_of(typed, name, limit);
    if (distance >= limit) continue;
    const auto after = std::find_if(best.begin(), best.end(), [&](const Candidate& candidate) {
      return candidate.distance > distance;
    });
    best.insert(after, {distance, entity});
    if (best.size() > kSuggestions) best.pop_back();
  }
  std::string text;
  for (std::size_t i = 0; i < best.size(); ++i) {
    text += i == 0 ? "; did you mean " : i + 1 < best.size() ? ", " : " or ";
    text += "\"" + escape_terminal(data.node_names[best[i].entity]) + "\"";
  }
  return text.empty() ? text : text + "?";
}

// Names to entities; entities without names have their numbers.
class EntityLookup {
 public:
  EntityLookup(const TypedGraph& data, const std::vector<std::string>& names) {
    for (const std::string& name : names) entities_.try_emplace(name, kUnknown);
    for (std::uint32_t entity = 0; entity < data.node_count; ++entity) {
      const auto entry = entities_.find(entity_name(data, entity));
      if (entry != entities_.end()) entry->second = entity;
    }
  }
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
  [[nodiscard]] std::uint32_t find(const std::string& name) const {
    return entities_.find(name)->second;
  }

 private:
  boost::unordered_flat_map<std::string, std::uint32_t> entities_;
};

}  // namespace

std::string entity_name(const TypedGraph& data, std::uint32_t entity) {
  return data.node_names.size() > 0 ? std::string(data.node_names[entity]) : std::to_string(entity);
}

std::size_t edit_distance(std::string_view from, std::string_view to, std::size_t limit) {
  const std::size_t shorter = std::min(from.size(), to.size());
  if (std::max(from.size(), to.size()) - shorter >= limit) return limit;
  std::vector<std::size_t> row(to.size() + 1);  // distances from from[0 .. i) to each to[0 .. j)
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    std::size_t smallest = row[0];
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
      smallest = std::min(smallest, row[j + 1]);
    }
    if (smallest >= limit) return limit;  // rows never get smaller
  }
  return std::min(row.back(), limit);
}

Result<std::vector<std::uint32_t>> find_entities(const TypedGraph& data,
                                                 const std::vector<std::string>& names,
                                                 std::string_view option) {
  const EntityLookup lookup(data, names);
  std::vector<std::uint32_t> found;
  Errors errors;
  for (const std::string& name : names) {
    const std::uint32_t entity = lookup.find(name);
    if (entity == EntityLookup::kUnknown) {
      errors.add(ErrorCode::Usage, "vecc-import",
                 std::string(option) + ": " + escape_terminal(data.name) + " has no entity \"" +
                     escape_terminal(name) + "\"" + suggest(data, name));
    } else if (std::find(found.begin(), found.end(), entity) == found.end()) {
      found.push_back(entity);
    }
  }
  if (!errors.empty()) return errors;
  return found;
}

}  // namespace vecc::tools
