// Constants of facts and rules as numbers: equal texts (with their types) have equal numbers.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "tools/ground/language/template.h"

namespace vecc::tools::ground {

using Constant = std::uint32_t;

class ConstantTable {
 public:
  /// The number of a term that is no variable.
  Constant add(const language::Term& term) {
    if (term.type.empty()) return add(term.text, term.text, kNoType);
    return add(term.type + ":" + term.text, term.text, add_type(term.type));
  }
  /// The number of a type's name, which variables and constants have before a colon.
  std::uint32_t add_type(const std::string& name) {
    return types_.try_emplace(name, static_cast<std::uint32_t>(types_.size() + 1)).first->second;
  }
  static constexpr std::uint32_t kNoType = 0;
  [[nodiscard]] std::uint32_t type(Constant constant) const { return type_of_[constant]; }
  /// `atom:c1`, `carbon`, `1.0`.
  [[nodiscard]] std::string_view text(Constant constant) const { return keys_[constant]; }
  /// The number that the text is, if it is one, without the type.
  [[nodiscard]] std::optional<double> number(Constant constant) const { return numbers_[constant]; }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  Constant add(std::string_view key, std::string_view text, std::uint32_t type);

  std::deque<std::string> keys_;  // stay where they are: the map's keys are views of them
  std::deque<std::optional<double>> numbers_;
  std::deque<std::uint32_t> type_of_;
  boost::unordered_flat_map<std::string, std::uint32_t> types_;
  boost::unordered_flat_map<std::string_view, Constant> of_key_;
};

}  // namespace vecc::tools::ground
