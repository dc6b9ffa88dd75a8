// Names to numbers, in the order in which the names first appear.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "vecc/neuron_graph.h"

namespace vecc::tools {

/// Holds its own copies of the names, once.
class NameTable {
 public:
  /// The name's number; a new name gets the next one.
  std::uint32_t add(std::string_view name) {
    if (const auto found = numbers_.find(name); found != numbers_.end()) return *found;
    const auto number = static_cast<std::uint32_t>(names_->size());
    names_->push_back(name);
    numbers_.insert(number);
    return number;
  }
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const {
    const auto found = numbers_.find(name);
    if (found == numbers_.end()) return std::nullopt;
    return *found;
  }
  [[nodiscard]] std::uint64_t size() const { return names_->size(); }
  [[nodiscard]] const StringColumn& names() const { return *names_; }
  /// The names by number; the table is not to be used any more.
  [[nodiscard]] StringColumn take_names() { return std::move(*names_); }

 private:
  // A number stands for its name.
  struct Hash {
    using is_transparent = void;
    const StringColumn* names;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>{}(name);
    }
    std::size_t operator()(std::uint32_t number) const { return (*this)((*names)[number]); }
  };
  struct Equal {
    using is_transparent = void;
    const StringColumn* names;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::uint32_t number, std::string_view name) const {
      return (*names)[number] == name;
    }
    bool operator()(std::string_view name, std::uint32_t number) const {
      return (*names)[number] == name;
    }
  };

  std::unique_ptr<StringColumn> names_ = std::make_unique<StringColumn>();
  boost::unordered_flat_set<std::uint32_t, Hash, Equal> numbers_{0, Hash{names_.get()},
                                                                 Equal{names_.get()}};
};

}  // namespace vecc::tools
