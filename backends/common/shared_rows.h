// What an executable's parameters and states are kept in, for every backend: blocks of rows found
// by name, which several executables may have in common.
#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vecc/backend.h"
#include "vecc/escape.h"

namespace vecc {

enum class StoredKind : std::uint8_t { Parameter, State };

/// A block that is to be made.
struct StoredRequest {
  StoredKind kind = StoredKind::Parameter;
  std::uint32_t source = 0;  ///< the number of the parameter, the value of the state
  std::uint32_t rows = 0;
  Shape shape;
  SharedNumbers values;  ///< none: `initial` everywhere
  double initial = 0;

  [[nodiscard]] std::uint64_t elements() const { return rows * shape.size(); }
};

/// Block: a backend's rows * size numbers; a copy is the same memory.
template <class Block>
struct StoredBlock {
  std::uint32_t rows = 0;
  Shape shape;
  Block block;
};

template <class Block>
class SharedRows final : public Storage {
 public:
  /// Until the next add().
  [[nodiscard]] const StoredBlock<Block>* find(StoredKind kind, const std::string& name) const {
    const auto found = map_of(kind).find(name);
    return found == map_of(kind).end() ? nullptr : &found->second;
  }
  void add(StoredKind kind, const std::string& name, StoredBlock<Block> block) {
    (kind == StoredKind::Parameter ? parameters_ : states_).emplace(name, std::move(block));
  }
  /// Null if there is none; until the next add().
  [[nodiscard]] const Block* any_block() const {
    for (const Map* map : {&parameters_, &states_}) {
      if (!map->empty()) return &map->begin()->second.block;
    }
    return nullptr;
  }
  /// How often a row was changed: what was computed before is of other values.
  std::uint64_t changes = 0;
  /// Names of tables, facts too, that executables of this storage have put in files: what others
  /// make of them is there, too.
  std::set<std::string> in_files;

 private:
  using Map = boost::unordered_flat_map<std::string, StoredBlock<Block>>;
  [[nodiscard]] const Map& map_of(StoredKind kind) const {
    return kind == StoredKind::Parameter ? parameters_ : states_;
  }
  Map parameters_;
  Map states_;
};

[[nodiscard]] inline bool is_own(const ExecutionOptions& options, ParameterIndex parameter) {
  return std::ranges::find(options.own_parameters, parameter) != options.own_parameters.end();
}

/// The shared rows, or new ones; null if the storage is another backend's.
template <class Block>
[[nodiscard]] std::shared_ptr<SharedRows<Block>> shared_rows(const ExecutionOptions& options) {
  if (!options.storage) return std::make_shared<SharedRows<Block>>();
  return std::dynamic_pointer_cast<SharedRows<Block>>(options.storage);
}

/// Errors of a compile(): Usage (another backend's storage, a value to keep that is not there),
/// ShapeMismatch for every parameter and state of other rows or
/// shape than what is shared, MissingValues for every parameter that is to be made without values.
template <class Block>
void check_stored(const Program& program, const ExecutionOptions& options,
                  const std::string& backend, Errors& errors) {
  const auto shared = shared_rows<Block>(options);
  if (!shared) {
    return errors.add(ErrorCode::Usage, backend, "the storage is of another backend");
  }
  for (const ValueId id : options.kept) {
    if (id < program.ops().size()) continue;
    errors.add(ErrorCode::Usage, backend, "no %" + std::to_string(id) + " to keep");
  }
  const auto check = [&](StoredKind kind, const std::string& name, std::uint32_t rows, Shape shape,
                         const StoredBlock<Block>& found) {
    if (found.rows == rows && found.shape == shape) return;
    errors.add(ErrorCode::ShapeMismatch, backend,
               std::string(kind == StoredKind::Parameter ? "parameter" : "state") + " \"" +
                   escape_terminal(name) + "\" is [" + std::to_string(rows) + ", " + shape.text() +
                   "], but [" + std::to_string(found.rows) + ", " + found.shape.text() +
                   "] in the storage");
  };
  for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
    const Parameter& parameter = program.parameters()[p];
    const auto* found =
        is_own(options, p) ? nullptr : shared->find(StoredKind::Parameter, parameter.name);
    if (found != nullptr) {
      check(StoredKind::Parameter, parameter.name, parameter.rows, parameter.shape, *found);
    } else if (!parameter.values) {
      errors.add(ErrorCode::MissingValues, backend,
                 "parameter \"" + escape_terminal(parameter.name) + "\" has no values");
    }
  }
  for (const Op& op : program.ops()) {
    const auto* state = std::get_if<StateOp>(&op.attributes);
    const auto* found = state ? shared->find(StoredKind::State, state->name) : nullptr;
    if (found != nullptr) check(StoredKind::State, state->name, op.rows, op.shape, *found);
  }
}

/// Of states by value: few ops of millions are one.
template <class Block>
using StateBlocks = boost::unordered_flat_map<ValueId, Block>;

/// The parameters and states of one executable.
template <class Block>
class StoredRows {
 public:
  /// check_stored() has passed. `make(StoredRequest)` makes a block.
  template <class Make>
  void bind(const Program& program, const ExecutionOptions& options, Make&& make) {
    shared_ = shared_rows<Block>(options);
    for (ParameterIndex p = 0; p < program.parameters().size(); ++p) {
      const Parameter& parameter = program.parameters()[p];
      const auto made = [&] {
        made_elements_ += parameter.rows * parameter.shape.size();
        return make(StoredRequest{StoredKind::Parameter, p, parameter.rows, parameter.shape,
                                  parameter.values, 0});
      };
      own_.push_back(is_own(options, p));
      parameters_.push_back(own_[p] ? made()
                                    : found(StoredKind::Parameter, parameter.name, parameter.rows,
                                            parameter.shape, made));
    }
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      const Op& op = program.op(id);
      const auto* state = std::get_if<StateOp>(&op.attributes);
      if (state == nullptr) continue;
      const auto made = [&] {
        made_elements_ += op.size();
        return make(
            StoredRequest{StoredKind::State, id, op.rows, op.shape, nullptr, state->initial});
      };
      states_.emplace(id, found(StoredKind::State, state->name, op.rows, op.shape, made));
    }
  }

  [[nodiscard]] Block& parameter(ParameterIndex parameter) { return parameters_[parameter]; }
  [[nodiscard]] const std::vector<Block>& parameters() const { return parameters_; }
  [[nodiscard]] Block& state(ValueId state) { return states_.at(state); }
  [[nodiscard]] const StateBlocks<Block>& states() const { return states_; }
  /// What an `update` writes.
  [[nodiscard]] Block& target(const Program& program, ValueId target) {
    const auto* weight = std::get_if<WeightOp>(&program.op(target).attributes);
    return weight != nullptr ? parameters_[weight->parameter] : state(target);
  }

  [[nodiscard]] const std::shared_ptr<SharedRows<Block>>& shared() const { return shared_; }
  /// Numbers in the blocks that were not there before.
  [[nodiscard]] std::uint64_t made_elements() const { return made_elements_; }
  /// A state was changed, or a parameter, which may be this executable's own.
  void note_change() { ++shared_->changes; }
  void note_change(ParameterIndex parameter) {
    ++(own_[parameter] ? own_changes_ : shared_->changes);
  }
  /// Of what this executable reads.
  [[nodiscard]] std::uint64_t changes() const { return shared_->changes + own_changes_; }

 private:
  template <class Made>
  Block found(StoredKind kind, const std::string& name, std::uint32_t rows, Shape shape,
              Made&& made) {
    if (const auto* there = shared_->find(kind, name)) return there->block;
    Block block = made();
    shared_->add(kind, name, {rows, shape, block});
    return block;
  }

  std::shared_ptr<SharedRows<Block>> shared_;
  std::vector<Block> parameters_;
  std::vector<bool> own_;  // by parameter
  StateBlocks<Block> states_;
  std::uint64_t made_elements_ = 0;
  std::uint64_t own_changes_ = 0;
};

[[nodiscard]] inline std::string describe_parameter(std::string_view name) {
  return "parameter \"" + escape_terminal(name) + "\"";
}

[[nodiscard]] inline std::string describe_state(std::string_view name) {
  return "state \"" + escape_terminal(name) + "\"";
}

[[nodiscard]] inline Errors no_such_state(std::string_view name, std::string_view backend) {
  return Errors(ErrorCode::Usage, std::string(backend),
                "no " + describe_state(name) + " in the program");
}

/// The `state` op of a name. Error: Usage.
[[nodiscard]] inline Result<ValueId> find_state(const Program& program, std::string_view name,
                                                std::string_view backend) {
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    const auto* state = std::get_if<StateOp>(&program.op(id).attributes);
    if (state != nullptr && state->name == name) return id;
  }
  return no_such_state(name, backend);
}

/// Usage, if there are not as many values as expected. `what`: `parameter "w"`.
[[nodiscard]] inline Result<void> check_value_count(const std::string& what, std::uint64_t found,
                                                    std::uint64_t expected) {
  if (found == expected) return {};
  return Errors(ErrorCode::Usage, what,
                std::to_string(found) + " values, expected " + std::to_string(expected));
}

}  // namespace vecc
