// An encoder below a score while it is trained: its tables, and what runs its Program forward and
// backward.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/kg/encoder/encoder_program.h"
#include "src/kg/train/edge_mask.h"
#include "src/kg/train/learned_rows.h"
#include "src/kg/train/triple_trainer.h"
#include "src/support/thread_team.h"
#include "vecc/backend.h"

namespace vecc::kg {

template <class T>
class GraphEncoder {
 public:
  struct Table {
    std::string name;
    LearnedRows<T> rows;
  };

  /// Its edges are the triples'. `width`: numbers of an entity that the score reads. Options are
  /// checked. Errors: those of optimize() and of Backend::compile(); BackendAbsent, DeviceAbsent.
  [[nodiscard]] static Result<std::unique_ptr<GraphEncoder>> make(
      std::span<const Triple> triples, std::uint32_t entities, std::uint32_t relations,
      std::uint32_t width, const TripleTrainOptions& options);

  /// The rows of all entities [entities, width], by the tables of now and all edges, or those that
  /// the step of a batch keeps. Errors: a device's.
  [[nodiscard]] Result<void> encode(std::span<T> entities);
  [[nodiscard]] Result<void> encode(const TrainingBatch& batch, const BatchMaker& maker,
                                    std::span<T> entities);
  /// From the derivatives by those rows, as the last encode() made them, the derivatives by tables;
  /// then moves all rows of all tables. Errors: a device's.
  [[nodiscard]] Result<void> step(std::span<const double> by_entities, const RowStep& step,
                                  ThreadTeam& team);

  [[nodiscard]] const std::vector<Table>& tables() const { return tables_; }
  /// Tables of the same names and sizes, with their states.
  [[nodiscard]] Result<void> set_tables(std::vector<Table> tables);
  /// Of tables, states and the Program.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  // What steps that leave edges out need.
  struct Masked {
    MessageGraph graph;
    EncoderKind kind;
    EdgeMask mask;
    ParameterIndex values;
  };
  [[nodiscard]] Result<void> push(std::size_t table);
  [[nodiscard]] Result<void> set_edges(std::span<const std::uint8_t> keeps);
  [[nodiscard]] Result<void> run(std::span<T> entities);

  std::vector<Table> tables_;
  std::vector<ParameterIndex> parameters_;  ///< by table
  std::unique_ptr<Executable> executable_;
  std::optional<Masked> masked_;
};

}  // namespace vecc::kg
