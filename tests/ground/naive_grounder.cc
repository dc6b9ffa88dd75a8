#include "tests/ground/naive_grounder.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace vecc::test {
namespace {

using namespace tools::language;

using Substitution = std::map<std::string, std::string>;

std::string value_of(const Term& term, const Substitution& values) {
  return term.is_variable() ? values.at(term.text) : term.text;
}

std::string text_of(const Atom& atom, const Substitution& values) {
  std::string out = atom.predicate.name;
  for (std::size_t i = 0; i < atom.terms.size(); ++i) {
    out += (i == 0 ? "(" : ",") + value_of(atom.terms[i], values);
  }
  return atom.terms.empty() ? out : out + ")";
}

bool holds_specially(const Atom& atom, const Substitution& values) {
  std::vector<std::string> terms;
  for (const Term& term : atom.terms) terms.push_back(value_of(term, values));
  const std::string& name = atom.predicate.name;
  if (name == "alldiff") {
    return std::set<std::string>(terms.begin(), terms.end()).size() == terms.size();
  }
  if (name == "in") return std::find(terms.begin() + 1, terms.end(), terms[0]) != terms.end();
  const int x = std::stoi(terms.at(0));
  const int y = std::stoi(terms.at(1));
  if (name == "neq") return x != y;
  if (name == "lt") return x < y;
  if (name == "geq") return x >= y;
  if (name == "next") return x + 1 == y;
  throw std::runtime_error("no @" + name);
}

class NaiveGrounder {
 public:
  NaiveGrounder(const std::vector<Rule>& rules, const std::vector<Atom>& facts) : rules_(rules) {
    for (const Atom& fact : facts) {
      out_.facts.insert(text_of(fact, {}));
      for (const Term& term : fact.terms) domain_.insert(term.text);
    }
    for (const Rule& rule : rules) {
      for (const Term& term : rule.head.terms) add_constant(term);
      for (const Atom& atom : rule.body) {
        for (const Term& term : atom.terms) add_constant(term);
      }
    }
    known_ = out_.facts;
  }

  NaiveGrounding ground(const std::vector<int>& layers) {
    for (int layer = 0; layer <= *std::ranges::max_element(layers); ++layer) {
      std::size_t before = 0;
      do {
        before = known_.size() + out_.groundings.size();
        for (std::size_t r = 0; r < rules_.size(); ++r) {
          if (layers[r] == layer) ground_rule(r);
        }
      } while (before != known_.size() + out_.groundings.size());
    }
    return out_;
  }

 private:
  void add_constant(const Term& term) {
    if (!term.is_variable()) domain_.insert(term.text);
  }

  void ground_rule(std::size_t r) {
    std::set<std::string> variables;
    for (const Atom& atom : rules_[r].body) {
      for (const Term& term : atom.terms) {
        if (term.is_variable()) variables.insert(term.text);
      }
    }
    Substitution values;
    try_values(r, {variables.begin(), variables.end()}, 0, values);
  }

  void try_values(std::size_t r, const std::vector<std::string>& variables, std::size_t next,
                  Substitution& values) {
    if (next == variables.size()) return try_grounding(r, values);
    for (const std::string& constant : domain_) {
      values[variables[next]] = constant;
      try_values(r, variables, next + 1, values);
    }
  }

  void try_grounding(std::size_t r, const Substitution& values) {
    std::vector<std::string> inputs;
    for (const Atom& atom : rules_[r].body) {
      const bool negated = atom.negation == Negation::Hard;
      const bool holds = atom.predicate.special ? holds_specially(atom, values)
                                                : known_.contains(text_of(atom, values));
      if (holds == negated) return;
      const bool is_input = !atom.predicate.special && !atom.predicate.hidden && !negated;
      if (is_input) inputs.push_back(text_of(atom, values));
    }
    const std::string head = text_of(rules_[r].head, values);
    known_.insert(head);
    if (inputs.empty()) return;
    const std::string text = grounding_text(r, head, inputs);
    out_.groundings.insert(text);
    for (const MetadataEntry& entry : rules_[r].metadata) {
      if (entry.key.text != "aggregation" || entry.word.arguments.empty()) continue;
      Substitution masked = values;
      masked[entry.word.arguments.substr(1, 1)] = "*";  // "(X)"
      out_.groups[text] = std::to_string(r) + ": " + text_of(rules_[r].head, masked);
    }
    out_.derived.insert(head);
  }

  const std::vector<Rule>& rules_;
  std::set<std::string> domain_;
  std::set<std::string> known_;
  NaiveGrounding out_;
};

}  // namespace

std::string grounding_text(std::size_t rule, const std::string& head,
                           const std::vector<std::string>& inputs) {
  std::string out = std::to_string(rule) + ": " + head + " <-";
  for (const std::string& input : inputs) out += " " + input;
  return out;
}

NaiveGrounding ground_naively(const std::vector<Rule>& rules, const std::vector<int>& layers,
                              const std::vector<Atom>& facts) {
  return NaiveGrounder(rules, facts).ground(layers);
}

std::set<std::string> reach_naively(const NaiveGrounding& grounding,
                                    const std::vector<std::string>& queries) {
  std::set<std::string> atoms(queries.begin(), queries.end());
  std::set<std::string> groups;
  std::set<std::string> out;
  for (std::size_t before = 0; before != atoms.size() + groups.size();) {
    before = atoms.size() + groups.size();
    for (const std::string& text : grounding.groundings) {
      const std::size_t head = text.find(' ') + 1;
      const std::size_t arrow = text.find(" <-");
      const auto group = grounding.groups.find(text);
      const bool has_group = group != grounding.groups.end();
      const bool is_read = atoms.contains(text.substr(head, arrow - head));
      if (has_group && is_read) groups.insert(group->second);
      if (!is_read && !(has_group && groups.contains(group->second))) continue;
      out.insert(text);
      for (std::size_t at = arrow + 4; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        atoms.insert(text.substr(at, end - at));
        at = end + 1;
      }
    }
  }
  return out;
}

}  // namespace vecc::test
