#include "src/kg/cuda/rank_formula.h"

#include <algorithm>
#include <utility>

#include "src/kg/score_formula/part_kernels.h"
#include "src/kg/score_formula/part_stages.h"

namespace vecc::kg {
namespace {

// Of all stages but the last.
std::uint64_t numbers_between(const PartStages& part) {
  std::uint64_t numbers = 0;
  for (std::size_t s = 0; s + 1 < part.stages.size(); ++s) numbers += part.stages[s]->shape.size();
  return numbers;
}

class RankFormulaMaker {
 public:
  RankFormulaMaker(const RankModel& model, const RankTables& tables, const device::RankArguments& a,
                   std::uint64_t queries, std::uint64_t entities, const Target& target,
                   const std::function<std::uint64_t(std::uint64_t)>& hold)
      : model_(model),
        tables_(tables),
        a_(a),
        queries_(queries),
        entities_(entities),
        target_(target) {
    const RankStages numbers = rank_stages(*model.score);
    // Both sides' kernels have it in turn.
    query_space_ = hold(queries * numbers.query * model.number_bytes());
    answer_space_ = hold(entities * numbers.answer * model.number_bytes());
  }

  Result<RankFormula> make() {
    RankFormula formula;
    for (const bool asks_tail : {false, true}) {
      RankFormulaSide& side = formula[asks_tail ? 1 : 0];
      const SplitScore& split = model_.score->sides[asks_tail ? 1 : 0];
      VECC_TRY_VOID(add_part(split.query, /*of_query=*/true, side.queries));
      if (!model_.makes_answers()) continue;
      VECC_TRY_VOID(add_part(split.answer, /*of_query=*/false, side.answers));
      if (model_.is_pairwise()) VECC_TRY_VOID(add_pairs(split, side.pairs));
    }
    return formula;
  }

 private:
  [[nodiscard]] const std::vector<ScoreParameter>& parameters() const {
    return model_.score->formula.parameters;
  }
  [[nodiscard]] std::uint64_t range(std::uint32_t number) const {
    return a_.ranges + 2 * number * sizeof(std::uint32_t);
  }
  [[nodiscard]] ArrayPlace place_of(const ScoreParameter& parameter, bool of_query) const {
    const auto at = [&](std::uint64_t table, std::uint64_t rows) {
      return table + parameter.begin * rows * model_.number_bytes();
    };
    switch (parameter.owner) {
      case ParameterOwner::Shared: return {at(tables_.shared, 1)};
      case ParameterOwner::Relation:
        return {at(tables_.relations, model_.relations), a_.slot_relations};
      case ParameterOwner::Entity: break;
    }
    return {at(tables_.entities, model_.entities), of_query ? a_.slots : a_.slot_entities};
  }

  Result<void> add_part(const TermPtr& part, bool of_query, std::vector<FormulaUnit>& units) {
    const auto count = static_cast<std::uint32_t>(parameters().size());
    const PartStages stages = stages_of(part, count);
    const std::uint64_t rows = of_query ? queries_ : entities_;
    std::vector<PartInput> inputs;
    ArrayPlaces arrays;
    for (std::uint32_t p = 0; p < count; ++p) {
      const bool is_shared = parameters()[p].owner == ParameterOwner::Shared;
      const RowMap map = is_shared ? RowMap::One : RowMap::List;
      inputs.push_back({shared_array(p), parameters()[p].shape, map, ScoreArray::Made, false});
      arrays[shared_array(p)] = place_of(parameters()[p], of_query);
    }
    std::vector<std::uint64_t> values;
    std::uint64_t next = of_query ? query_space_ : answer_space_;
    for (const TermPtr& stage : stages.stages) {
      values.push_back(next);
      next += rows * stage->shape.size() * model_.number_bytes();
    }
    values.back() = of_query ? a_.rows : a_.answer_rows;
    for (const StageRead& read : stages.reads) {
      const ScoreArray array = shared_array(inputs.size());
      inputs.push_back({array, read.shape, RowMap::Direct, ScoreArray::Made, false});
      arrays[array] = {values[read.stage]};
    }
    for (std::size_t s = 0; s < stages.stages.size(); ++s) {
      arrays[ScoreArray::Made] = {values[s]};
      const PartBuilder builder(inputs, stages.stages[s], model_.dtype);
      VECC_TRY(units.emplace_back(),
               make_formula_unit(builder.make(), arrays, {0, range(of_query ? 0 : 1), rows, 0},
                                 model_.dtype, target_));
    }
    return {};
  }

  Result<void> add_pairs(const SplitScore& split, std::vector<FormulaUnit>& units) {
    const std::uint64_t spans =
        queries_ * ((entities_ + device::kRankSpan - 1) / device::kRankSpan);
    const RowPlaces places{a_.spans, range(2), spans,
                           std::min<std::uint64_t>(entities_, device::kRankSpan)};
    const ArrayPlaces arrays{{ScoreArray::Query, {a_.rows}},
                             {ScoreArray::Answer, {a_.answer_rows}},
                             {ScoreArray::Score, {a_.scores}}};
    VECC_TRY(units.emplace_back(), make_formula_unit(make_pair_kernels(split, model_.dtype).score,
                                                     arrays, places, model_.dtype, target_));
    return {};
  }

  const RankModel& model_;
  const RankTables& tables_;
  const device::RankArguments& a_;
  std::uint64_t queries_;
  std::uint64_t entities_;
  const Target& target_;
  std::uint64_t query_space_ = 0;
  std::uint64_t answer_space_ = 0;
};

}  // namespace

RankStages rank_stages(const DeviceScore& score) {
  const auto count = static_cast<std::uint32_t>(score.formula.parameters.size());
  RankStages numbers;
  for (const SplitScore& side : score.sides) {
    numbers.query = std::max(numbers.query, numbers_between(stages_of(side.query, count)));
    if (!score.makes_answers) continue;
    numbers.answer = std::max(numbers.answer, numbers_between(stages_of(side.answer, count)));
  }
  return numbers;
}

Result<RankFormula> make_rank_formula(const RankModel& model, const RankTables& tables,
                                      const device::RankArguments& a, std::uint64_t queries,
                                      std::uint64_t entities, const Target& target,
                                      const std::function<std::uint64_t(std::uint64_t)>& hold) {
  return RankFormulaMaker(model, tables, a, queries, entities, target, hold).make();
}

}  // namespace vecc::kg
