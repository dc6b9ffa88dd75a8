// The host's memory that a run takes at most: said before it is taken, refused where it is not
// free.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "src/plan/host_memory.h"
#include "src/support/free_memory.h"
#include "vecc/backend.h"
#include "vecc/train_loop.h"

namespace CLI {
class App;
}  // namespace CLI

namespace vecc::tools {

/// --host-memory. `most` must outlive the parse.
void add_host_memory(CLI::App& app, std::uint64_t& most);

/// Bytes that are to be taken beside what is held now, by what they are for.
struct MemoryNeed {
  std::uint64_t values = 0;
  std::uint64_t facts = 0;
  std::uint64_t parameters = 0;  ///< and an optimizer's states
  std::uint64_t arrays = 0;      ///< index arrays
  std::uint64_t outputs = 0;     ///< and what metrics are made of
  std::uint64_t copies = 0;      ///< of parameters and states
  std::uint64_t unwritten = 0;   ///< of the arenas of batches, addresses without memory
  std::uint64_t left = 0;        ///< what is held now and goes
  std::uint64_t starts = 0;      ///< what is held until all is compiled: values to start from
  std::uint64_t files = 0;       ///< of tables in files, in none of the others
  /// Of `facts`, by their groups: copies of the same rows, which are all in memory or in files.
  std::map<std::string, std::uint64_t> of_facts;

  /// What is held at the peak.
  [[nodiscard]] std::uint64_t bytes() const {
    return values + facts + parameters + arrays + outputs + copies;
  }
  /// The same while all is compiled and nothing has run.
  [[nodiscard]] std::uint64_t compiled_bytes() const { return facts + parameters + arrays; }
  /// And what of it there must be room for.
  [[nodiscard]] std::uint64_t to_come() const {
    const std::uint64_t gone = left + starts;
    return std::max(bytes() - std::min(gone, bytes()),
                    compiled_bytes() - std::min(left, compiled_bytes()));
  }
};

/// Of all parameters and states: that a training holds to go back to, and, beside them, one that is
/// being made.
struct WeightCopies {
  std::uint64_t kept = 0;
  std::uint64_t made = 0;
};

/// Of a graph's run or training on the cpu or the cuda backend.
class MemoryStatement {
 public:
  /// `most`: what the process may hold; 0: what is free. `say` gets the statement, one line, where
  /// much is to come.
  MemoryStatement(std::uint64_t most, std::function<void(const std::string&)> say)
      : most_(most), say_(std::move(say)) {}

  /// What is compiled next is a training's step, and `later` what is held beside it: evaluations,
  /// which make outputs, and of the parameters (`copied` bytes) and the states those copies. Error:
  /// OutOfMemory if the evaluations alone are more than there is.
  [[nodiscard]] Result<void> expect(const MemoryNeed& later, const WeightCopies& copies,
                                    std::uint64_t copied);
  /// For ExecutionOptions::check_plan: says the peak. `stays`: a Program that lives on. Where the
  /// process may hold less than that, tables that are read least go to files. Errors: OutOfMemory,
  /// those of find_file_folder().
  [[nodiscard]] Result<void> state(const PlannedProgram& planned, const Program* stays);

  /// Where a training keeps its copies: in files if tables are there, or if that makes room.
  [[nodiscard]] const KeptCopies& kept_copies() const { return kept_copies_; }
  [[nodiscard]] bool is_stated() const { return stated_.resident != 0; }
  /// What was said: the peak of the process from its start to its end. Of batches, and beside a
  /// GPU, no address space (0): threads that bind them have heaps of their own.
  [[nodiscard]] const ProcessMemory& stated() const { return stated_; }
  /// Adds it to the words and numbers of a stage, if there is a statement.
  void describe(std::string& words, nlohmann::ordered_json& numbers) const;

 private:
  [[nodiscard]] HostRoom room() const;
  [[nodiscard]] Result<void> place(const PlannedProgram& planned, std::uint64_t copy);
  /// Raises how many of a step's bytes of values stay between batches.
  void keep_values(std::uint64_t values, std::uint64_t& kept);
  [[nodiscard]] std::string text_of_tables(const PlannedProgram& planned) const;
  /// `tables`: empty, or lines on where each is.
  [[nodiscard]] Result<void> check(const MemoryNeed& need, const std::string& tables) const;
  /// `461 MB at most`
  [[nodiscard]] std::string words() const;

  std::uint64_t most_;
  std::function<void(const std::string&)> say_;
  MemoryNeed later_;
  bool is_step_ = false;
  WeightCopies copies_;
  std::uint64_t copied_ = 0;  // bytes of a copy but for its states
  KeptCopies kept_copies_;
  MemoryNeed need_;
  ProcessMemory now_;
  ProcessMemory stated_;
  std::string device_ = "cpu";
};

/// What an executable of a Plan takes that shares its parameters and its Program's arrays with
/// others.
[[nodiscard]] MemoryNeed need_of_run(const HostMemory& memory);

}  // namespace vecc::tools
