// Errors of one data set, with their places in its files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "src/graph_io/error_list.h"
#include "vecc/error.h"
#include "vecc/escape.h"

namespace vecc::tools {

inline constexpr std::uint64_t kMaxLoadErrors = 20;

/// `MUTAG_A.txt: line 12, column 3`; a table's column has a name: `atoms.csv: line 12, column
/// element`, `m.sqlite: table atoms, row 12, column element`. A column is the byte that it begins
/// at, counted from 1 as lines are; 0 and "" are left out.
struct Place {
  std::string_view file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string_view column_name = {};
  std::string_view table = {};
  std::string_view unit = "line";

  [[nodiscard]] std::string text() const {
    std::string result(file);
    if (!table.empty()) result += ": table " + std::string(table);
    if (line > 0) {
      result += (table.empty() ? ": " : ", ") + std::string(unit) + " " + std::to_string(line);
    }
    if (column > 0) result += ", column " + std::to_string(column);
    if (!column_name.empty()) result += ", column " + std::string(column_name);
    return result;
  }
};

/// The first errors are listed, the rest counted.
class LoadErrors {
 public:
  /// `message()` gives the text; it is asked only while there is room for it.
  template <class Message>
  void add(ErrorCode code, const Place& place, Message&& message) {
    if (list_.full()) {
      list_.omit();
    } else {
      list_.add(code, place.text(), std::forward<Message>(message)());
    }
  }
  void add(const Errors& errors) { list_.add(errors); }

  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] const Errors& errors() const { return list_.errors(); }

 private:
  graph_io::ErrorList list_{kMaxLoadErrors};
};

/// What a file says, quoted and cut for a message: `"carbon"`, or `nothing`.
[[nodiscard]] inline std::string quote(std::string_view found) {
  return found.empty() ? "nothing" : "\"" + escape_terminal(found, 60) + "\"";
}
/// `found "x", expected a number`.
[[nodiscard]] inline std::string found_expected(std::string_view found, std::string_view expected) {
  return "found " + quote(found) + ", expected " + std::string(expected);
}
/// `1 column`, `3 columns`.
[[nodiscard]] inline std::string count_of(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace vecc::tools
