#include "src/emit/python/forward_names.h"

#include <algorithm>

namespace vecc::python {

ForwardNames::ForwardNames(const OpEmitter& emitter, const std::vector<Statement>& statements,
                           const std::vector<Levels>& levels,
                           const std::vector<std::size_t>& made_at,
                           const std::vector<std::uint32_t>& part_of)
    : emitter_(emitter),
      statements_(statements),
      levels_(levels),
      made_at_(made_at),
      part_of_(part_of),
      levels_of_(statements.size()),
      is_shared_(statements.size()),
      has_list_(statements.size()),
      is_list_shared_(statements.size()),
      carry_(statements.size()) {
  for (std::size_t l = 0; l < levels.size(); ++l) {
    std::fill(levels_of_.begin() + static_cast<std::ptrdiff_t>(levels[l].first),
              levels_of_.begin() + static_cast<std::ptrdiff_t>(levels[l].end()), l);
  }
}

ForwardNames::Place ForwardNames::place_of(NameId id) const {
  const Levels& levels = levels_[levels_of_[made_at_[id]]];
  const std::size_t from_first = made_at_[id] - levels.first;
  return {&levels, from_first / levels.period, from_first % levels.period};
}

void ForwardNames::note_reads(const Code& code, std::uint32_t part) {
  for (const Token& token : code.tokens()) {
    if (token.kind == Token::Kind::Name) note_read(token.id, part, false);
    for (const NameId id : token.pieces) note_read(id, part, true);
  }
}

void ForwardNames::note_read(NameId id, std::uint32_t part, bool in_list) {
  const Place place = place_of(id);
  const std::size_t key = place.levels->first + place.line;
  const bool elsewhere = part_of_[levels_of_[made_at_[id]]] != part;
  if (place.levels->is_loop() && (in_list || place.level + 1 < place.levels->times)) {
    has_list_[key] = true;
    if (elsewhere) is_list_shared_[key] = true;
  }
  if (elsewhere) is_shared_[key] = true;
}

void ForwardNames::note_loop_reads(const Levels& loop) {
  for (std::size_t line = 0; line < loop.period; ++line) {
    const auto& first = statements_[loop.first + line].code.tokens();
    const auto& second = statements_[loop.first + loop.period + line].code.tokens();
    for (std::size_t t = 0; t < first.size(); ++t) {
      if (first[t].kind == Token::Kind::Name) {
        note_loop_read(loop, line, first[t].id, second[t].id);
      }
      for (std::size_t p = 0; p < first[t].pieces.size(); ++p) {
        note_loop_read(loop, line, first[t].pieces[p], second[t].pieces[p]);
      }
    }
  }
}

void ForwardNames::note_loop_read(const Levels& loop, std::size_t line, NameId first,
                                  NameId second) {
  if (made_at_[first] >= loop.first) return;  // its own level's
  note_read(first, part_of_[levels_of_[loop.first]], false);
  if (first == second) return;
  const std::size_t from = made_at_[second] - loop.first;
  Carry& carry = carry_[loop.first + from];
  const bool is_there_still = from >= line;  // the own level makes it no earlier than it is read
  if (carry != Carry::InCopy) carry = is_there_still ? Carry::InVariable : Carry::InCopy;
}

std::string ForwardNames::variable(const Levels& levels, std::size_t line) const {
  const std::size_t key = levels.first + line;
  return (is_shared_[key] ? "v." : "") + emitter_.name_of(statements_[key].result);
}

std::string ForwardNames::list(const Levels& loop, std::size_t line) const {
  const std::size_t key = loop.first + line;
  if (!has_list_[key]) return "";
  return std::string(is_list_shared_[key] ? "v." : "") + "all_" +
         emitter_.name_of(statements_[key].result);
}

std::string ForwardNames::carrier(const Levels& loop, std::size_t line) const {
  const std::size_t key = loop.first + line;
  switch (carry_[key]) {
    case Carry::No: return "";
    case Carry::InVariable: return variable(loop, line);
    case Carry::InCopy: return "last_" + emitter_.name_of(statements_[key].result);
  }
  return "";
}

std::string ForwardNames::text(NameId id) const {
  const Place place = place_of(id);
  if (place.level + 1 == place.levels->times) return variable(*place.levels, place.line);
  return list(*place.levels, place.line) + "[" + std::to_string(place.level) + "]";
}

std::string ForwardNames::text(const Levels& loop, NameId first, NameId second) const {
  if (first == second) return text(first);
  const bool is_own = made_at_[first] >= loop.first;
  if (is_own) return variable(loop, made_at_[first] - loop.first);
  return carrier(loop, made_at_[second] - loop.first);
}

std::string ForwardNames::text(const std::vector<NameId>& ids) const {
  std::string text;
  for (std::size_t at = 0; at < ids.size();) {
    if (at > 0) text += ", ";
    const Run run = run_at(ids, at);
    text += run.levels > 1 ? text_of_run(ids, at, run) : this->text(ids[at]);
    at += run.levels > 1 ? run.lines * run.levels : 1;
  }
  return text;
}

ForwardNames::Run ForwardNames::run_at(const std::vector<NameId>& ids, std::size_t at) const {
  const Place first = place_of(ids[at]);
  if (!first.levels->is_loop()) return {1, 1};
  std::size_t lines = 1;
  const auto is_next = [&](std::size_t i, std::size_t level) {
    const Place place = place_of(ids[i]);
    return place.levels == first.levels && place.level == level;
  };
  while (at + lines < ids.size() && is_next(at + lines, first.level)) ++lines;
  std::size_t end = at + lines;
  while (end < ids.size() && is_next(end, first.level + (end - at) / lines) &&
         place_of(ids[end]).line == place_of(ids[end - lines]).line) {
    ++end;
  }
  return {lines, (end - at) / lines};
}

std::string ForwardNames::text_of_run(const std::vector<NameId>& ids, std::size_t at,
                                      const Run& run) const {
  const Place first = place_of(ids[at]);
  const bool is_all = first.level == 0 && run.levels == first.levels->times;
  const std::string range = is_all ? ""
                                   : "[" + std::to_string(first.level) + ":" +
                                         std::to_string(first.level + run.levels) + "]";
  std::string lists;
  for (std::size_t k = 0; k < run.lines; ++k) {
    lists += (k > 0 ? ", " : "") + list(*first.levels, place_of(ids[at + k]).line) + range;
  }
  if (run.lines == 1) return "*" + lists;
  return "*(x for level in zip(" + lists + ") for x in level)";
}

}  // namespace vecc::python
