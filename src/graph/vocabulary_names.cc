#include "src/graph/vocabulary_names.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include "src/support/quantity_text.h"
#include "vecc/escape.h"

namespace vecc::graph {
namespace {

constexpr std::size_t kListedNames = 10;

}  // namespace

std::vector<std::uint32_t> find_names(const StringColumn& names, const StringColumn& others) {
  boost::unordered_flat_map<std::string_view, std::uint32_t> numbers;
  numbers.reserve(others.size());
  for (std::uint32_t i = 0; i < others.size(); ++i) numbers.emplace(others[i], i);
  std::vector<std::uint32_t> found;
  found.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto number = numbers.find(names[i]);
    found.push_back(number == numbers.end() ? kNoName : number->second);
  }
  return found;
}

std::vector<std::string_view> lacking_names(const StringColumn& names,
                                            const std::vector<std::uint32_t>& found) {
  std::vector<std::string_view> lacking;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == kNoName) lacking.push_back(names[i]);
  }
  return lacking;
}

std::string list_names(const std::vector<std::string_view>& names) {
  std::string text;
  const std::size_t listed = names.size() <= kListedNames + 1 ? names.size() : kListedNames;
  for (std::size_t i = 0; i < listed; ++i) {
    text += (i > 0 ? ", \"" : "\"") + escape_terminal(names[i]) + "\"";
  }
  if (listed < names.size()) text += " and " + text_of_count(names.size() - listed) + " more";
  return text;
}

std::string describe_names(const StringColumn& names) {
  std::vector<std::string_view> all;
  all.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) all.push_back(names[i]);
  return text_of_count(names.size(), "name") + ": " + list_names(all);
}

std::string describe_vocabulary(std::string_view name) {
  return "vocabulary \"" + escape_terminal(name) + "\"";
}

}  // namespace vecc::graph
