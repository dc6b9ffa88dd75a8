// DuckDB as the engine that grounds: one thread, in memory, with no file of its own.
#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <utility>

#include "tools/duckdb/duckdb_library.h"
#include "tools/ground/special_functions.h"
#include "tools/ground/sql_database.h"
#include "vecc/escape.h"

namespace vecc::tools::ground {
namespace {

constexpr AtomIndex kRowsOfAChunk = 2048;  // STANDARD_VECTOR_SIZE: what a chunk has room for
constexpr std::size_t kMaxArguments = 128;

// Callbacks need the library's calls to reach what they are about; it stays loaded.
duckdb::Library duck{};

Errors failed(const char* message, const std::string& sql) {
  return Errors(ErrorCode::OutOfMemory, "vecc-ground",
                "DuckDB says: " + escape_terminal(message == nullptr ? "" : message, 400) +
                    ", of " + escape_terminal(sql, 400));
}

// A type of the library, which is given back at the end of the scope.
class LogicalType {
 public:
  explicit LogicalType(duckdb::Type type)
      : type_(duck.create_logical_type(static_cast<int>(type))) {}
  LogicalType(const LogicalType&) = delete;
  LogicalType& operator=(const LogicalType&) = delete;
  ~LogicalType() { duck.destroy_logical_type(&type_); }
  [[nodiscard]] void* get() const { return type_; }

 private:
  void* type_;
};

template <class T>
T* data_of(void* vector) {
  return static_cast<T*>(duck.vector_get_data(vector));
}

// The table function atoms(n): id, example and arguments of tables[n].
void bind_atoms(void* info) {
  auto& tables = *static_cast<StoredTables*>(duck.bind_get_extra_info(info));
  void* value = duck.bind_get_parameter(info, 0);
  StoredAtoms& table = tables[static_cast<std::size_t>(duck.get_int64(value))];
  duck.destroy_value(&value);
  const LogicalType type(duckdb::Type::UInteger);
  duck.bind_add_result_column(info, "id", type.get());
  duck.bind_add_result_column(info, "e", type.get());
  for (std::uint32_t k = 0; k < table.arity(); ++k) {
    duck.bind_add_result_column(info, ("c" + std::to_string(k)).c_str(), type.get());
  }
  duck.bind_set_cardinality(info, table.size(), false);
  duck.bind_set_bind_data(info, &table, nullptr);
}

void delete_place(void* place) {
  delete static_cast<AtomIndex*>(place);
}

void begin_atoms(void* info) {
  auto* const place = new (std::nothrow) AtomIndex(0);
  if (place == nullptr) return duck.init_set_error(info, "out of memory");
  duck.init_set_init_data(info, place, delete_place);
}

void read_atoms(void* info, void* chunk) {
  const auto& table = *static_cast<const StoredAtoms*>(duck.function_get_bind_data(info));
  AtomIndex& place = *static_cast<AtomIndex*>(duck.function_get_init_data(info));
  const AtomIndex count = std::min(table.size() - place, kRowsOfAChunk);
  auto* const ids = data_of<std::uint32_t>(duck.data_chunk_get_vector(chunk, 0));
  for (AtomIndex i = 0; i < count; ++i) ids[i] = place + i;
  for (std::uint32_t word = 0; word <= table.arity(); ++word) {
    auto* const words = data_of<std::uint32_t>(duck.data_chunk_get_vector(chunk, word + 1));
    for (AtomIndex i = 0; i < count; ++i) words[i] = table.atoms().row(place + i)[word];
  }
  place += count;
  duck.data_chunk_set_size(chunk, count);
}

void compute_values(void* info, void* chunk, void* out) {
  const auto& bound = *static_cast<const BoundFunction*>(duck.scalar_function_get_extra_info(info));
  const std::uint64_t rows = duck.data_chunk_get_size(chunk);
  const std::uint64_t width =
      std::min(duck.data_chunk_get_column_count(chunk), static_cast<std::uint64_t>(kMaxArguments));
  std::array<const std::int64_t*, kMaxArguments> columns{};
  for (std::uint64_t c = 0; c < width; ++c) {
    columns[c] = data_of<const std::int64_t>(duck.data_chunk_get_vector(chunk, c));
  }
  auto* const values = data_of<std::int64_t>(out);
  std::array<std::int64_t, kMaxArguments> arguments{};
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t c = 0; c < width; ++c) arguments[c] = columns[c][row];
    values[row] = bound.function->compute(*bound.constants, std::span(arguments).first(width));
  }
}

class DuckDbStatement final : public SqlStatement {
 public:
  DuckDbStatement(void* statement, std::string sql) : statement_(statement), sql_(std::move(sql)) {}
  ~DuckDbStatement() override {
    leave();
    duck.destroy_prepare(&statement_);
  }

  void bind(int parameter, std::int64_t value) override {
    duck.bind_int64(statement_, static_cast<std::uint64_t>(parameter), value);
  }

  bool step() override {
    if (state_ == State::Before) execute();
    if (state_ != State::Rows) return false;
    if (++row_ < rows_) return true;
    return fetch();
  }

  [[nodiscard]] std::int64_t column(int index) const override {
    return columns_[static_cast<std::size_t>(index)][row_];
  }

  Result<void> check() override {
    const bool has_failed = state_ == State::Failed;
    Errors errors = failed(has_failed ? duck.result_error(&result_) : nullptr, sql_);
    leave();
    if (has_failed) return errors;
    return {};
  }

 private:
  enum class State : std::uint8_t { Before, Rows, After, Failed };

  // The rows are sorted, so all tables have been read before the first one comes.
  void execute() {
    const bool is_good = duck.execute_prepared_streaming(statement_, &result_) == 0;
    has_result_ = true;
    state_ = is_good ? State::Rows : State::Failed;
    if (!is_good) return;
    columns_.resize(duck.column_count(&result_));
    for (std::uint64_t c = 0; c < columns_.size(); ++c) {
      VECC_CHECK(duck.column_type(&result_, c) == static_cast<int>(duckdb::Type::UInteger), sql_);
    }
  }

  bool fetch() {
    if (chunk_ != nullptr) duck.destroy_data_chunk(&chunk_);
    row_ = 0;
    rows_ = 0;
    chunk_ = duck.fetch_chunk(result_);
    if (chunk_ != nullptr) rows_ = duck.data_chunk_get_size(chunk_);
    if (rows_ == 0) {
      const char* const message = duck.result_error(&result_);
      state_ = message != nullptr && *message != '\0' ? State::Failed : State::After;
      return false;
    }
    for (std::uint64_t c = 0; c < columns_.size(); ++c) {
      columns_[c] = data_of<const std::uint32_t>(duck.data_chunk_get_vector(chunk_, c));
    }
    return true;
  }

  void leave() {
    if (chunk_ != nullptr) duck.destroy_data_chunk(&chunk_);
    if (has_result_) duck.destroy_result(&result_);
    chunk_ = nullptr;
    has_result_ = false;
    result_ = {};
    row_ = rows_ = 0;
    state_ = State::Before;
  }

  void* statement_;
  std::string sql_;
  duckdb::QueryResult result_{};
  void* chunk_ = nullptr;
  std::vector<const std::uint32_t*> columns_;  // of the chunk
  std::uint64_t row_ = 0;
  std::uint64_t rows_ = 0;
  State state_ = State::Before;
  bool has_result_ = false;
};

class DuckDbDatabase final : public SqlDatabase {
 public:
  ~DuckDbDatabase() override {
    if (connection_ != nullptr) duck.disconnect(&connection_);
    if (database_ != nullptr) duck.close(&database_);
  }

  Result<void> open(const ConstantTable& constants, StoredTables& tables) {
    void* config = nullptr;
    char* message = nullptr;
    duck.create_config(&config);
    duck.set_config(config, "threads", "1");
    const bool is_open = duck.open_ext(":memory:", &database_, config, &message) == 0;
    duck.destroy_config(&config);
    Errors errors = failed(message, "open");
    if (message != nullptr) duck.free(message);
    if (!is_open) return errors;
    if (duck.connect(database_, &connection_) != 0) return failed("no connection", "connect");
    if (!add_atoms(tables)) return failed("no table function", "atoms");
    VECC_TRY_VOID(add_functions(constants));
    return run("SET temp_directory = ''; SET enable_external_access = false");
  }

  [[nodiscard]] bool has_threads() const override { return true; }

  Result<void> run(const std::string& sql) override {
    if (sql.empty()) return {};
    duckdb::QueryResult result{};
    const bool is_good = duck.query(connection_, sql.c_str(), &result) == 0;
    Errors errors = failed(is_good ? nullptr : duck.result_error(&result), sql);
    duck.destroy_result(&result);
    if (!is_good) return errors;
    return {};
  }

  std::unique_ptr<SqlStatement> prepare(const std::string& sql) override {
    void* statement = nullptr;
    const bool is_good = duck.prepare(connection_, sql.c_str(), &statement) == 0;
    const char* const message = is_good ? nullptr : duck.prepare_error(statement);
    VECC_CHECK(is_good, std::string(message == nullptr ? "" : message) + ", of " + sql);
    return std::make_unique<DuckDbStatement>(statement, sql);
  }

 private:
  bool add_atoms(StoredTables& tables) {
    void* function = duck.create_table_function();
    const LogicalType number(duckdb::Type::BigInt);
    duck.table_function_set_name(function, "atoms");
    duck.table_function_add_parameter(function, number.get());
    duck.table_function_set_extra_info(function, &tables, nullptr);
    duck.table_function_set_bind(function, bind_atoms);
    duck.table_function_set_init(function, begin_atoms);
    duck.table_function_set_function(function, read_atoms);
    const bool is_added = duck.register_table_function(connection_, function) == 0;
    duck.destroy_table_function(&function);
    return is_added;
  }

  Result<void> add_functions(const ConstantTable& constants) {
    const LogicalType number(duckdb::Type::BigInt);
    functions_.reserve(special_functions().size());
    for (const SpecialFunction& special : special_functions()) {
      functions_.push_back({&special, &constants});
      void* function = duck.create_scalar_function();
      duck.scalar_function_set_name(function, special.name);
      for (int i = 0; i < special.arguments; ++i) {
        duck.scalar_function_add_parameter(function, number.get());
      }
      if (special.arguments == kAnyNumber) duck.scalar_function_set_varargs(function, number.get());
      duck.scalar_function_set_return_type(function, number.get());
      duck.scalar_function_set_extra_info(function, &functions_.back(), nullptr);
      duck.scalar_function_set_function(function, compute_values);
      const bool is_added = duck.register_scalar_function(connection_, function) == 0;
      duck.destroy_scalar_function(&function);
      if (!is_added) return failed("no scalar function", special.name);
    }
    return {};
  }

  void* database_ = nullptr;
  void* connection_ = nullptr;
  std::vector<BoundFunction> functions_;  // stay where they are: DuckDB points to them
};

}  // namespace

Result<std::unique_ptr<SqlDatabase>> open_duckdb(const ConstantTable& constants,
                                                 StoredTables& tables) {
  VECC_TRY(duck,
           duckdb::load_library("vecc-ground", "--engine=duckdb grounds with DuckDB's library",
                                "leave --engine out: SQLite is built in"));
  auto database = std::make_unique<DuckDbDatabase>();
  VECC_TRY_VOID(database->open(constants, tables));
  return std::unique_ptr<SqlDatabase>(std::move(database));
}

}  // namespace vecc::tools::ground
