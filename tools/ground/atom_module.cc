#include "tools/ground/atom_module.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <new>
#include <string>

namespace vecc::tools::ground {
namespace {

constexpr int kIdColumn = 0;
constexpr int kFirstWord = 1;  // SQL's column of a row's first word, the example

// What a plan does: the number of an index, or the one row that is known, or a scan, less the bits
// of its bounds.
constexpr int kWholeRow = std::numeric_limits<int>::max();
constexpr int kScan = -1;
constexpr int kFrom = 1;
constexpr int kBelow = 2;

struct Table : sqlite3_vtab {
  StoredAtoms* atoms = nullptr;
};

struct Cursor : sqlite3_vtab_cursor {
  explicit Cursor(StoredAtoms& table) : sqlite3_vtab_cursor(), atoms(table), walk(table.atoms()) {}

  StoredAtoms& atoms;
  AtomWalk walk;
  std::vector<std::uint32_t> words;  // of the key that is looked up
};

Cursor& cursor_of(sqlite3_vtab_cursor* cursor) {
  return *static_cast<Cursor*>(cursor);
}

int connect(sqlite3* database, void* tables, int count, const char* const* words,
            sqlite3_vtab** out, char**) {
  std::size_t number = 0;
  if (count != 4) return SQLITE_ERROR;
  const char* const end = words[3] + std::strlen(words[3]);
  if (std::from_chars(words[3], end, number).ptr != end) return SQLITE_ERROR;
  StoredAtoms& atoms = static_cast<StoredTables*>(tables)->at(number);
  std::string sql = "CREATE TABLE t (id INTEGER, e INTEGER";
  for (std::uint32_t k = 0; k < atoms.arity(); ++k) sql += ", c" + std::to_string(k) + " INTEGER";
  const int status = sqlite3_declare_vtab(database, (sql + ")").c_str());
  if (status != SQLITE_OK) return status;
  auto* const table = new (std::nothrow) Table;
  if (table == nullptr) return SQLITE_NOMEM;
  table->atoms = &atoms;
  *out = table;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

void use(sqlite3_index_info& plan, int constraint, int argument) {
  plan.aConstraintUsage[constraint].argvIndex = argument;
  plan.aConstraintUsage[constraint].omit = 1;
}

// A scan of the ids between two bounds.
void plan_scan(const StoredAtoms& atoms, sqlite3_index_info& plan) {
  int bounds = 0;
  int arguments = 0;
  const auto bound = [&](int bit, int op) {
    for (int i = 0; i < plan.nConstraint; ++i) {
      const auto& constraint = plan.aConstraint[i];
      if (constraint.usable == 0 || constraint.iColumn != kIdColumn || constraint.op != op)
        continue;
      if ((bounds & bit) != 0) continue;
      bounds |= bit;
      use(plan, i, ++arguments);
    }
  };
  bound(kFrom, SQLITE_INDEX_CONSTRAINT_GE);
  bound(kBelow, SQLITE_INDEX_CONSTRAINT_LT);
  plan.idxNum = kScan - bounds;
  plan.estimatedRows = std::max<sqlite3_int64>(atoms.size(), 1);
  plan.estimatedCost = static_cast<double>(plan.estimatedRows);
}

// By an index of all words that are known. The example is none where there is only one.
void plan_lookup(StoredAtoms& atoms, sqlite3_index_info* plan) {
  std::vector<std::uint32_t> columns;
  const auto words = static_cast<int>(atoms.arity()) + 1;
  int arguments = 0;
  for (int word = atoms.has_one_example() ? 1 : 0; word < words; ++word) {
    for (int i = 0; i < plan->nConstraint; ++i) {
      const auto& constraint = plan->aConstraint[i];
      const bool is_known = constraint.usable != 0 && constraint.iColumn == word + kFirstWord &&
                            constraint.op == SQLITE_INDEX_CONSTRAINT_EQ;
      if (!is_known) continue;
      columns.push_back(static_cast<std::uint32_t>(word));
      use(*plan, i, ++arguments);
      break;
    }
  }
  if (columns.empty()) {
    plan_scan(atoms, *plan);
    return;
  }
  if (columns.size() == atoms.arity() + (atoms.has_one_example() ? 0U : 1U)) {
    plan->idxNum = kWholeRow;
    plan->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    plan->estimatedRows = 1;
    plan->estimatedCost = 1;
    return;
  }
  plan->idxNum = static_cast<int>(atoms.index_of(columns));
  plan->estimatedRows = 10;
  plan->estimatedCost = 100.0 / static_cast<double>(columns.size());
}

// No exception goes through SQLite.
template <class Work>
int guard(const Work& work) {
  try {
    work();
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

int best_index(sqlite3_vtab* table, sqlite3_index_info* plan) {
  return guard([&] { plan_lookup(*static_cast<Table*>(table)->atoms, plan); });
}

int open(sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
  auto* const cursor = new (std::nothrow) Cursor(*static_cast<Table*>(table)->atoms);
  if (cursor == nullptr) return SQLITE_NOMEM;
  *out = cursor;
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

void scan(Cursor& cursor, int bounds, sqlite3_value** arguments) {
  std::int64_t begin = 0;
  std::int64_t end = cursor.atoms.size();
  if ((bounds & kFrom) != 0)
    begin = std::max<std::int64_t>(begin, sqlite3_value_int64(*arguments++));
  if ((bounds & kBelow) != 0) end = std::min<std::int64_t>(end, sqlite3_value_int64(*arguments));
  if (begin >= end) return cursor.walk.end();
  cursor.walk.scan(static_cast<AtomIndex>(begin), static_cast<AtomIndex>(end));
}

void look_up(Cursor& cursor, int number, int count, sqlite3_value** arguments) {
  cursor.walk.end();
  cursor.words.clear();
  if (number == kWholeRow && cursor.atoms.has_one_example()) cursor.words.push_back(0);
  for (int i = 0; i < count; ++i) {
    const std::int64_t word = sqlite3_value_int64(arguments[i]);
    if (word < 0 || word > std::numeric_limits<std::uint32_t>::max()) return;
    cursor.words.push_back(static_cast<std::uint32_t>(word));
  }
  if (number != kWholeRow) {
    cursor.walk.look_up(cursor.atoms.index(static_cast<std::size_t>(number)), cursor.words);
    return;
  }
  const AtomIndex atom = cursor.atoms.find(cursor.words);
  if (atom != AtomTable::kNotAnAtom) cursor.walk.scan(atom, atom + 1);
}

int filter(sqlite3_vtab_cursor* base, int number, const char*, int count,
           sqlite3_value** arguments) {
  Cursor& cursor = cursor_of(base);
  if (number >= 0) return guard([&] { look_up(cursor, number, count, arguments); });
  scan(cursor, kScan - number, arguments);
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
  cursor_of(cursor).walk.next();
  return SQLITE_OK;
}

int is_done(sqlite3_vtab_cursor* cursor) {
  return cursor_of(cursor).walk.is_done() ? 1 : 0;
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* context, int column) {
  const AtomWalk& walk = cursor_of(base).walk;
  sqlite3_result_int64(context, column == kIdColumn
                                    ? walk.atom()
                                    : walk.word(static_cast<std::size_t>(column - kFirstWord)));
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = cursor_of(cursor).walk.atom();
  return SQLITE_OK;
}

sqlite3_module make_module() {
  sqlite3_module module{};
  module.xCreate = connect;
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xDestroy = disconnect;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = is_done;
  module.xColumn = column;
  module.xRowid = row_id;
  return module;
}

}  // namespace

int add_atom_module(sqlite3* database, StoredTables& tables) {
  static const sqlite3_module module = make_module();
  return sqlite3_create_module(database, "atoms", &module, &tables);
}

}  // namespace vecc::tools::ground
