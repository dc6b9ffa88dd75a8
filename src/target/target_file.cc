// Targets as JSON: one table of all fields, from which a text is read, checked and printed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <variant>
#include <vector>

#include "src/support/whole_file.h"
#include "vecc/escape.h"
#include "vecc/target.h"

namespace vecc {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostBytes = 1 << 16;
constexpr std::size_t kMostName = 128;

std::string known_names() {
  std::string names;
  for (const Target& target : known_targets()) names += (names.empty() ? "" : ", ") + target.name;
  return names;
}

/// A number of a Target by its name in a file.
struct Field {
  const char* name;
  std::variant<std::uint32_t*, std::uint64_t*, double*> value;
  double least;
  double most;
};

std::vector<Field> fields_of(Target& t) {
  constexpr double kCycles = 1e9;
  constexpr double kMembers = 1u << 30;
  LoopTimes& loops = t.loops;
  PieceSizes& pieces = t.pieces;
  return {
      {"launches_at_once", &t.launches_at_once, 1, 1 << 20},
      {"multiprocessors", &t.multiprocessors, 1, 1 << 16},
      {"threads", &t.threads, 1024, 1 << 16},
      {"registers", &t.registers, 1 << 14, 1 << 24},
      {"shared_bytes", &t.shared_bytes, 48 * 1024, 1 << 30},
      {"packed_bytes", &t.packed_bytes, 16, 16},
      {"line_bytes", &t.line_bytes, 16, 1 << 12},
      {"cache_bytes", &t.cache_bytes, 1 << 16, 1e12},
      {"megahertz", &t.megahertz, 1, 1e6},
      {"piece_longest", &pieces.longest, 1, kMembers},
      {"piece_shortest", &pieces.shortest, 1, kMembers},
      {"piece_lanes", &pieces.lanes, 1, 1 << 20},
      {"piece_products", &pieces.products, 1, kMembers},
      {"piece_softmax", &pieces.softmax, 1, kMembers},
      {"piece_least_cut", &pieces.least_cut, 0, kMembers},
      {"piece_many_products", &pieces.many_products, 0, kMembers},
      {"piece_tile_blocks", &pieces.tile_blocks, 1, 1 << 10},
      {"piece_tile_shortest", &pieces.tile_shortest, 1, kMembers},
      {"piece_tile_longest", &pieces.tile_longest, 1, kMembers},
      {"launch_microseconds", &t.launches.launch, 0, kCycles},
      {"launch_long_kernel", &t.launches.long_kernel, 0, kCycles},
      {"launch_short_members", &t.launches.short_members, 0, kMembers},
      {"launch_made_batch", &t.launches.made_batch, 0, kCycles},
      {"launch_batch_arrays", &t.launches.batch_arrays, 0, kCycles},
      {"launch_can_wait", &t.launches.can_wait, 0, 1},
      {"launch_graph_nodes", &t.launches.graph_nodes, 1, 1 << 20},
      {"launch_graph_launches", &t.launches.graph_launches, 0, kMembers},
      {"launch_graph_runs", &t.launches.graph_runs, 0, kMembers},
      {"host_number", &t.host.number, 1e-9, kCycles},
      {"host_launch", &t.host.launch, 0, kCycles},
      {"host_listing", &t.host.listing, 0, kCycles},
      {"host_bound_kilobyte", &t.host.bound_kilobyte, 0, kCycles},
      {"host_binders", &t.host.binders, 1, 1 << 16},
      {"host_most_binders", &t.host.most_binders, 1, 1 << 16},
      {"host_shortest_binding", &t.host.shortest_binding, 0, kCycles},
      {"torch_launch", &t.torch.launch, 0, 1e12},
      {"torch_product_additions", &t.torch.product_additions, 0, 1e12},
      {"torch_product_columns", &t.torch.product_columns, 0, kMembers},
      {"torch_longest_segment", &t.torch.longest_segment, 1, kMembers},
      {"loop_instructions", &loops.instructions, 1e-3, kCycles},
      {"loop_wait", &loops.wait, 0, kCycles},
      {"loop_instruction_wait", &loops.instruction_wait, 0, kCycles},
      {"loop_line_wait", &loops.line_wait, 0, kCycles},
      {"loop_line_instructions", &loops.line_instructions, 0, kCycles},
      {"loop_block_join", &loops.block_join, 0, kCycles},
      {"loop_moved", &loops.moved, 1e-3, kCycles},
      {"loop_multiply_adds", &loops.multiply_adds, 1e-3, kCycles},
  };
}

/// Reads one text; keeps where it stands for errors.
class TargetReader {
 public:
  explicit TargetReader(const std::string& place) : place_(escape_terminal(place, 4096)) {}

  Result<Target> read(std::string_view text) {
    if (text.size() > kMostBytes) {
      return wrong(fmt::format("has {} bytes, expected at most {}", text.size(), kMostBytes));
    }
    VECC_TRY(const Json json, parse(text));
    VECC_TRY(Target target, base_of(json));
    VECC_TRY_VOID(read_name(json, target));
    VECC_TRY_VOID(read_capability(json, target));
    for (const Field& field : fields_of(target)) VECC_TRY_VOID(read_field(json, field));
    for (const auto& [key, value] : json.items()) {
      if (read_.contains(key)) continue;
      return wrong(fmt::format("\"{}\" is no field of a target", escape_terminal(key)));
    }
    return target;
  }

 private:
  [[nodiscard]] Errors wrong(const std::string& what) const {
    return Errors(ErrorCode::BadTable, place_, what + " (docs/targets.md)");
  }

  // An object of numbers and text, no key of it twice.
  Result<Json> parse(std::string_view text) const {
    std::set<std::string> keys;
    std::string twice;
    bool is_nested = false;
    const auto note = [&](int depth, Json::parse_event_t event, Json& parsed) {
      const bool opens =
          event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
      if (opens && depth > 0) {
        is_nested = true;
        return false;
      }
      if (event == Json::parse_event_t::key && depth == 1 &&
          !keys.insert(parsed.get<std::string>()).second) {
        twice = parsed.get<std::string>();
      }
      return true;
    };
    const Json json = Json::parse(text, note, /*allow_exceptions=*/false);
    if (!json.is_object()) return wrong("is no target, expected a JSON object");
    if (is_nested) return wrong("has a list or an object in it, expected numbers and text");
    if (!twice.empty()) return wrong(fmt::format("has \"{}\" twice", escape_terminal(twice)));
    return json;
  }

  // The known target that it is like, for all fields that it does not have.
  Result<Target> base_of(const Json& json) {
    read_.insert("like");
    const auto found = json.find("like");
    if (found == json.end()) {
      Target target = default_gpu();  // every number is read
      return target;
    }
    is_like_ = true;
    const Target* const known =
        found->is_string() ? find_target(found->get_ref<const std::string&>()) : nullptr;
    if (known != nullptr) return *known;
    return wrong(fmt::format("like is {}, expected one of {}", shown(*found), known_names()));
  }

  Result<void> read_name(const Json& json, Target& target) {
    VECC_TRY(const Json* const found, find(json, "name"));
    if (found == nullptr) return {};
    if (!found->is_string() || found->get_ref<const std::string&>().empty() ||
        found->get_ref<const std::string&>().size() > kMostName) {
      return wrong(
          fmt::format("name is {}, expected text of 1 to {} bytes", shown(*found), kMostName));
    }
    target.name = found->get<std::string>();
    return {};
  }

  Result<void> read_capability(const Json& json, Target& target) {
    VECC_TRY(const Json* const found, find(json, "capability"));
    if (found != nullptr) {
      const std::string text = found->is_string() ? found->get<std::string>() : "";
      const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
      const bool fits = (text.size() == 3 || text.size() == 4) && text[text.size() - 2] == '.' &&
                        is_digit(text.front()) && is_digit(text.back()) &&
                        is_digit(text[text.size() - 3]);
      if (!fits) {
        return wrong(fmt::format("capability is {}, expected text such as \"9.0\"", shown(*found)));
      }
      target.capability =
          static_cast<std::uint32_t>(std::stoul(text.substr(0, text.size() - 2)) * 10 +
                                     static_cast<unsigned>(text.back() - '0'));
    }
    return check_capability(target.capability, place_, escape_terminal(target.name));
  }

  Result<void> read_field(const Json& json, const Field& field) {
    VECC_TRY(const Json* const found, find(json, field.name));
    if (found == nullptr) return {};
    const bool is_whole = !std::holds_alternative<double*>(field.value);
    const double value = found->is_number() ? found->get<double>() : std::nan("");
    const bool fits =
        value >= field.least && value <= field.most && (!is_whole || found->is_number_unsigned());
    if (!fits) {
      return wrong(fmt::format("{} is {}, expected {} {} to {}", field.name, shown(*found),
                               is_whole ? "a whole number" : "a number", field.least, field.most));
    }
    std::visit([&](auto* to) { *to = static_cast<std::remove_pointer_t<decltype(to)>>(value); },
               field.value);
    return {};
  }

  // Null: as in the target that it is like.
  Result<const Json*> find(const Json& json, const char* key) {
    read_.insert(key);
    const auto found = json.find(key);
    if (found != json.end()) return &*found;
    if (is_like_) return nullptr;
    return wrong(fmt::format("has no \"{}\"; with \"like\": \"{}\" what is missing is an H200's",
                             key, default_gpu().name));
  }

  // (JSON escapes what a terminal could obey.)
  static std::string shown(const Json& json) {
    constexpr std::size_t kShown = 60;
    const std::string text =
        json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
    return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
  }

  std::string place_;
  std::set<std::string> read_;
  bool is_like_ = false;
};

}  // namespace

Result<Target> parse_target(std::string_view json, const std::string& place) {
  return TargetReader(place).read(json);
}

Result<Target> read_target(const std::string& name_or_path) {
  if (const Target* const known = find_target(name_or_path)) return *known;
  const Result<std::string> text = read_whole_file(name_or_path);
  if (text) return parse_target(*text, name_or_path);
  return Errors(text.error().list().front().code, escape_terminal(name_or_path, 4096),
                fmt::format("is none of {}, and no file: {}", known_names(),
                            text.error().list().front().message));
}

std::string text_of(const Target& target) {
  Target printed = target;
  Json json = Json::object();
  json["name"] = target.name;
  json["capability"] = capability_text(target.capability);
  for (const Field& field : fields_of(printed)) {
    std::visit([&](const auto* value) { json[field.name] = *value; }, field.value);
  }
  return json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace vecc
