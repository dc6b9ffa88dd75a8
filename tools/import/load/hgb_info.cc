#include "tools/import/load/hgb_info.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/import/load/line_reader.h"
#include "tools/import/load/name_table.h"

namespace vecc::tools {
namespace {

using nlohmann::json;

std::string kind_of(const json& value) {
  const std::string name = value.type_name();
  if (value.is_null()) return name;
  return (value.is_array() || value.is_object() ? "an " : "a ") + name;
}

class InfoReader {
 public:
  InfoReader(const Text& text, LoadErrors& errors) : text_(text), errors_(errors) {}

  HgbInfo read();

 private:
  std::optional<json> parse();
  void fail(const std::string& where, std::string_view found, std::string_view expected) {
    errors_.add(ErrorCode::BadTable, {text_.name}, [&] {
      return where + " is " + std::string(found) + ", expected " + std::string(expected);
    });
  }
  // An object's entry; null if it is not there, or (with an error) if it is no object.
  const json* find_object(const json& object, const std::string& where, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) return nullptr;
    return as_object(*found, where + "[\"" + key + "\"]");
  }
  const json* as_object(const json& value, const std::string& where) {
    if (value.is_object()) return &value;
    fail(where, kind_of(value), "an object");
    return nullptr;
  }
  // An object of numbers and names; a name may be the entry "meaning" of an object.
  NumberNames read_names(const json& object, const std::string& where);

  const Text& text_;
  LoadErrors& errors_;
};

std::optional<json> InfoReader::parse() {
  try {
    return json::parse(text_.bytes);
  } catch (const json::parse_error& error) {
    const std::string_view before =
        text_.bytes.substr(0, std::min(error.byte > 0 ? error.byte - 1 : 0, text_.bytes.size()));
    const auto line = static_cast<std::uint64_t>(std::ranges::count(before, '\n')) + 1;
    errors_.add(ErrorCode::BadTable,
                {text_.name, line, before.size() - (before.rfind('\n') + 1) + 1},
                [&] { return found_expected(text_.bytes.substr(before.size(), 1), "JSON here"); });
    return std::nullopt;
  } catch (const json::out_of_range&) {
    // 1e999; the exception does not say where.
    errors_.add(ErrorCode::NotFinite, {text_.name},
                [] { return std::string("has a number that is too large"); });
    return std::nullopt;
  }
}

NumberNames InfoReader::read_names(const json& object, const std::string& where) {
  NumberNames names;
  for (const auto& [key, value] : object.items()) {
    const std::string entry = where + "[" + quote(key) + "]";
    const std::optional<std::int64_t> number = parse_integer(key);
    if (!number) {
      fail("the key of " + entry, "no number", "a number");
      continue;
    }
    const json* name = &value;
    if (value.is_object()) {
      const auto meaning = value.find("meaning");
      if (meaning == value.end()) continue;
      name = &*meaning;
    }
    if (name->is_string()) {
      names[*number] = name->get<std::string>();
    } else {
      fail(entry, kind_of(*name), "a name");
    }
  }
  return names;
}

HgbInfo InfoReader::read() {
  HgbInfo info;
  const std::optional<json> whole = parse();
  if (!whole || as_object(*whole, "the file") == nullptr) return info;
  const auto find_names = [&](const char* file, const char* key) -> const json* {
    const json* const part = find_object(*whole, "the file", file);
    return part == nullptr ? nullptr : find_object(*part, file, key);
  };
  if (const json* types = find_names("node.dat", "node type")) {
    info.node_types = read_names(*types, "\"node type\"");
  }
  if (const json* types = find_names("link.dat", "link type")) {
    info.link_types = read_names(*types, "\"link type\"");
  }
  const json* const labelled = find_names("label.dat", "node type");
  if (labelled == nullptr || labelled->size() != 1) return info;
  const std::string where = "the labels of node type " + quote(labelled->begin().key());
  const json* const labels = as_object(*labelled->begin(), where);
  if (labels != nullptr) info.labels = read_names(*labels, where);
  return info;
}

}  // namespace

HgbInfo parse_hgb_info(const Text& text, LoadErrors& errors) {
  return InfoReader(text, errors).read();
}

std::vector<std::int64_t> numbers_of(const NumberNames& names) {
  std::vector<std::int64_t> numbers;
  for (const auto& entry : names) numbers.push_back(entry.first);
  return numbers;
}

StringColumn name_numbers(const std::vector<std::int64_t>& numbers, const NumberNames& names) {
  NameTable table;
  for (const std::int64_t number : numbers) {
    const std::string digits = std::to_string(number);
    const auto found = names.find(number);
    std::string name = found == names.end() || found->second.empty() ? digits : found->second;
    while (table.find(name)) name += " (" + digits + ")";
    table.add(name);
  }
  return table.take_names();
}

}  // namespace vecc::tools
