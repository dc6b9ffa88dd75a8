#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <utility>

#include "tools/ground/language/check.h"
#include "tools/ground/language/check_list.h"
#include "tools/ground/language/infer_shapes.h"
#include "tools/ground/language/print.h"

namespace vecc::tools::language {
namespace {

// Predicates that something makes, and those that something reads.
class Reach {
 public:
  Reach(const Template& parsed, const DataPredicates& data, CheckList& list)
      : parsed_(parsed), data_(data), list_(list) {
    for (const Rule& rule : parsed.rules) add_made(rule.head.predicate);
    for (const Atom& fact : parsed.facts) add_made(fact.predicate);
    for (const DataPredicates::Facts& facts : data.facts()) {
      add_made({facts.name, facts.arity, false, false, {}});
    }
  }

  void check_bodies();
  void check_heads();

 private:
  void add_made(const Predicate& predicate) {
    if (made_.insert(key_of(predicate)).second) names_.push_back(key_of(predicate));
  }

  const Template& parsed_;
  const DataPredicates& data_;
  CheckList& list_;
  boost::unordered_flat_set<std::string> made_;
  std::vector<std::string> names_;
};

void Reach::check_bodies() {
  boost::unordered_flat_set<std::string> told;
  for (const Rule& rule : parsed_.rules) {
    for (const Atom& atom : rule.body) {
      const std::string key = key_of(atom.predicate);
      if (!binds(atom) || made_.contains(key) || !told.insert(key).second) continue;
      list_.note(atom.predicate.at, "no rule and no fact makes " + key + ": the rule never holds" +
                                        did_you_mean(key, names_));
    }
  }
}

// From the queries down.
void Reach::check_heads() {
  if (data_.queries().empty()) return;
  boost::unordered_flat_map<std::string, std::vector<const Rule*>> rules_of;
  for (const Rule& rule : parsed_.rules) rules_of[key_of(rule.head.predicate)].push_back(&rule);
  boost::unordered_flat_set<std::string> reached(data_.queries().begin(), data_.queries().end());
  std::vector<std::string> waiting = data_.queries();
  while (!waiting.empty()) {
    const std::string key = std::move(waiting.back());
    waiting.pop_back();
    for (const Rule* const rule : rules_of[key]) {
      for (const Atom& atom : rule->body) {
        if (reached.insert(key_of(atom.predicate)).second) {
          waiting.push_back(key_of(atom.predicate));
        }
      }
    }
  }
  boost::unordered_flat_set<std::string> told;
  for (const Rule& rule : parsed_.rules) {
    const std::string key = key_of(rule.head.predicate);
    if (reached.contains(key) || !told.insert(key).second) continue;
    list_.note(rule.head.predicate.at, "no query needs " + key + ": its rules make no neurons");
  }
}

}  // namespace

void DataPredicates::add_fact(const Atom& fact) {
  const Shape shape = fact.weight ? fact.weight->value.shape : Shape::scalar();
  key_.assign(fact.predicate.name).append("/").append(std::to_string(fact.predicate.arity));
  const auto [known, is_new] = of_name_.try_emplace(key_, facts_.size());
  if (is_new) {
    facts_.push_back({fact.predicate.name, fact.predicate.arity, shape});
  } else if (facts_[known->second].shape != shape) {
    facts_[known->second].shape.reset();
  }
}

void DataPredicates::add_query(const Atom& query) {
  const std::string key = key_of(query.predicate);
  if (std::ranges::find(queries_, key) == queries_.end()) queries_.push_back(key);
}

Result<Notes> check_data(const Template& parsed, const FunctionDefaults& defaults,
                         const DataPredicates& data) {
  CheckList list(parsed.files);
  if (!data.has_rules()) {
    Reach reach(parsed, data, list);
    reach.check_bodies();
    reach.check_heads();
    check_shapes(parsed, defaults, data, list);
  }
  return std::move(list).result();
}

}  // namespace vecc::tools::language
