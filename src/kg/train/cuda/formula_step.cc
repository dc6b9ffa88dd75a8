#include "src/kg/train/cuda/formula_step.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "src/kernel/schedule/outer_products.h"
#include "src/kg/cuda/formula_unit.h"
#include "src/kg/score_formula/part_kernels.h"
#include "src/kg/score_formula/part_stages.h"

namespace vecc::kg {
namespace {

using device::RangeNumber;

// What q or e is made of.
enum class PartRole : std::uint8_t { Query, Answer, Negative };

// One part of a question in stages, with what they read and make.
struct StagedPart {
  PartRole role = PartRole::Query;
  bool asks_tail = false;
  PartStages stages;
  std::vector<std::uint64_t> values;       // by stage
  std::vector<std::uint64_t> derivatives;  // by stage
  std::vector<bool> has_derivative;        // by stage, of those that were written
};

class FormulaStepMaker {
 public:
  FormulaStepMaker(const DeviceScore& score, const StepKinds& kinds, const StepSizes& sizes,
                   const Target& target, const device::Arguments& a, const HoldMemory& hold)
      : score_(score), kinds_(kinds), sizes_(sizes), target_(target), a_(a), hold_(hold) {}

  Result<FormulaStep> make() {
    for (const bool asks_tail : {true, false}) {
      const auto other = asks_tail ? device::Sides::Head : device::Sides::Tail;
      if (kinds_.sides == other) continue;
      VECC_TRY_VOID(add_part(asks_tail, PartRole::Query));
      if (kinds_.makes_answers) {
        VECC_TRY_VOID(add_part(asks_tail, PartRole::Answer));
        VECC_TRY_VOID(add_part(asks_tail, PartRole::Negative));
      }
      if (kinds_.is_pairwise) VECC_TRY_VOID(add_pairs(asks_tail));
    }
    return std::move(step_);
  }

 private:
  [[nodiscard]] std::uint64_t number_bytes() const { return byte_size(kinds_.dtype); }
  [[nodiscard]] std::uint64_t at(std::uint64_t array, std::uint64_t number) const {
    return array + number * number_bytes();
  }
  [[nodiscard]] static std::uint64_t list_at(std::uint64_t list, std::uint64_t place) {
    return list + place * sizeof(std::uint32_t);
  }
  // Rows of the role's arrays.
  [[nodiscard]] std::uint64_t rows_of(PartRole role) const {
    return role == PartRole::Negative ? sizes_.drawn() : sizes_.queries;
  }
  [[nodiscard]] static RangeNumber range_of(PartRole role, bool asks_tail) {
    if (role == PartRole::Negative) {
      return asks_tail ? device::kTailNegatives : device::kHeadNegatives;
    }
    return asks_tail ? device::kTailQueries : device::kHeadQueries;
  }
  // Rows of one side at most.
  [[nodiscard]] std::uint64_t most_of(PartRole role) const {
    const std::uint64_t queries = std::min(sizes_.queries, sizes_.batch_size);
    if (role != PartRole::Negative) return queries;
    return (queries + sizes_.chunk - 1) / sizes_.chunk * sizes_.negatives;
  }
  [[nodiscard]] RowPlaces rows_places(PartRole role, bool asks_tail) const {
    const std::uint64_t range = list_at(a_.ranges, 2 * range_of(role, asks_tail));
    return {0, range, most_of(role), 0};
  }

  // Inputs of a part: the formula's parameters, then stages; behind as many arrays the derivatives.
  [[nodiscard]] std::uint32_t parameter_count() const {
    return static_cast<std::uint32_t>(score_.formula.parameters.size());
  }
  [[nodiscard]] std::uint32_t input_count(const StagedPart& part) const {
    return parameter_count() + static_cast<std::uint32_t>(part.stages.reads.size());
  }
  [[nodiscard]] ArrayPlace parameter(std::uint32_t p, PartRole role) const {
    const ScoreParameter& of = score_.formula.parameters[p];
    if (of.owner == ParameterOwner::Shared) return {at(a_.shared, of.begin)};
    if (of.owner == ParameterOwner::Relation) {
      if (!kinds_.drops_relations) {
        return {at(a_.relations, of.begin * sizes_.relations), a_.relation_rows};
      }
      return {at(a_.dropped_relations, of.begin * sizes_.queries), a_.relation_rows};
    }
    const std::uint64_t slot = role == PartRole::Query    ? 0
                               : role == PartRole::Answer ? sizes_.queries
                                                          : 2 * sizes_.queries;
    const std::uint64_t list = list_at(a_.slot_rows, slot);
    if (!kinds_.drops_entities) return {at(a_.entities, of.begin * sizes_.entities), list};
    return {at(a_.dropped, of.begin * sizes_.parts()), list};
  }
  [[nodiscard]] std::uint64_t by_parameter(std::uint32_t p, PartRole role) const {
    const ScoreParameter& of = score_.formula.parameters[p];
    const std::uint64_t array = of.owner == ParameterOwner::Relation ? a_.by_relation
                                : role == PartRole::Query            ? a_.by_anchor
                                : role == PartRole::Answer           ? a_.by_answer_rows
                                                                     : a_.by_negative_rows;
    return at(array, of.begin * rows_of(role));
  }
  [[nodiscard]] ArrayPlaces operands_of(const StagedPart& part) const {
    ArrayPlaces operands;
    const std::uint32_t inputs = input_count(part);
    for (std::uint32_t p = 0; p < parameter_count(); ++p) {
      operands[shared_array(p)] = parameter(p, part.role);
      operands[shared_array(inputs + p)] = {by_parameter(p, part.role)};
    }
    for (std::uint32_t i = 0; i < part.stages.reads.size(); ++i) {
      const std::uint32_t stage = part.stages.reads[i].stage;
      operands[shared_array(parameter_count() + i)] = {part.values[stage]};
      operands[shared_array(inputs + parameter_count() + i)] = {part.derivatives[stage]};
    }
    return operands;
  }
  // `adds`: by input, whether its derivative has been written.
  [[nodiscard]] PartBuilder builder(const StagedPart& part, std::size_t stage,
                                    const std::vector<bool>& adds) const {
    std::vector<PartInput> inputs;
    const std::uint32_t count = input_count(part);
    for (std::uint32_t p = 0; p < parameter_count(); ++p) {
      const ScoreParameter& of = score_.formula.parameters[p];
      const RowMap map = of.owner == ParameterOwner::Shared ? RowMap::One : RowMap::List;
      inputs.push_back({shared_array(p), of.shape, map, shared_array(count + p), adds[p]});
    }
    for (const StageRead& read : part.stages.reads) {
      const auto i = static_cast<std::uint32_t>(inputs.size());
      inputs.push_back(
          {shared_array(i), read.shape, RowMap::Direct, shared_array(count + i), adds[i]});
    }
    return {std::move(inputs), part.stages.stages[stage], kinds_.dtype};
  }

  Result<void> add_part(bool asks_tail, PartRole role) {
    const SplitScore& split = score_.sides[asks_tail ? 1 : 0];
    StagedPart part{role, asks_tail, {}, {}, {}, {}};
    part.stages =
        stages_of(role == PartRole::Query ? split.query : split.answer, parameter_count());
    const std::size_t last = part.stages.stages.size() - 1;
    for (std::size_t s = 0; s < last; ++s) {
      const std::uint64_t size = part.stages.stages[s]->shape.size();
      // Sides have rows of their own in one array.
      std::array<std::uint64_t, 2>& memory = stage_memory_[{role, s, size}];
      for (std::uint64_t& array : memory) {
        if (array == 0) array = hold_(rows_of(role) * size, number_bytes());
      }
      part.values.push_back(memory[0]);
      part.derivatives.push_back(memory[1]);
    }
    part.values.push_back(role == PartRole::Query    ? a_.queries
                          : role == PartRole::Answer ? a_.answers
                                                     : a_.vectors);
    part.derivatives.push_back(role == PartRole::Query    ? a_.by_query
                               : role == PartRole::Answer ? a_.by_answer
                                                          : a_.by_negative);
    VECC_TRY_VOID(add_makes(part));
    return add_pulls(part);
  }

  Result<void> add_makes(const StagedPart& part) {
    const std::vector<bool> adds(input_count(part), false);
    for (std::size_t s = 0; s < part.stages.stages.size(); ++s) {
      ArrayPlaces operands = operands_of(part);
      operands[ScoreArray::Made] = {part.values[s]};
      VECC_TRY_VOID(add(FormulaPhase::Make, "make", builder(part, s, adds).make(), operands,
                        rows_places(part.role, part.asks_tail), s > 0));
    }
    return {};
  }

  // From the last stage to the first: what a later one has written is added to.
  Result<void> add_pulls(StagedPart& part) {
    const std::size_t count = part.stages.stages.size();
    std::vector<bool> written(input_count(part), false);
    part.has_derivative.assign(count, false);
    part.has_derivative.back() = true;
    for (std::size_t s = count; s-- > 0;) {
      if (!part.has_derivative[s]) continue;
      const PartBuilder build = builder(part, s, written);
      ArrayPlaces operands = operands_of(part);
      operands[ScoreArray::Gradient] = {part.derivatives[s]};
      const bool waits = s + 1 < count;
      VECC_TRY_VOID(add_sums(part, build, operands, waits));
      const std::size_t first = step_.launches.size();
      VECC_TRY(const std::vector<bool> apart, add_outer_products(part, build, operands, written));
      ScoreKernel pull = build.pull(apart);
      for (std::size_t i = 0; i < written.size(); ++i) {
        const ScoreArray made = shared_array(written.size() + i);
        written[i] = written[i] || apart[i] || std::ranges::count(pull.arrays, made) > 0;
        if (written[i] && i >= parameter_count()) {
          part.has_derivative[part.stages.reads[i - parameter_count()].stage] = true;
        }
      }
      if (!pull.empty()) {
        VECC_TRY_VOID(add(FormulaPhase::Pull, "pull", std::move(pull), operands,
                          rows_places(part.role, part.asks_tail), false));
      }
      for (std::size_t l = first; waits && l < step_.launches.size(); ++l) {
        step_.launches[l].after = last_pulls_;
      }
      if (first < step_.launches.size()) last_pulls_.clear();
      for (std::size_t l = first; l < step_.launches.size(); ++l) {
        last_pulls_.push_back(static_cast<std::uint32_t>(l));
      }
    }
    for (std::uint32_t p = 0; p < parameter_count(); ++p) {
      const ParameterOwner owner = score_.formula.parameters[p].owner;
      const bool is_read = owner == ParameterOwner::Entity ||
                           (owner == ParameterOwner::Relation && part.role == PartRole::Query);
      step_.clears = step_.clears || (is_read && !written[p]);
    }
    return {};
  }

  // Derivatives by matrices of a row that are products of two vectors: sums of one member, for
  // which there are tiles. Returns by which inputs.
  Result<std::vector<bool>> add_outer_products(const StagedPart& part, const PartBuilder& build,
                                               ArrayPlaces& operands,
                                               const std::vector<bool>& written) {
    std::vector<bool> apart(written.size(), false);
    const RowPlaces of_rows = rows_places(part.role, part.asks_tail);
    const RowPlaces places{a_.row_spans, of_rows.range, of_rows.most, 1};
    for (std::uint32_t i = 0; i < apart.size(); ++i) {
      const bool is_shared =
          i < parameter_count() && score_.formula.parameters[i].owner == ParameterOwner::Shared;
      if (is_shared || written[i]) continue;
      ScoreKernel made = build.pull_sum(i);
      if (made.empty() || !outer_product_sum(made.kernel, made.kernel.phases.front())) continue;
      operands[ScoreArray::Made] = operands.at(shared_array(apart.size() + i));
      VECC_TRY_VOID(add(FormulaPhase::Pull, "products", std::move(made), operands, places, false));
      apart[i] = true;
    }
    return apart;
  }

  // Derivatives by shared parameters, summed over rows.
  Result<void> add_sums(const StagedPart& part, const PartBuilder& build, ArrayPlaces& operands,
                        bool waits) {
    for (std::uint32_t p = 0; p < parameter_count(); ++p) {
      const ScoreParameter& of = score_.formula.parameters[p];
      if (of.owner != ParameterOwner::Shared) continue;
      ScoreKernel sum = build.pull_sum(p);
      if (sum.empty()) continue;
      const std::uint64_t size = of.shape.size();
      constexpr std::uint64_t kMostSummed = 1 << 16;  // numbers of what parts of rows sum up
      const std::uint32_t sums = size <= kMostSummed ? device::kSharedSums : 1;
      const std::uint64_t partial = hold_(sums * size, number_bytes());
      step_.shared_parts.push_back({partial, of.begin, static_cast<std::uint32_t>(size), sums, 0});
      const std::uint64_t first =
          std::uint64_t{range_of(part.role, part.asks_tail)} * device::kSumSpans +
          (sums == 1 ? device::kSharedSums : 0);
      const std::uint64_t rows = most_of(part.role);
      const RowPlaces places{a_.sum_spans + first * sizeof(device::RowSpan),
                             list_at(a_.sum_ranges, sums == 1 ? 2 : 0), sums,
                             (rows + sums - 1) / sums};
      operands[ScoreArray::Made] = {partial};
      VECC_TRY_VOID(add(FormulaPhase::Pull, "sum", std::move(sum), operands, places, waits));
    }
    return {};
  }

  // Scores of pairs, and from the derivatives by them those by q and e.
  Result<void> add_pairs(bool asks_tail) {
    const PairKernels kernels = make_pair_kernels(score_.sides[asks_tail ? 1 : 0], kinds_.dtype);
    const auto places = [&](PartRole role, std::uint64_t spans, std::uint64_t members) {
      RowPlaces of = rows_places(role, asks_tail);
      of.spans = spans;
      of.members = members;
      return of;
    };
    const RowPlaces of_queries = places(PartRole::Query, a_.query_spans, sizes_.negatives);
    const RowPlaces of_answers = places(PartRole::Query, a_.row_spans, 1);
    const RowPlaces of_negatives = places(PartRole::Negative, a_.negative_spans, sizes_.chunk);
    const auto operands = [&](std::uint64_t answers, std::uint64_t scores, std::uint64_t made) {
      return ArrayPlaces{{ScoreArray::Query, {a_.queries}},
                         {ScoreArray::Answer, {answers}},
                         {ScoreArray::Score, {scores}},
                         {ScoreArray::Made, {made}}};
    };
    using Phase = FormulaPhase;
    VECC_TRY_VOID(add(Phase::Score, "score", kernels.score, operands(a_.vectors, a_.scores, 0),
                      of_queries, false));
    VECC_TRY_VOID(add(Phase::Score, "score", kernels.score,
                      operands(a_.answers, a_.positive_scores, 0), of_answers, false));
    VECC_TRY_VOID(add(Phase::Pairs, "pull_pairs", kernels.pull_query,
                      operands(a_.vectors, a_.scores, a_.by_query), of_queries, false));
    VECC_TRY_VOID(add(Phase::Pairs, "pull_pairs", kernels.pull_query,
                      operands(a_.answers, a_.positives, a_.by_positive), of_answers, false));
    VECC_TRY_VOID(add(Phase::Pairs, "pull_pairs", kernels.pull_answer,
                      operands(a_.answers, a_.positives, a_.by_answer), of_answers, false));
    return add(Phase::Pairs, "pull_pairs", kernels.pull_answer,
               operands(a_.vectors, a_.columns, a_.by_negative), of_negatives, false);
  }

  // `waits`: for the launches of the phase that were added last (stages of one part).
  Result<void> add(FormulaPhase phase, const char* name, ScoreKernel made,
                   const ArrayPlaces& operands, const RowPlaces& places, bool waits) {
    VECC_TRY(FormulaUnit unit,
             make_formula_unit(std::move(made), operands, places, kinds_.dtype, target_));
    FormulaLaunch launch{phase,
                         std::string("vecc_kg_formula_") + name,
                         std::move(unit.text),
                         std::move(unit.bound),
                         {}};
    const auto last = static_cast<std::uint32_t>(step_.launches.size() - 1);
    if (waits && phase == FormulaPhase::Make) launch.after = {last};
    if (waits && phase == FormulaPhase::Pull) launch.after = last_pulls_;
    step_.launches.push_back(std::move(launch));
    return {};
  }

  const DeviceScore& score_;
  const StepKinds& kinds_;
  const StepSizes& sizes_;
  const Target& target_;
  const device::Arguments& a_;
  const HoldMemory& hold_;
  FormulaStep step_;
  std::vector<std::uint32_t> last_pulls_;  ///< launches of the stage behind
  /// By role, stage and its size: values, and the derivatives by them.
  std::map<std::tuple<PartRole, std::size_t, std::uint64_t>, std::array<std::uint64_t, 2>>
      stage_memory_;
};

}  // namespace

Result<FormulaStep> make_formula_step(const DeviceScore& score, const StepKinds& kinds,
                                      const StepSizes& sizes, const Target& target,
                                      const device::Arguments& a, const HoldMemory& hold) {
  return FormulaStepMaker(score, kinds, sizes, target, a, hold).make();
}

}  // namespace vecc::kg
