// From a graph of a template to launches: arrays and counts; nothing is planned.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/bind/group_match.h"
#include "src/bind/recipes.h"
#include "src/bind/row_launches.h"
#include "src/vectorize/placement.h"

namespace vecc::binding {

/// Binds one list of graphs after another. Takes time linear in their neurons and edges, and keeps
/// its memory from one to the next.
class GraphBinder {
 public:
  /// Both must outlive this. Recipes that are not there yet are added.
  GraphBinder(const TemplateData& data, RecipeBook& book)
      : book_(book), groups_(data), weights_(data, book.dtype()) {}

  /// Replaces `to`: the graphs' samples, one graph after another. Errors: those of GroupMatch and
  /// WeightRows; those of vectorize() of a neuron; LimitRows (more than 2^32 - 1 numbers).
  [[nodiscard]] Result<void> bind(std::span<const NeuronGraph* const> graphs, RowLaunches& to);
  /// The recipes of a graph's neurons, and nothing else.
  [[nodiscard]] Result<void> find_recipes(const NeuronGraph& graph);

 private:
  struct Element {
    std::uint32_t weight = kNone;  ///< row; kNone: it has none
    std::uint32_t input = kNone;
  };
  /// A weight's row, and its shape; 0: there is none.
  struct WeightPlace {
    std::uint32_t row = kNone;
    ShapeId shape = 0;
  };
  /// Where a neuron's value is.
  struct Placed {
    std::uint32_t row = kNone;  ///< in rows of its shape; kNone: it is not placed yet
    ShapeId shape = 0;
    std::uint32_t stage = 0;  ///< of the last launch that it needs
  };
  /// Of the last neuron of a range: the next one is probably alike, if it has one element, or more,
  /// as that has.
  struct Last {
    std::uint32_t recipe = 0;
    bool is_reusable = false;
    std::vector<ClassId> classes;
    RowLaunch* launch = nullptr;  ///< of the recipe's kernel in `stage`, if there was one
    std::uint32_t stage = 0;
  };
  struct LastOfRange {
    const GroupEntry* entry = nullptr;  ///< of the range in the graph before
    std::array<Last, 2> last;           ///< of one element, of more
  };

  enum class Bound : std::uint8_t {
    Placed,
    Waits,  ///< for an input that is not placed yet
    Fails,  ///< errors_ says why
  };

  void begin(RowLaunches& to);
  [[nodiscard]] Result<void> bind_graph(const NeuronGraph& graph);
  [[nodiscard]] Bound bind_in_file_order();
  [[nodiscard]] Bound bind_by_inputs();
  void open(NeuronId n);
  [[nodiscard]] Bound bind_alone(NeuronId n);
  [[nodiscard]] Bound bind_neuron(const NeuronRange& range, const GroupEntry& entry, NeuronId n);
  void bind_facts(const NeuronRange& range, NeuronId first, std::uint32_t count);
  [[nodiscard]] bool collect(const NeuronRange& range, NeuronId n);
  [[nodiscard]] bool find_recipe(const NeuronRange& range, const GroupEntry& entry, NeuronId n,
                                 Last& last);
  [[nodiscard]] bool is_like(const Last& last) const;
  void forget_ranges();
  [[nodiscard]] Bound fail(ErrorCode code, NeuronId n, std::string message);

  [[nodiscard]] WeightPlace place_of(WeightId weight) const {
    if (weight == kNoWeight) return {};
    const WeightPlace table = tables_[graph_->table_of_weight[weight]];
    return {table.row + weight, table.shape};
  }

  void emit(const Recipe& recipe, Last& last, NeuronId n);
  void emit_constant(const Recipe& recipe, NeuronId n);
  void emit_row(const Recipe& recipe, Last& last, NeuronId n);
  void emit_members(const Recipe& recipe, Last& last, NeuronId n);
  void emit_adjacent(const Recipe& recipe, NeuronId n);
  /// What is left to do with a value before its transformation.
  void emit_then(const Recipe& recipe, NeuronId n, std::uint32_t combined, std::uint32_t stage);
  void emit_part(std::uint32_t kernel, const Element& element, std::uint32_t row);
  /// Appends an element's rows; `list` is that of its first access, and then of the next element's.
  static void add_element(RowLaunch& launch, const Element& element, std::size_t& list) {
    if (element.weight != kNone) launch.lists[list++].push_back(element.weight);
    if (element.input != kNone) launch.lists[list++].push_back(element.input);
  }
  void add_words(const Recipe& recipe, RowLaunch& launch) const;
  [[nodiscard]] RowLaunch& launch_of(std::uint32_t stage, std::uint32_t kernel);
  /// That of the last neuron, if it is in the same stage.
  [[nodiscard]] RowLaunch& launch_of(std::uint32_t stage, const Recipe& recipe, Last& last) {
    if (last.launch == nullptr || last.stage != stage) {
      last.launch = &launch_of(stage, recipe.kernel);
      last.stage = stage;
    }
    return *last.launch;
  }
  void place(NeuronId n, std::uint32_t row, ShapeId shape, std::uint32_t stage) {
    placed_[n] = {row, shape, stage};
  }
  /// A new row of a shape; its number, in such rows.
  [[nodiscard]] std::uint32_t new_row(ShapeId shape) { return new_rows(shape, 1); }
  [[nodiscard]] std::uint32_t new_rows(ShapeId shape, std::uint32_t count);
  void reserve_values();
  template <class T>
  void write(std::uint64_t element, std::span<const T> numbers);
  [[nodiscard]] Shape value_shape(NeuronId n) const { return book_.shape(placed_[n].shape); }

  RecipeBook& book_;
  GroupMatch groups_;
  WeightRows weights_;
  // Of the graph at hand.
  const NeuronGraph* graph_ = nullptr;
  RowLaunches* to_ = nullptr;
  bool emits_ = true;
  std::vector<WeightPlace> tables_;  // by weight table: of its row for weight number 0
  std::vector<Placed> placed_;       // by neuron
  // Of the neuron at hand.
  std::vector<Element> elements_;
  std::vector<ClassId> classes_;
  std::uint32_t inputs_stage_ = 0;  // the last one of its inputs
  std::uint32_t begin_ = 0;         // its first one
  std::span<const std::uint32_t> words_;
  Errors errors_;
  std::vector<LastOfRange> last_;  // by range; kept for the next graph, which is probably alike
  // Of bind_by_inputs(): neurons whose inputs are being placed, each with the next one.
  std::vector<std::pair<NeuronId, std::uint64_t>> opened_;
  std::vector<bool> is_open_;
  std::uint32_t range_ = 0;                         // of the last one
  std::vector<std::vector<std::uint32_t>> stages_;  // launches by stage
  std::uint32_t stage_count_ = 0;
  std::uint64_t next_ = 0;  // element of the values that is free
  std::uint32_t size_ = 1;  // of the rows before it, whose next one has number row_
  std::uint64_t row_ = 0;
};

}  // namespace vecc::binding
