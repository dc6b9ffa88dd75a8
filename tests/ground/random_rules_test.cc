// Random templates over random facts: the SQL grounder, by each engine, against nested loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/ground/naive_grounder.h"
#include "tests/support/found_duckdb.h"
#include "tools/ground/demand.h"
#include "tools/ground/derive.h"
#include "tools/ground/language/check.h"
#include "tools/ground/language/parse.h"
#include "tools/ground/load_facts.h"
#include "tools/ground/reach.h"
#include "tools/ground/resolve_template.h"

namespace vecc::test {
namespace {

using namespace tools;

struct RandomCase {
  std::string rules;
  std::vector<int> layers;
  std::string facts;
  std::string queries;
};

class RandomCases {
 public:
  explicit RandomCases(std::uint32_t seed) : random_(seed) {}

  RandomCase make() {
    RandomCase out;
    lower_ = {0, 1, 2, 3};
    for (int layer = 0; layer < 3; ++layer) {
      const int count = 2 + pick(3);
      same_.clear();
      for (int i = 0; i < count; ++i) {
        out.rules += rule(layer);
        out.layers.push_back(layer);
      }
      lower_.insert(lower_.end(), same_.begin(), same_.end());
    }
    const int examples = 1 + pick(3);
    for (int e = 0; e < examples; ++e) {
      std::string line;
      for (int i = 0; i < 14; ++i) line += (i == 0 ? "" : ", ") + fact(pick(4));
      out.facts += line + ".\n";
      out.queries += "1 " + query() + ".\n";
    }
    return out;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint32_t>(below)); }

  int one_of(const std::vector<int>& list) {
    return list[static_cast<std::size_t>(pick(static_cast<int>(list.size())))];
  }

  // Predicates 0..3 have facts, 4 + 2 k and 5 + 2 k are those of layer k.
  static int arity(int predicate) {
    constexpr int kArity[] = {1, 2, 2, 3, 1, 2, 2, 0, 1, 2};
    return kArity[predicate];
  }
  std::string constant() { return std::to_string(pick(3)); }
  std::string variable() { return std::string(1, static_cast<char>('X' + pick(3))); }

  template <class MakeTerm>
  std::string atom(int predicate, MakeTerm&& make_term) {
    std::string out = "p" + std::to_string(predicate);
    for (int k = 0; k < arity(predicate); ++k) out += (k == 0 ? "(" : ",") + make_term();
    return arity(predicate) == 0 ? out : out + ")";
  }
  std::string fact(int predicate) {
    return atom(predicate, [&] { return constant(); });
  }
  std::string query() {
    // Some ground, some with variables.
    return atom(lower_[4 + static_cast<std::size_t>(pick(static_cast<int>(lower_.size()) - 4))],
                [&] { return pick(3) != 0 ? variable() : constant(); });
  }

  std::string rule(int layer) {
    const int head = 4 + 2 * layer + pick(2);
    same_.push_back(head);
    std::vector<std::string> body;
    std::string bound;
    const int literals = 1 + pick(3);
    for (int i = 0; i < literals; ++i) {
      const bool recursive = pick(4) == 0;
      const int predicate = recursive && i > 0 ? one_of(same_) : one_of(lower_);
      const std::string text = atom(predicate, [&] {
        if (pick(10) == 0) return constant();
        const std::string name = variable();
        bound += name;
        return name;
      });
      body.push_back((pick(4) == 0 ? "*" : "") + text);
    }
    const auto known = [&]() -> std::string {
      if (bound.empty() || pick(5) == 0) return constant();
      return std::string(1, bound[static_cast<std::size_t>(pick(static_cast<int>(bound.size())))]);
    };
    if (pick(4) == 0) body.push_back("!" + atom(one_of(lower_), known));
    if (pick(4) == 0) {
      constexpr const char* kSpecials[] = {"@neq", "@lt", "@geq", "@next", "@alldiff", "@in"};
      body.push_back(std::string(kSpecials[pick(6)]) + "(" + known() + "," + known() + ")");
    }
    std::shuffle(body.begin(), body.end(), random_);
    const std::string head_text = atom(head, known);
    std::string out = head_text + " :- ";
    for (std::size_t i = 0; i < body.size(); ++i) out += (i == 0 ? "" : ", ") + body[i];
    const std::size_t variable_at = head_text.find_first_of("XYZ");
    if (variable_at == std::string::npos || pick(4) != 0) return out + ".\n";
    return out + ". [aggregation=softmax(" + head_text[variable_at] + ")]\n";
  }

  std::mt19937 random_;
  std::vector<int> lower_;  // with facts, or heads of earlier layers
  std::vector<int> same_;   // heads of this layer
};

std::string atom_text(const ground::RuleProgram& program, const ground::FactBase& base,
                      ground::PredicateIndex p, ground::AtomIndex atom) {
  std::string text = program.atom_text(p, base.atoms[p].arguments(atom));
  std::erase(text, ' ');
  return text;
}

// By example: `rule: head <- inputs` of what is reached.
std::vector<std::set<std::string>> reached_groundings(const ground::RuleProgram& program,
                                                      const ground::FactBase& base,
                                                      const ground::Derived& derived,
                                                      const ground::Reached& reached) {
  std::vector<std::set<std::string>> out(base.examples);
  for (ground::RuleIndex r = 0; r < program.rules.size(); ++r) {
    const ground::RuleSpec& rule = program.rules[r];
    const std::size_t width = rule.input_count();
    for (const std::uint32_t g : reached.of_head[r].groundings) {
      std::vector<std::string> inputs;
      for (const ground::Literal& literal : rule.body) {
        if (!literal.input) continue;
        inputs.push_back(atom_text(program, base, literal.predicate,
                                   derived.groundings[r].inputs[g * width + inputs.size()]));
      }
      const ground::AtomIndex head = derived.groundings[r].heads[g];
      const bool is_new =
          out[base.atoms[rule.head].row(head)[0]]
              .insert(grounding_text(r, atom_text(program, base, rule.head, head), inputs))
              .second;
      EXPECT_TRUE(is_new) << "a grounding came twice";
    }
  }
  return out;
}

std::vector<std::string> matching(const std::set<std::string>& atoms, const language::Atom& query) {
  std::vector<std::string> out;
  for (const std::string& atom : atoms) {
    const std::string head = query.predicate.name + (query.terms.empty() ? "" : "(");
    if (query.terms.empty() ? atom != head : !atom.starts_with(head)) continue;
    std::map<std::string, std::string> values;
    bool fits = true;
    std::size_t at = head.size();
    for (const language::Term& term : query.terms) {
      const std::size_t end = atom.find_first_of(",)", at);
      const std::string value = atom.substr(at, end - at);
      at = end + 1;
      fits &= term.is_variable() ? values.try_emplace(term.text, value).first->second == value
                                 : term.text == value;
    }
    if (fits) out.push_back(atom);
  }
  return out;
}

template <class T>
T unwrap(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(*result);
}

// Threads share each query row by row: the same atoms and groundings, in the same order.
void compare_threads(const ground::RuleProgram& program, ground::FactBase base,
                     const ground::FactBase& alone, const ground::Derived& derived) {
  ground::DeriveOptions options;
  options.threads = 3;
  options.visits_of_part = 1;
  const ground::Derived shared = unwrap(ground::derive(program, base, options));
  for (std::size_t r = 0; r < program.rules.size(); ++r) {
    EXPECT_EQ(shared.groundings[r].heads, derived.groundings[r].heads);
    EXPECT_EQ(shared.groundings[r].inputs, derived.groundings[r].inputs);
    EXPECT_EQ(shared.groundings[r].times, derived.groundings[r].times);
  }
  for (std::size_t p = 0; p < program.predicates.size(); ++p) {
    ASSERT_EQ(base.atoms[p].size(), alone.atoms[p].size());
    for (ground::AtomIndex atom = 0; atom < alone.atoms[p].size(); ++atom) {
      EXPECT_TRUE(std::ranges::equal(base.atoms[p].row(atom), alone.atoms[p].row(atom)));
      EXPECT_EQ(base.atoms[p].fact(atom), alone.atoms[p].fact(atom));
    }
  }
}

ground::Derived derive_by(ground::SqlEngine engine, const ground::RuleProgram& program,
                          ground::FactBase& base) {
  ground::DeriveOptions options;
  options.engine = engine;
  return unwrap(ground::derive(program, base, options));
}

void compare(const RandomCase& c, ground::SqlEngine engine, std::size_t& compared) {
  const auto parsed = unwrap(language::parse_template({"rules", c.rules}));
  const auto examples = unwrap(language::parse_examples({"facts", c.facts}));
  const auto queries = unwrap(language::parse_queries({"queries", c.queries}));
  auto program = unwrap(ground::resolve_template(parsed, {}));
  if (program.rules.size() != parsed.rules.size()) return;  // equal rules are one
  language::DataPredicates data;
  auto base =
      unwrap(ground::load_facts(program, {"facts", c.facts}, Text{"queries", c.queries}, data, {}));
  ground::demand_queries(program, base);
  const ground::FactBase facts = base;
  const ground::Derived derived = derive_by(engine, program, base);
  if (engine == ground::SqlEngine::Sqlite) compare_threads(program, facts, base, derived);
  const ground::Reached reached = ground::reach_queries(program, base, derived);
  const auto ours = reached_groundings(program, base, derived, reached);
  for (std::size_t e = 0; e < examples.examples.size(); ++e) {
    const NaiveGrounding naive = ground_naively(parsed.rules, c.layers, examples.examples[e].facts);
    const auto wanted = matching(naive.derived, queries.queries[e].atoms.front());
    const std::set<std::string> theirs = reach_naively(naive, wanted);
    EXPECT_EQ(ours[e], theirs) << "example " << e;
    compared += theirs.size();
  }
}

void compare_all(ground::SqlEngine engine, std::uint32_t seeds) {
  std::size_t compared = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    const RandomCase c = RandomCases(seed).make();
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + c.rules + "\n" + c.facts + c.queries);
    compare(c, engine, compared);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(compared, 5 * seeds / 2);  // the cases are not empty
}

TEST(RandomRules, GroundAsNestedLoopsDo) {
  compare_all(ground::SqlEngine::Sqlite, 400);
}

TEST(RandomRules, GroundByDuckDbAsNestedLoopsDo) {
  if (use_duckdb().empty()) GTEST_SKIP() << "no DuckDB: VECC_DUCKDB, or `pip install duckdb`";
  compare_all(ground::SqlEngine::DuckDb, 100);
}

// Linear and not, over several rounds: parts of a round are read before their atoms are added.
TEST(Threads, ShareRecursions) {
  const std::string rules =
      "anc(X, Y) :- {1} edge(X, Y).\n"
      "anc(X, Z) :- {1} edge(X, Y), {1} anc(Y, Z).\n"
      "far(X, Y) :- {1} edge(X, Y).\n"
      "far(X, Z) :- {1} far(X, Y), {1} far(Y, Z).\n"
      "both(X, Y) :- {1} anc(X, Y), {1} far(X, Y).\n";
  std::mt19937 random(5);
  std::string facts;
  for (int example = 0; example < 2; ++example) {
    for (int i = 0; i < 60; ++i) {
      facts += (i == 0 ? "" : ", ") + std::string("edge(n") + std::to_string(random() % 40) +
               ", n" + std::to_string(random() % 40) + ")";
    }
    facts += ".\n";
  }
  const auto parsed = unwrap(language::parse_template({"rules", rules}));
  auto program = unwrap(ground::resolve_template(parsed, {}));
  language::DataPredicates data;
  const Text queries{"queries", "1 both(X, Y).\n1 both(X, n3).\n"};
  auto base = unwrap(ground::load_facts(program, {"facts", facts}, queries, data, {}));
  ground::demand_queries(program, base);
  const ground::FactBase before = base;
  const ground::Derived derived = unwrap(ground::derive(program, base, {}));
  EXPECT_GT(derived.groundings[3].size(), 1000u);
  compare_threads(program, before, base, derived);
}

}  // namespace
}  // namespace vecc::test
