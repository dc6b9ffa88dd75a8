#include "tools/ground/load_facts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tools/ground/language/parse.h"
#include "tools/import/load/load_errors.h"

namespace vecc::tools::ground {
namespace {

using namespace language;

constexpr std::uint64_t kProgressFacts = 1 << 14;

Errors at(const std::string& file, const Position& position, std::string message) {
  return Errors(ErrorCode::BadTable, Place{file, position.line, position.column}.text(),
                std::move(message));
}

// NeuraLogic's text of a literal.
std::string literal_text(const Atom& atom) {
  std::string out = atom.predicate.name;
  for (std::size_t i = 0; i < atom.terms.size(); ++i) {
    out += i == 0 ? "(" : ", ";
    if (!atom.terms[i].type.empty()) out += atom.terms[i].type + ":";
    out += atom.terms[i].text;
  }
  return atom.terms.empty() ? out : out + ")";
}

class Loader {
 public:
  Loader(RuleProgram& program, const Text& examples, const std::optional<Text>& queries,
         DataPredicates& data, const std::function<void(std::uint64_t)>& progress,
         const Limits& limits)
      : program_(program),
        examples_(examples),
        queries_(queries),
        data_(data),
        progress_(progress),
        limits_(limits) {}

  Result<FactBase> load() {
    VECC_TRY(labeled_, read_examples(
                           examples_, [&](Example&& e) { return add_example(e); }, limits_));
    if (base_.examples == 0) {
      return Errors(ErrorCode::FileEmpty, examples_.name, "has no example: expected facts");
    }
    VECC_TRY_VOID(add_template_facts());
    if (queries_) VECC_TRY_VOID(load_queries());
    if (base_.queries.empty()) {
      return Errors(ErrorCode::BadTable, examples_.name,
                    "has no queries; give them with --queries, or as `query :- facts.`");
    }
    while (base_.atoms.size() < program_.predicates.size()) add_table();
    return std::move(base_);
  }

 private:
  void add_table() { base_.atoms.emplace_back(program_.predicates[base_.atoms.size()].arity); }

  AtomTable& table(PredicateIndex predicate) {
    while (base_.atoms.size() <= predicate) add_table();
    return base_.atoms[predicate];
  }

  Result<void> add_example(const Example& example) {
    const std::uint32_t number = base_.examples++;
    if (!example.rules.empty()) {
      return at(examples_.name, example.rules.front().at,
                "found a rule among the facts of an example, which vecc-ground does not ground: "
                "write it in the template");
    }
    for (const Atom& fact : example.facts) VECC_TRY_VOID(add_fact(fact, number));
    return queries_ ? add_name(example, number) : add_own_queries(example, number);
  }

  Result<void> add_fact(const Atom& fact, std::uint32_t example) {
    if (++base_.facts_read % kProgressFacts == 0 && progress_) progress_(base_.facts_read);
    if (fact.predicate.special || fact.negation != Negation::None || fact.function) {
      return at(examples_.name, fact.at,
                "a fact is neither special nor negated, and has no function");
    }
    data_.add_fact(fact);
    const PredicateIndex predicate = program_.predicate(fact.predicate.name, fact.predicate.arity);
    const bool is_read = program_.predicates[predicate].is_read;
    row_.assign(1, example);
    for (const Term& term : fact.terms) {
      if (term.is_variable()) {
        return at(examples_.name, term.at,
                  "found variable " + quote(term.text) + ", expected constants: a fact is ground");
      }
      if (is_read) row_.push_back(program_.constants.add(term));
    }
    if (!is_read) return {};
    return add_atom(predicate, row_, value_of(fact), examples_.name, fact.at);
  }

  FactIndex value_of(const Atom& fact) {
    if (!fact.weight) return kUnvalued;
    const Weight& weight = *fact.weight;
    FactValues& store = base_.values;
    FactValues::Entry entry{weight.value.shape,  !weight.fixed, weight.value.has_values,
                            store.values.size(), kNoWeight,     false};
    if (entry.has_values) {
      store.values.insert(store.values.end(), weight.value.values.begin(),
                          weight.value.values.end());
    } else if (weight.fixed) {
      entry.has_values = true;  // {3} in angle brackets: zeros
      store.values.resize(store.values.size() + entry.shape.size());
    }
    store.entries.push_back(entry);
    return static_cast<FactIndex>(store.entries.size() - 1);
  }

  // A fact that is given twice has the larger of the values, by their sums: NeuraLogic's MAX.
  Result<void> add_atom(PredicateIndex predicate, std::span<const std::uint32_t> row,
                        FactIndex value, const std::string& file, const Position& position) {
    AtomTable& atoms = table(predicate);
    const auto [atom, is_new] = atoms.add(row);
    if (is_new) {
      atoms.set_fact(atom, value);
      return {};
    }
    const FactIndex known = atoms.fact(atom);
    if (known == value || (known == kUnvalued && is_unvalued_of_template(value))) return {};
    const FactValues::Entry& a = base_.values.entries[known];
    const FactValues::Entry& b = base_.values.entries[value];
    if (a.learnable || b.learnable || known == kUnvalued || value == kUnvalued ||
        a.shape != b.shape) {
      return at(file, position,
                "this fact was given before, and not both times with a fixed value of one shape");
    }
    const auto sum = [&](const FactValues::Entry& entry) {
      const auto values = base_.values.of(entry);
      return std::accumulate(values.begin(), values.end(), 0.0);
    };
    if (sum(b) > sum(a)) atoms.set_fact(atom, value);
    return {};
  }

  Result<void> add_template_facts() {
    for (const TemplateFact& fact : program_.facts) {
      if (!program_.predicates[fact.predicate].is_read) continue;
      const FactIndex value = template_value(fact.weight);
      row_.assign(1, 0);
      row_.insert(row_.end(), fact.arguments.begin(), fact.arguments.end());
      for (std::uint32_t example = 0; example < base_.examples; ++example) {
        row_[0] = example;
        VECC_TRY_VOID(add_atom(fact.predicate, row_, value, program_.files[fact.at.file], fact.at));
      }
    }
    return {};
  }

  FactIndex template_value(WeightIndex weight) {
    FactValues& store = base_.values;
    FactValues::Entry entry = store.entries[kUnvalued];
    entry.shared = true;
    if (weight != kNoWeight) {
      const WeightSpec& spec = program_.weights[weight];
      entry = {spec.shape, spec.learnable, true, store.values.size(), weight, true};
      if (!spec.learnable) {
        store.values.insert(store.values.end(), spec.values.begin(), spec.values.end());
      }
    }
    store.entries.push_back(entry);
    return static_cast<FactIndex>(store.entries.size() - 1);
  }

  [[nodiscard]] bool is_unvalued_of_template(FactIndex value) const {
    const FactValues::Entry& entry = base_.values.entries[value];
    return entry.shared && entry.weight == kNoWeight;
  }

  Result<void> add_query(const Atom& atom, const std::string& id, std::uint32_t example,
                         double importance, const std::string& file) {
    if (atom.predicate.special || atom.negation != Negation::None || atom.function) {
      return at(file, atom.at, "a query is neither special nor negated, and has no function");
    }
    data_.add_query(atom);
    QuerySpec spec;
    spec.id = "s_" + id + ":" + literal_text(atom);
    spec.example = example;
    spec.importance = importance;
    spec.predicate = program_.predicate(atom.predicate.name, atom.predicate.arity);
    boost::unordered_flat_map<std::string, std::uint32_t> variables;
    for (const Term& term : atom.terms) {
      if (!term.is_variable()) {
        spec.arguments.push_back({false, program_.constants.add(term)});
        continue;
      }
      if (!term.type.empty()) {
        return at(file, term.at, "a query's variable has no type in vecc-ground");
      }
      const auto next = static_cast<std::uint32_t>(variables.size());
      spec.arguments.push_back({true, variables.try_emplace(term.text, next).first->second});
    }
    if (atom.weight && atom.weight->value.has_values) spec.target = atom.weight->value;
    base_.queries.push_back(std::move(spec));
    return {};
  }

  Result<void> add_own_queries(const Example& example, std::uint32_t number) {
    const std::vector<Atom>& queries = example.queries;
    // NeuraLogic numbers queries, and names several over one example by the number of the first.
    std::string id = std::to_string(base_.queries.size());
    if (queries.size() > 1) id = "b_" + id;
    if (queries.size() == 1 && !queries.front().weight) id = literal_text(queries.front());
    for (const Atom& atom : queries) {
      VECC_TRY_VOID(add_query(atom, id, number, 1, examples_.name));
    }
    return {};
  }

  Result<void> add_name(const Example& example, std::uint32_t number) {
    if (example.queries.empty()) return {};
    const Atom& name = example.queries.front();
    if (example.queries.size() > 1 || name.weight) {
      return at(examples_.name, name.at,
                "the example has queries of its own and there is a file of queries: expected only "
                "a name, as `id :- facts.`");
    }
    if (!of_name_.try_emplace(literal_text(name), number).second) {
      return at(examples_.name, name.at, "a second example of this name");
    }
    return {};
  }

  Result<void> load_queries() {
    std::uint32_t line = 0;
    const auto take = [&](Query&& q) { return add_line(q, line++); };
    VECC_TRY(const bool named, read_queries(*queries_, take, limits_));
    if (!named && base_.examples > 1 && line != base_.examples) {
      return Errors(ErrorCode::BadTable, queries_->name,
                    "has " + count_of(line, "line") + " of queries, and " + examples_.name + " " +
                        count_of(base_.examples, "example") +
                        ": expected one each, or names (`id :- query.`) in both");
    }
    return {};
  }

  Result<void> add_line(const Query& line, std::uint32_t number) {
    std::string id = std::to_string(base_.queries.size());
    std::uint32_t example = base_.examples == 1 ? 0 : number;
    double importance = 1;
    if (line.id) {
      id = literal_text(*line.id);
      const auto found = of_name_.find(id);
      if (found == of_name_.end() && (base_.examples > 1 || labeled_)) {
        return at(queries_->name, line.id->at, "no example has the name " + quote(id));
      }
      if (found != of_name_.end()) example = found->second;
      if (line.id->weight && line.id->weight->value.shape.is_scalar() &&
          line.id->weight->value.has_values) {
        importance = line.id->weight->value.values[0];
      }
    }
    if (example >= base_.examples) return {};  // counted and refused after the last line
    for (const Atom& atom : line.atoms) {
      VECC_TRY_VOID(add_query(atom, id, example, importance, queries_->name));
    }
    return {};
  }

  RuleProgram& program_;
  const Text& examples_;
  const std::optional<Text>& queries_;
  DataPredicates& data_;
  const std::function<void(std::uint64_t)>& progress_;
  const Limits& limits_;
  FactBase base_;
  bool labeled_ = false;
  std::vector<std::uint32_t> row_;
  boost::unordered_flat_map<std::string, std::uint32_t> of_name_;
};

}  // namespace

Result<FactBase> load_facts(RuleProgram& program, const Text& examples,
                            const std::optional<Text>& queries, DataPredicates& data,
                            const std::function<void(std::uint64_t facts)>& progress,
                            const Limits& limits) {
  return Loader(program, examples, queries, data, progress, limits).load();
}

}  // namespace vecc::tools::ground
