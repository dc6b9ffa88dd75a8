#include "optimizer/passes/evaluate_rows.h"

#include <algorithm>
#include <deque>
#include <span>

#include "optimizer/rewrite/distinct_rows.h"
#include "optimizer/rewrite/op_steps.h"
#include "optimizer/rewrite/row_map.h"
#include "src/function/evaluate.h"

namespace vecc::opt {
namespace {

constexpr double kUnit = 1.0;
constexpr TransformationSpec kTranspose{.id = Transformation::Transp, .target = {}};

// The rows of one value that are evaluated.
struct Evaluated {
  std::vector<std::uint32_t> place;  // by row of the value: where it stands in values, or kNoRow
  std::vector<double> values;
  ValueId last_reader = 0;
};

class Evaluator {
 public:
  Evaluator(const Program& program, const SourceRows& sources, const FoldPlan& plan)
      : program_(program),
        sources_(sources),
        plan_(plan),
        demanded_(sources.size()),
        evaluated_(program.ops().size()),
        done_after_(program.ops().size()) {}

  std::vector<FoldedRows> run() {
    std::vector<FoldedRows> folded(program_.ops().size());
    for (auto id = static_cast<ValueId>(program_.ops().size()); id-- > 0;) demand(id);
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      evaluate_value(id);
      if (plan_.decisions[id] == FoldDecision::Fold) folded[id] = distinct_rows(id);
      for (const ValueId done : done_after_[id]) evaluated_[done] = Evaluated();
    }
    return folded;
  }

 private:
  [[nodiscard]] const Op& op(ValueId id) const { return program_.op(id); }

  // Which rows of a value are evaluated: those that it folds, and those that such rows read.
  void demand(ValueId id) {
    const OpSteps steps(program_, sources_, id);
    const bool folds = plan_.decisions[id] == FoldDecision::Fold;
    bool reads = false;
    for (std::uint32_t step = 0; step < steps.count(); ++step) {
      bool is_demanded = false;
      steps.for_each_row(step, [&](std::uint32_t row) {
        const std::uint32_t number = steps.number(row);
        is_demanded = is_demanded || demanded_[number] || (folds && plan_.in_fact(number));
      });
      if (!is_demanded) continue;
      reads = true;
      steps.for_each_row(step, [&](std::uint32_t row) { demanded_[steps.number(row)] = true; });
      steps.for_each_read(step, [&](std::uint32_t number) {
        if (plan_.constant[number]) demanded_[number] = true;  // a count's members may be others
      });
    }
    ValueId& last = evaluated_[id].last_reader;  // a gather or concat: its own last reader
    if (reads) {
      last = std::max(last, id);
      done_after_[last].push_back(id);
    }
    if (!reads && steps.count() > 0) return;
    for (const ValueId operand : op(id).operands) {
      ValueId& reader = evaluated_[operand].last_reader;
      reader = std::max(reader, steps.count() > 0 ? id : last);
    }
  }

  void evaluate_value(ValueId id) {
    const OpSteps steps(program_, sources_, id);
    Evaluated& rows = evaluated_[id];
    const std::size_t size = op(id).shape.size();
    for (std::uint32_t step = 0; step < steps.count(); ++step) {
      bool is_demanded = false;
      steps.for_each_row(step, [&](std::uint32_t row) {
        is_demanded = demanded_[steps.number(row)];
        if (!is_demanded) return;
        if (rows.place.empty()) rows.place.resize(op(id).rows, kNoRow);
        rows.place[row] = static_cast<std::uint32_t>(rows.values.size() / size);
        rows.values.resize(rows.values.size() + size);
      });
      if (is_demanded) evaluate_step(id, steps, step);
    }
  }

  void evaluate_step(ValueId id, const OpSteps& steps, std::uint32_t step) {
    read_.clear();
    wide_count_ = 0;
    steps.for_each_read(step, [&](std::uint32_t number) { read_.push_back(number); });
    Evaluated& rows = evaluated_[id];
    const auto result = [&](std::uint32_t row) {
      return std::span(rows.values)
          .subspan(rows.place[row] * op(id).shape.size(), op(id).shape.size());
    };
    if (const auto* linear = std::get_if<LinearOp>(&op(id).attributes)) {
      const Element left = turned(element(id, 0, read_[0]), linear->transpose_left, left_turned_);
      const Element right =
          turned(element(id, 1, read_[1]), linear->transpose_right, right_turned_);
      times(left, right, result(step));
    } else if (const auto* segment = std::get_if<SegmentOp>(&op(id).attributes)) {
      reduced_.assign(op(id).shape.size(), 0);
      evaluate_segment(id, *segment);
      std::size_t next = 0;  // softmax and sparsemax: one row a member
      steps.for_each_row(step, [&](std::uint32_t row) {
        const std::size_t size = result(row).size();
        const std::size_t first = keeps_members(segment->combination) ? size * next++ : 0;
        std::ranges::copy(std::span(reduced_).subspan(first, size), result(row).begin());
      });
    } else if (const auto* transform = std::get_if<TransformOp>(&op(id).attributes)) {
      const Element x = element(id, 0, read_[0]);
      evaluate(transform->transformation, words_of(*transform, step), x.shape, x.values,
               result(step));
    } else {
      read_elements(id);
      evaluate(*std::get<MapOp>(op(id).attributes).expr, elements_, result(step));
    }
  }

  // Into reduced_: the segment's row, or one for each of its members.
  void evaluate_segment(ValueId id, const SegmentOp& segment) {
    if (segment.combination == Combination::Count) {
      reduced_[0] = static_cast<double>(read_.size());
    } else if (read_.empty()) {
      std::ranges::fill(reduced_, segment.combination == Combination::ElProduct ? 1.0 : 0.0);
    } else {
      read_elements(id);
      if (keeps_members(segment.combination)) {
        reduced_.resize(read_.size() * op(id).shape.size());
        evaluate_members(segment.combination, elements_, reduced_);
      } else {
        evaluate(segment.combination, nullptr, elements_, reduced_);
      }
    }
  }

  static std::span<const std::uint32_t> words_of(const TransformOp& transform, std::uint32_t row) {
    const std::size_t width = word_count(transform.transformation.id);
    if (width == 0) return {};
    const bool by_row = transform.words->size() != width;
    return std::span(*transform.words).subspan(by_row ? width * row : 0, width);
  }

  // What `read_` lists, as elements; a segment's members are all of its one operand.
  void read_elements(ValueId id) {
    elements_.clear();
    const bool one = op(id).operands.size() == 1;
    for (std::size_t k = 0; k < read_.size(); ++k) {
      elements_.push_back(element(id, one ? 0 : k, read_[k]));
    }
  }

  // Source row `number`, which operand `k` of `id` holds.
  [[nodiscard]] Element element(ValueId id, std::size_t k, std::uint32_t number) {
    const Shape shape = op(op(id).operands[k]).shape;
    const SourceRows::Source source = sources_.source(number);
    if (const auto* fact = std::get_if<FactOp>(&op(source.value).attributes)) {
      if (fact->unit) return {shape, std::span(&kUnit, 1)};
      if (wide_count_ == wide_rows_.size()) wide_rows_.emplace_back();
      std::vector<double>& row = wide_rows_[wide_count_++];
      row.resize(shape.size());
      fact->values.copy_to(source.row * shape.size(), row);
      return {shape, row};
    }
    const Evaluated& rows = evaluated_[source.value];
    return {shape,
            std::span(rows.values).subspan(rows.place[source.row] * shape.size(), shape.size())};
  }

  static Element turned(const Element& element, bool transposed, std::vector<double>& values) {
    if (!transposed) return element;
    values.resize(element.values.size());
    evaluate(kTranspose, {}, element.shape, element.values, values);
    return {element.shape.transposed(), values};
  }

  [[nodiscard]] FoldedRows distinct_rows(ValueId id) const {
    const OpSteps steps(program_, sources_, id);
    const Evaluated& rows = evaluated_[id];
    const std::size_t size = op(id).shape.size();
    DistinctRows distinct(size);
    FoldedRows folded;
    folded.place.resize(op(id).rows, kNoRow);
    for (std::uint32_t row = 0; row < op(id).rows; ++row) {
      if (!plan_.in_fact(steps.number(row))) continue;
      folded.place[row] = distinct.number_of(rows.values.data() + rows.place[row] * size);
    }
    folded.rows = static_cast<std::uint32_t>(distinct.rows().size());
    folded.values.reserve(folded.rows * size);
    for (const double* row : distinct.rows()) {
      folded.values.insert(folded.values.end(), row, row + size);
    }
    return folded;
  }

  const Program& program_;
  const SourceRows& sources_;
  const FoldPlan& plan_;
  std::vector<bool> demanded_;                    // by source row
  std::vector<Evaluated> evaluated_;              // by value
  std::vector<std::vector<ValueId>> done_after_;  // by value: those that are read no more after it
  // Of one step:
  std::vector<std::uint32_t> read_;  // source rows
  std::vector<Element> elements_;
  std::deque<std::vector<double>> wide_rows_;  // of facts
  std::size_t wide_count_ = 0;
  std::vector<double> reduced_;
  std::vector<double> left_turned_;
  std::vector<double> right_turned_;
};

}  // namespace

std::vector<FoldedRows> evaluate_folds(const Program& program, const SourceRows& sources,
                                       const FoldPlan& plan) {
  return Evaluator(program, sources, plan).run();
}

}  // namespace vecc::opt
