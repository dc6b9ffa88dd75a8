// Random databases through vecc-import sql, against the formulas of docs/databases.md computed row
// by row: keys to any table with cycles, NULLs and missing parents, and times.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>

#include "tests/import_sql/databases.h"
#include "tests/support/found_duckdb.h"
#include "tests/tools/process.h"
#include "tools/common/logging.h"
#include "tools/import/sql/import_database.h"
#include "vecc/backend.h"
#include "vecc/graph_io.h"

namespace vecc::test {
namespace {

using tools::sql::ImportDatabaseOptions;

using Vector = std::vector<double>;
using Cell = std::optional<int>;

struct RandomRow {
  Cell x;         // a number
  Cell flag;      // a boolean
  Cell category;  // a text
  Cell day;
  Cell target;              // of table 0
  std::vector<Cell> links;  // ids of parents, which may not be there
};
struct RandomTable {
  std::vector<std::size_t> parents;  // of its keys
  bool has_time = false;
  std::vector<RandomRow> rows;
};

struct RandomDatabase {
  std::vector<RandomTable> tables;
  bool is_timed = false;
  std::uint32_t hops = 0;
  bool sums = false;

  explicit RandomDatabase(std::uint32_t seed) : random(seed) {
    tables.resize(2 + below(3));
    is_timed = below(2) == 0;
    hops = static_cast<std::uint32_t>(below(4));
    sums = below(2) == 0;
    for (RandomTable& table : tables) {
      table.parents.resize(below(3));
      for (std::size_t& parent : table.parents) parent = below(tables.size());
      table.has_time = is_timed && (&table == &tables[0] || below(2) == 0);
      table.rows.resize(&table == &tables[0] ? 8 : 1 + below(9));
    }
    for (RandomTable& table : tables) {
      for (RandomRow& row : table.rows) fill(table, row);
    }
    for (int i = 0; i < 2; ++i) tables[0].rows[static_cast<std::size_t>(i)].target = i;
    for (RandomRow& row : tables[0].rows) {
      if (row.target && !row.day) row.day = 3;
    }
  }

  [[nodiscard]] std::string sql() const {
    std::string out;
    for (std::size_t t = 0; t < tables.size(); ++t) out += create(t);
    for (std::size_t t = 0; t < tables.size(); ++t) {
      for (std::size_t r = 0; r < tables[t].rows.size(); ++r) out += insert(t, r);
    }
    return out;
  }

  static std::string name(std::size_t t) { return "t" + std::to_string(t); }

 private:
  std::size_t below(std::size_t end) { return random() % end; }
  Cell cell(int end) {
    return below(4) == 0 ? Cell() : Cell(static_cast<int>(below(static_cast<std::size_t>(end))));
  }
  void fill(const RandomTable& table, RandomRow& row) {
    row.x = cell(20);
    row.flag = cell(2);
    row.category = cell(3);
    row.day = cell(6);
    if (&table == &tables[0]) row.target = cell(2);
    for (const std::size_t parent : table.parents) {
      row.links.push_back(cell(static_cast<int>(tables[parent].rows.size()) + 2));
    }
  }

  [[nodiscard]] std::string create(std::size_t t) const {
    std::string out =
        "CREATE TABLE " + name(t) + " (id INTEGER PRIMARY KEY, x REAL, f BOOLEAN, c TEXT";
    if (tables[t].has_time) out += ", day INTEGER";
    if (t == 0) out += ", y BOOLEAN";
    for (std::size_t k = 0; k < tables[t].parents.size(); ++k) {
      out += ", k" + std::to_string(k) + " INTEGER REFERENCES " + name(tables[t].parents[k]);
    }
    return out + ");\n";
  }
  [[nodiscard]] std::string insert(std::size_t t, std::size_t r) const {
    const RandomRow& row = tables[t].rows[r];
    const auto text = [](Cell value) { return value ? std::to_string(*value) : "NULL"; };
    std::string out = "INSERT INTO " + name(t) + " VALUES (" + std::to_string(r) + ", " +
                      text(row.x) + ", " + text(row.flag) + ", " +
                      (row.category ? "'c" + text(row.category) + "'" : "NULL");
    if (tables[t].has_time) out += ", " + text(row.day);
    if (t == 0) out += ", " + text(row.target);
    for (const Cell link : row.links) out += ", " + text(link);
    return out + ");\n";
  }

  std::mt19937 random;
};

// What the network's weights are called: numbers in the order of the template's text.
class Names {
 public:
  explicit Names(const RandomDatabase& db) {
    const std::size_t count = db.tables.size();
    std::vector<std::uint32_t> distance(count, db.hops + 1);
    distance[0] = 0;
    for (std::uint32_t round = 0; round < db.hops; ++round) {
      for (std::size_t t = 0; t < count; ++t) {
        for (const std::size_t p : db.tables[t].parents) {
          distance[p] = std::min(distance[p], distance[t] + 1);
          distance[t] = std::min(distance[t], distance[p] + 1);
        }
      }
    }
    for (std::size_t t = 0; t < count; ++t) {
      if (distance[t] > db.hops) continue;
      add("row " + std::to_string(t));
      ++next_;  // the weight of the categories has a name
    }
    for (std::uint32_t hop = 1; hop <= db.hops; ++hop) {
      for (std::size_t t = 0; t < count; ++t) {
        if (distance[t] + hop <= db.hops) add_hop(db, hop, t);
      }
    }
    add("output");
    add("offset");
  }

  static std::string of(std::uint32_t hop, std::size_t t, std::size_t k, bool to_parent) {
    return std::to_string(hop) + (to_parent ? " up " : " down ") + std::to_string(t) + " " +
           std::to_string(k);
  }
  [[nodiscard]] const std::string& operator[](const std::string& role) const {
    return names_.at(role);
  }

 private:
  void add(const std::string& role) { names_[role] = "w" + std::to_string(next_++); }
  // Keys by table, and within one as they are declared.
  void add_hop(const RandomDatabase& db, std::uint32_t hop, std::size_t t) {
    add(std::to_string(hop) + " self " + std::to_string(t));
    for (std::size_t child = 0; child < db.tables.size(); ++child) {
      for (std::size_t k = 0; k < db.tables[child].parents.size(); ++k) {
        if (child == t) add(of(hop, child, k, true));
        if (db.tables[child].parents[k] == t) add(of(hop, child, k, false));
      }
    }
  }

  std::map<std::string, std::string> names_;
  int next_ = 0;
};

// The values of one sample's rows.
class Network {
 public:
  Network(const RandomDatabase& db, const NeuronGraph& graph) : db_(db), names_(db) {
    for (const WeightTable& table : graph.weight_tables)
      weights_[table.name] = table.values.doubles();
    for (const RandomRow& row : db.tables[0].rows) {
      if (row.target && db.is_timed) last_ = std::max(last_, *row.day);
    }
    for (std::size_t t = 0; t < db.tables.size(); ++t) measure(t);
  }

  double predict(std::size_t sample) {
    sample_ = sample;
    known_.clear();
    const Vector h = hidden(db_.hops, 0, sample);
    const double z = product(names_["output"], h)[0] + weights_.at(names_["offset"])[0];
    return 1 / (1 + std::exp(-z));
  }

 private:
  struct Statistics {
    double mean = 0;
    double deviation = 1;
    std::set<int> categories;
  };

  // Of rows to train on: those with a target, and what is not later than the last of them.
  [[nodiscard]] bool trains(std::size_t t, const RandomRow& row) const {
    if (t == 0 && !row.target) return false;
    return !db_.tables[t].has_time || (row.day && *row.day <= last_);
  }
  void measure(std::size_t t) {
    Statistics& of = statistics_.emplace_back();
    Vector numbers;
    for (const RandomRow& row : db_.tables[t].rows) {
      if (!trains(t, row)) continue;
      if (row.x) numbers.push_back(*row.x);
      if (row.category) of.categories.insert(*row.category);
    }
    const auto count = static_cast<double>(numbers.size());
    for (const double x : numbers) of.mean += x / count;
    double squares = 0;
    for (const double x : numbers) squares += (x - of.mean) * (x - of.mean) / count;
    if (squares > 1e-12) of.deviation = std::sqrt(squares);
  }

  [[nodiscard]] bool sees(std::size_t t, std::size_t row) const {
    if (!db_.tables[t].has_time || (t == 0 && row == sample_)) return true;
    const Cell day = db_.tables[t].rows[row].day;
    return day && *day <= *db_.tables[0].rows[sample_].day;
  }

  [[nodiscard]] Vector product(const std::string& weight, const Vector& x) const {
    const Vector& w = weights_.at(weight);
    Vector out(w.size() / x.size());
    for (std::size_t i = 0; i < w.size(); ++i) out[i / x.size()] += w[i] * x[i % x.size()];
    return out;
  }
  static void add(Vector& sum, const Vector& x, double factor = 1) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * x[i];
  }

  Vector first(std::size_t t, const RandomRow& row) const {
    const Statistics& of = statistics_[t];
    const Vector x{1, row.x ? (*row.x - of.mean) / of.deviation : 0, row.x ? 0.0 : 1.0,
                   row.flag ? (*row.flag == 1 ? 1.0 : -1.0) : 0, row.flag ? 0.0 : 1.0};
    Vector sum = product(names_["row " + std::to_string(t)], x);
    // Behind the known ones NULL, and what the training had not.
    Vector one_hot(of.categories.size() + 2);
    const auto known = row.category ? of.categories.find(*row.category) : of.categories.end();
    std::size_t at = of.categories.size() + (row.category ? 1 : 0);
    if (known != of.categories.end()) {
      at = static_cast<std::size_t>(std::distance(of.categories.begin(), known));
    }
    one_hot[at] = 1;
    add(sum, product("w_value_" + RandomDatabase::name(t) + "_c", one_hot));
    return sum;
  }

  Vector sum_of_hop(std::uint32_t hop, std::size_t t, std::size_t row) {
    Vector sum = product(names_[std::to_string(hop) + " self " + std::to_string(t)],
                         hidden(hop - 1, t, row));
    const auto parent_of = [&](std::size_t child, std::size_t k, std::size_t r) -> Cell {
      const Cell link = db_.tables[child].rows[r].links[k];
      const std::size_t parent = db_.tables[child].parents[k];
      const bool is_there =
          link && static_cast<std::size_t>(*link) < db_.tables[parent].rows.size();
      return is_there ? link : Cell();
    };
    for (std::size_t child = 0; child < db_.tables.size(); ++child) {
      for (std::size_t k = 0; k < db_.tables[child].parents.size(); ++k) {
        const std::size_t parent = db_.tables[child].parents[k];
        if (child == t) {
          const Cell up = parent_of(t, k, row);
          if (up && sees(parent, static_cast<std::size_t>(*up))) {
            add(sum, product(names_[Names::of(hop, t, k, true)],
                             hidden(hop - 1, parent, static_cast<std::size_t>(*up))));
          }
        }
        if (parent != t) continue;
        std::vector<Vector> members;
        for (std::size_t r = 0; r < db_.tables[child].rows.size(); ++r) {
          if (parent_of(child, k, r) != static_cast<int>(row) || !sees(child, r)) continue;
          members.push_back(
              product(names_[Names::of(hop, child, k, false)], hidden(hop - 1, child, r)));
        }
        const double factor = db_.sums ? 1 : 1 / static_cast<double>(members.size());
        for (const Vector& member : members) add(sum, member, factor);
      }
    }
    return sum;
  }

  Vector hidden(std::uint32_t hop, std::size_t t, std::size_t row) {
    const auto key = std::tuple(hop, t, row);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    Vector sum = hop == 0 ? first(t, db_.tables[t].rows[row]) : sum_of_hop(hop, t, row);
    for (double& x : sum) x = std::tanh(x);
    return known_[key] = sum;
  }

  const RandomDatabase& db_;
  Names names_;
  std::map<std::string, Vector> weights_;
  std::vector<Statistics> statistics_;
  int last_ = 0;
  std::size_t sample_ = 0;
  std::map<std::tuple<std::uint32_t, std::size_t, std::size_t>, Vector> known_;
};

NeuronGraph import_database(const RandomDatabase& db, const std::string& folder,
                            tools::ground::SqlEngine engine) {
  ImportDatabaseOptions options;
  options.common.input = make_database(folder, "x.db", db.sql());
  options.common.output = folder + "/graph.pb";
  options.common.quiet = true;
  options.engine = engine;
  options.samples.target = "t0.y";
  options.samples.valid = options.samples.test = 0;
  options.model.hops = db.hops;
  options.model.dim = 3;
  options.model.aggregation = db.sums ? "sum" : "avg";
  for (std::size_t t = 0; t < db.tables.size(); ++t) {
    const std::string name = RandomDatabase::name(t);
    for (const char* kind : {".x:number", ".f:boolean", ".c:category"}) {
      options.samples.kinds.push_back(name + kind);
    }
    if (!db.tables[t].has_time) continue;
    options.samples.kinds.push_back(name + ".day:out");
    options.samples.times.push_back(name + ".day");
  }
  tools::Stages stages(false);
  const auto done = tools::sql::import_database(options, stages);
  if (!done) throw std::runtime_error(done.error().text());
  auto graph = read_graph(options.common.output);
  std::remove(options.common.input.c_str());
  if (!graph) throw std::runtime_error(graph.error().text());
  return std::move(*graph);
}

void compare(const RandomDatabase& db, const NeuronGraph& graph) {
  const auto values = evaluate_reference(graph);
  ASSERT_TRUE(values) << values.error().text();
  Network network(db, graph);
  std::size_t s = 0;
  for (std::size_t row = 0; row < db.tables[0].rows.size(); ++row) {
    const Cell target = db.tables[0].rows[row].target;
    if (!target) continue;
    ASSERT_LT(s, graph.samples.size());
    EXPECT_EQ(graph.sample_ids[s], "t0:" + std::to_string(row));
    EXPECT_NEAR(values->value(graph.samples[s].output)[0], network.predict(row), 1e-9) << row;
    ++s;
  }
  EXPECT_EQ(s, graph.samples.size());
}

void compare_all(tools::ground::SqlEngine engine, std::uint32_t first, std::uint32_t count) {
  tools::set_up_logging("off");
  const std::string folder = test_folder();
  for (std::uint32_t seed = first; seed < first + count; ++seed) {
    const RandomDatabase db(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(db.hops) + " hops" +
                 (db.is_timed ? ", with times" : "") + "\n" + db.sql());
    compare(db, import_database(db, folder, engine));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(RandomDatabases, AreWhatTheFormulasSay) {
  compare_all(tools::ground::SqlEngine::Sqlite, 0, 150);
}

TEST(RandomDatabases, AreWhatTheFormulasSayByDuckDb) {
  if (use_duckdb().empty()) GTEST_SKIP() << "no DuckDB: VECC_DUCKDB, or `pip install duckdb`";
  compare_all(tools::ground::SqlEngine::DuckDb, 1000, 25);
}

}  // namespace
}  // namespace vecc::test
