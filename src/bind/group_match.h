// A graph's groups, functions and weight tables as those of a template.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/bind/template_data.h"

namespace vecc::binding {

class GroupMatch {
 public:
  /// `data` must outlive this.
  explicit GroupMatch(const TemplateData& data);

  /// Finds the entry of each range. Errors, up to 20: InconsistentGroup for a group, or a function,
  /// kind or shape of it, that the template does not have.
  [[nodiscard]] Result<void> match(const NeuronGraph& graph);
  /// By range of the graph.
  [[nodiscard]] const GroupEntry& entry(std::uint32_t range) const { return *entries_[range]; }

 private:
  [[nodiscard]] bool is_group(const NeuronGroup& group, std::uint32_t known) const;
  [[nodiscard]] std::uint32_t find_group(const NeuronGroup& group);
  [[nodiscard]] const GroupEntry* find(const NeuronRange& range) const;
  void report(const NeuronGraph& graph, const NeuronRange& range, Errors& errors) const;

  const TemplateData& data_;
  std::unordered_map<std::string, std::uint32_t> groups_;
  std::string key_;  // room for the next one
  // Those of the last graph are looked at first.
  std::vector<std::uint32_t> group_of_;     // by group of the graph
  std::vector<std::uint32_t> function_of_;  // by function of the graph
  std::vector<const GroupEntry*> entries_;
};

/// A template's weights as numbers, and where a graph's are among them.
class WeightRows {
 public:
  using Block = std::shared_ptr<const std::vector<std::byte>>;

  /// `data` must outlive this.
  WeightRows(const TemplateData& data, DType dtype);

  /// Finds each table. A graph with the template's vocabularies has its weights as they are; of one
  /// with fewer names, or in another order, they are copied. Errors: WeightsDiffer and those of
  /// load_weights().
  [[nodiscard]] Result<void> match(const NeuronGraph& graph);
  /// By table of the graph: the row of its first weight, in rows of its shape.
  [[nodiscard]] const std::vector<std::uint32_t>& first_rows() const { return maps_[map_].first; }
  /// All weights that were matched so far.
  [[nodiscard]] const Block& block() const { return block_; }
  /// Forgets copies that were made for others than the last graph, where there are many.
  void trim();

 private:
  struct Map {
    std::vector<WeightTable> tables;  ///< of the graph; without learnable values
    std::vector<Vocabulary> vocabularies;
    std::vector<std::uint32_t> first;
  };
  [[nodiscard]] Result<Map> make_map(const NeuronGraph& graph);
  [[nodiscard]] Result<void> add_copies(const NeuronGraph& graph, Map& map);
  /// Appends rows to the block; the first one's number.
  std::uint32_t append(std::vector<std::byte>& block, const SharedNumbers& values,
                       Shape shape) const;

  const TemplateData& data_;
  DType dtype_;
  std::unordered_map<std::string, std::uint32_t> tables_;
  std::vector<std::uint32_t> first_;  // by table of the template
  Block own_;                         // the template's
  Block block_;
  std::vector<Map> maps_;
  std::size_t map_ = 0;
};

}  // namespace vecc::binding
