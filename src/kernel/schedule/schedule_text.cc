#include "src/kernel/schedule/schedule_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

namespace vecc {
namespace {

constexpr std::array<std::string_view, 7> kRowLoops = {
    "numbers", "rows", "matrix-blocks", "memory-rows", "large-matrix", "large-sum", "tensor-cores"};
constexpr std::array<std::string_view, 8> kPhaseLoops = {
    "steps",          "batches",    "no-loop",     "row-sum",
    "outer-products", "warp-tiles", "block-tiles", "tensor-tiles"};
constexpr std::string_view kMembers = "-members";
constexpr std::string_view kLeftInPlace = "left-in-place";
constexpr std::string_view kRightInPlace = "right-in-place";
static_assert(kRowLoops.size() == static_cast<std::size_t>(RowLoop::TensorCores) + 1);
static_assert(kPhaseLoops.size() == static_cast<std::size_t>(PhaseLoop::TensorTiles) + 1);

// Calls field(name, member) for every member but the loop, the same for printing and parsing.
template <class Schedule, class Field>
void visit_fields(Schedule& schedule, const Field& field) {
  field("lanes", schedule.members.lanes);
  field("threads", schedule.members.threads);
  field("slots", schedule.members.of_class);
  field("parts", schedule.parts);
  field("entries", schedule.entries);
  field("in-flight", schedule.in_flight);
  field("least-blocks", schedule.least_blocks);
  field("tile-rows", schedule.tile_rows);
  field("shared-bytes", schedule.shared_bytes);
  field("vector-loop", schedule.rows_are_a_vector_loop);
  field("fetched", schedule.fetched);
  field("rows-ahead", schedule.rows_ahead);
  field("gathered", schedule.gathered);
  field("members-ahead", schedule.members_ahead);
  field("packs", schedule.packs);
  field("phases", schedule.phases);
  field("arrays", schedule.arrays);
  field("early-loads", schedule.early_loads);
  field("scratch", schedule.scratch);
  field("scratch-bytes", schedule.scratch_bytes);
  field("array-bytes", schedule.array_bytes);
}
// Those of its product but the node.
template <class Product, class Field>
void visit_product(Product& product, const Field& field) {
  field("product-phase", product.phase);
  field("product-step", product.step);
  field("rows", product.rows);
  field("depth", product.depth);
  field("packs-matrix", product.packs_matrix);
  field("copies-packs", product.copies_packs);
  field("columns", product.columns);
  field("store", product.store);
  field("repeated", product.repeated);
}

// One value as text.
std::string text_of(std::uint64_t value) {
  return std::to_string(value);
}
std::string text_of(const std::optional<std::uint32_t>& value) {
  return value ? std::to_string(*value) : "";
}
std::string text_of(const MemberLoop& loop) {
  return fmt::format("{}x{}", loop.slots, loop.batch);
}
std::string text_of(const PhaseSchedule& phase) {
  std::string text(kPhaseLoops[static_cast<std::size_t>(phase.loop)]);
  if (phase.by_lanes) text += "/lanes";
  if (phase.down > 0) text += fmt::format("/{}x{}", phase.down, phase.across);
  if (phase.members > 0) text += fmt::format("/{}{}", phase.members, kMembers);
  if (phase.left_in_place) text += fmt::format("/{}", kLeftInPlace);
  if (phase.right_in_place) text += fmt::format("/{}", kRightInPlace);
  return text;
}
std::string text_of(const ScratchArray& array) {
  return fmt::format("{}@{}", array.name, array.offset);
}
template <class Value>
std::string text_of(const std::vector<Value>& values) {
  std::string text;
  for (const Value& value : values) text += (text.empty() ? "" : ",") + text_of(value);
  return text;
}

// One value of a text; false if it is none.
template <class Number>
bool read_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}
bool read(std::string_view text, std::uint32_t& value) {
  return read_number(text, value);
}
bool read(std::string_view text, std::uint64_t& value) {
  return read_number(text, value);
}
bool read(std::string_view text, bool& value) {
  value = text == "1";
  return value;
}
bool read(std::string_view text, std::optional<std::uint32_t>& value) {
  return read_number(text, value.emplace());
}
// "4x8".
bool read_pair(std::string_view text, std::uint32_t& first, std::uint32_t& second) {
  const std::size_t cross = text.find('x');
  return cross != std::string_view::npos && read_number(text.substr(0, cross), first) &&
         read_number(text.substr(cross + 1), second);
}
bool read(std::string_view text, MemberLoop& loop) {
  return read_pair(text, loop.slots, loop.batch);
}
template <class Enum, std::size_t Count>
bool read_name(std::string_view text, const std::array<std::string_view, Count>& names,
               Enum& value) {
  for (std::size_t n = 0; n < Count; ++n) {
    if (names[n] != text) continue;
    value = static_cast<Enum>(n);
    return true;
  }
  return false;
}
// The word of a text in front of a separator, which is taken off; all of it where there is none.
std::string_view take_word(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? "" : text.substr(end + 1);
  return word;
}
bool read(std::string_view text, PhaseSchedule& phase) {
  if (!read_name(take_word(text, '/'), kPhaseLoops, phase.loop)) return false;
  while (!text.empty()) {
    const std::string_view word = take_word(text, '/');
    if (word == "lanes") {
      phase.by_lanes = true;
    } else if (word == kLeftInPlace) {
      phase.left_in_place = true;
    } else if (word == kRightInPlace) {
      phase.right_in_place = true;
    } else if (word.ends_with(kMembers)) {
      if (!read_number(word.substr(0, word.size() - kMembers.size()), phase.members)) return false;
    } else if (!read_pair(word, phase.down, phase.across)) {
      return false;
    }
  }
  return true;
}
bool read(std::string_view text, ScratchArray& array) {
  array.name = take_word(text, '@');
  return !array.name.empty() && read_number(text, array.offset);
}
template <class Value>
bool read(std::string_view text, std::vector<Value>& values) {
  if (text.empty() || text.ends_with(',')) return false;
  while (!text.empty()) {
    if (!read(take_word(text, ','), values.emplace_back())) return false;
  }
  return true;
}

// Appends the fields that are not as usual.
template <class Fields, class Visit>
void print_fields(std::string& text, const Fields& fields, const Visit& visit) {
  const Fields plain;
  std::map<std::string_view, std::string> usual;
  visit(plain, [&](std::string_view name, const auto& value) { usual[name] = text_of(value); });
  visit(fields, [&](std::string_view name, const auto& value) {
    const std::string word = text_of(value);
    if (word != usual[name]) text += fmt::format(" {}={}", name, word);
  });
}

// Takes the words of fields; false if one of them is no such value.
using FieldWords = std::map<std::string_view, std::string_view>;
template <class Fields, class Visit>
bool read_fields(FieldWords& words, Fields& fields, const Visit& visit) {
  bool are_values = true;
  visit(fields, [&](std::string_view name, auto& value) {
    const auto found = words.find(name);
    if (found == words.end()) return;
    are_values = are_values && read(found->second, value);
    words.erase(found);
  });
  return are_values;
}

constexpr auto kScheduleFields = [](auto& fields, const auto& field) {
  visit_fields(fields, field);
};
constexpr auto kProductFields = [](auto& fields, const auto& field) {
  visit_product(fields, field);
};

}  // namespace

std::string text_of(const KernelSchedule& schedule) {
  std::string text(kRowLoops[static_cast<std::size_t>(schedule.loop)]);
  print_fields(text, schedule, kScheduleFields);
  if (schedule.product) {
    text += fmt::format(" product={}", schedule.product->node);
    print_fields(text, *schedule.product, kProductFields);
  }
  return text;
}

Result<KernelSchedule> parse_schedule(std::string_view text, const std::string& place) {
  const auto error = [&](std::string_view found) {
    return Errors(ErrorCode::BadTable, place,
                  fmt::format("expected a kernel's schedule, found: {}", found));
  };
  const std::string_view all = text;
  KernelSchedule schedule;
  if (!read_name(take_word(text, ' '), kRowLoops, schedule.loop)) return error(all);
  FieldWords words;
  while (!text.empty()) {
    std::string_view word = take_word(text, ' ');
    const std::string_view whole = word;
    const std::string_view name = take_word(word, '=');
    if (!words.emplace(name, word).second) return error(whole);
  }
  if (!read_fields(words, schedule, kScheduleFields)) return error(all);
  if (const auto product = words.find("product"); product != words.end()) {
    schedule.product.emplace();
    const bool is_node = read(product->second, schedule.product->node);
    words.erase(product);
    if (!is_node || !read_fields(words, *schedule.product, kProductFields)) return error(all);
  }
  if (!words.empty()) return error(words.begin()->first);
  if (schedule.loop == RowLoop::Rows) schedule.members.parts = schedule.parts;
  return schedule;
}

}  // namespace vecc
