#include "vecc/table_place.h"

#include <algorithm>
#include <set>

#include "src/support/enum_names.h"
#include "vecc/escape.h"

namespace vecc {
namespace {

std::set<std::string> table_names(const Program& program) {
  std::set<std::string> names;
  for (const Parameter& parameter : program.parameters()) names.insert(parameter.name);
  for (const Op& op : program.ops()) {
    if (const auto* state = std::get_if<StateOp>(&op.attributes)) names.insert(state->name);
    if (op.kind() == OpKind::Fact && !op.note.empty()) names.insert(op.note.text());
  }
  return names;
}

std::string text_of(const std::set<std::string>& names) {
  constexpr std::size_t kMost = 40;
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count++ == kMost) return text + ", and " + std::to_string(names.size() - kMost) + " more";
    text += (text.empty() ? "\"" : ", \"") + escape_terminal(name, 200) + "\"";
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string_view text_of(TablePlace place) {
  switch (place) {
    case TablePlace::Device: return "device";
    case TablePlace::Host: return "host";
    case TablePlace::File: return "file";
  }
  return {};
}

std::optional<TablePlace> parse_table_place(std::string_view text) {
  return parse_name<TablePlace>(text);
}

Result<void> check_places(const PlaceOptions& places, const Program& program, bool of_steps) {
  if (places.wishes.empty()) return {};
  const std::set<std::string> names = table_names(program);
  for (const PlaceOptions::Wish& wish : places.wishes) {
    const std::size_t slash = wish.table.find('/');
    const bool is_state =
        of_steps && slash != std::string::npos && names.contains(wish.table.substr(slash + 1));
    if (is_state || names.contains(wish.table)) continue;
    return Errors(ErrorCode::Usage, "--place",
                  "no table \"" + escape_terminal(wish.table, 200) +
                      "\" in the program, which has " + text_of(names));
  }
  return {};
}

}  // namespace vecc
