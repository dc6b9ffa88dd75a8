// Errors and notes of a check, with their places. Private to this folder.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/common/suggest.h"
#include "tools/ground/language/check.h"
#include "tools/ground/language/template.h"
#include "tools/import/load/load_errors.h"

namespace vecc::tools::language {

class CheckList {
 public:
  explicit CheckList(const std::vector<std::string>& files) : files_(files) {}

  void error(ErrorCode code, const Position& at, const std::string& message) {
    errors_.add(code, place(at), [&] { return message; });
  }
  /// What a call of a function says is wrong with it.
  template <class Called>
  void error(const Position& at, const Result<Called>& called) {
    if (called) return;
    for (const Diagnostic& found : called.error().list()) error(found.code, at, found.message);
  }
  void note(const Position& at, std::string_view message) {
    notes_.push_back(place(at).text() + ": note: " + std::string(message));
  }
  [[nodiscard]] Place place(const Position& at) const {
    return {files_[at.file], at.line, at.column};
  }
  [[nodiscard]] Result<Notes> result() && {
    if (!errors_.empty()) return errors_.errors();
    return std::move(notes_);
  }

 private:
  const std::vector<std::string>& files_;
  LoadErrors errors_;
  Notes notes_;
};

/// `; did you mean "tanh"?`, or nothing.
[[nodiscard]] inline std::string did_you_mean(std::string_view word,
                                              std::span<const std::string> names) {
  const auto nearest = nearest_name(word, names);
  return nearest ? "; did you mean \"" + *nearest + "\"?" : "";
}

/// `line 3`, or `line 3 of other.txt` where that is another file than `here`'s.
[[nodiscard]] inline std::string line_of(const Position& at, const Position& here,
                                         const std::vector<std::string>& files) {
  const std::string line = "line " + std::to_string(at.line);
  return at.file == here.file ? line : line + " of " + files[at.file];
}

/// `bond/2`: what two predicates that are the same have in common.
[[nodiscard]] inline std::string key_of(const Predicate& predicate) {
  return predicate.name + "/" + std::to_string(predicate.arity);
}

/// An atom that variables are bound by: looked up, not computed, not negated.
[[nodiscard]] inline bool binds(const Atom& atom) {
  return !atom.predicate.special && atom.negation != Negation::Hard;
}
/// A literal of a body whose value the rule's neuron gets.
[[nodiscard]] inline bool is_input(const Atom& atom) {
  return binds(atom) && !atom.predicate.hidden;
}

}  // namespace vecc::tools::language
