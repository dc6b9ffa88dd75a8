#include "tests/optimizer/iso/float_hashing.h"

#include <map>
#include <span>

#include "src/function/evaluate.h"
#include "src/program/members.h"
#include "tests/support/random_source.h"

namespace vecc::test {
namespace {

using Floats = std::vector<float>;

class FloatRun {
 public:
  FloatRun(const Program& program, std::uint64_t draw) : program_(program), random_(draw) {
    draws_ = draw > 0;
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      values_.push_back(
          std::visit([&](const auto& op) { return run(op, id); }, program.op(id).attributes));
    }
  }
  [[nodiscard]] Floats row(ValueId value, std::size_t row) const {
    const std::size_t size = program_.op(value).shape.size();
    const auto begin = values_[value].begin() + static_cast<std::ptrdiff_t>(row * size);
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }

 private:
  [[nodiscard]] ValueId operand(ValueId id, std::size_t k) const {
    return program_.op(id).operands[k];
  }
  static void append(Floats& to, const Floats& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  Floats run(const FactOp& fact, ValueId) {
    if (fact.unit) return Floats(fact.rows, 1.0f);
    Floats values(fact.values.size());
    fact.values.copy_to(0, values);
    return values;
  }
  Floats run(const WeightOp& weight, ValueId id) {
    const Parameter& parameter = program_.parameters()[weight.parameter];
    Floats values(program_.op(id).size(), 0.5f);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (draws_) {
        values[i] = static_cast<float>(random_.real(-10, 10));
      } else if (parameter.values) {
        values[i] = static_cast<float>(parameter.values[i]);
      }
    }
    return values;
  }
  Floats run(const ConcatOp&, ValueId id) {
    Floats rows;
    for (const ValueId part : program_.op(id).operands) append(rows, values_[part]);
    return rows;
  }
  Floats run(const GatherOp& gather, ValueId id) {
    Floats rows;
    for (std::uint32_t i = 0; i < gather.index.size(); ++i) {
      append(rows, row(operand(id, 0), gather.index[i]));
    }
    return rows;
  }
  Floats run(const LinearOp&, ValueId id) {
    const Shape left = program_.op(operand(id, 0)).shape;
    const Shape right = program_.op(operand(id, 1)).shape;
    Floats rows;
    for (std::uint32_t i = 0; i < program_.op(id).rows; ++i) {
      const Floats a = row(operand(id, 0), i);
      const Floats b = row(operand(id, 1), i);
      if (left.is_scalar() || right.is_scalar()) {
        for (const float x : left.is_scalar() ? b : a)
          rows.push_back(x * (left.is_scalar() ? a : b)[0]);
        continue;
      }
      for (std::size_t r = 0; r < left.rows(); ++r) {
        for (std::size_t c = 0; c < right.cols(); ++c) {
          float sum = 0;
          for (std::size_t k = 0; k < left.cols(); ++k) {
            sum += a[r * left.cols() + k] * b[k * right.cols() + c];
          }
          rows.push_back(sum);
        }
      }
    }
    return rows;
  }
  Floats run(const SegmentOp& segment, ValueId id) {
    const std::size_t size = program_.op(id).shape.size();
    Floats rows;
    for (std::uint32_t s = 0; s < program_.op(id).rows; ++s) {
      Floats sum(size, 0.0f);
      for_each_member(segment.segments, program_.op(operand(id, 0)).rows, s, [&](std::uint32_t m) {
        const Floats member = row(operand(id, 0), m);
        for (std::size_t k = 0; k < size; ++k) sum[k] += member[k];
      });
      const auto count = static_cast<float>(member_count(segment.segments, s));
      if (segment.combination == Combination::Avg && count > 0) {
        for (float& x : sum) x *= 1.0f / count;
      }
      append(rows, sum);
    }
    return rows;
  }
  Floats run(const TransformOp& transform, ValueId id) {
    Floats rows;
    for (const float x : values_[operand(id, 0)]) {
      const double wide = x;
      double y = 0;
      evaluate(transform.transformation, {}, Shape::scalar(), {&wide, 1}, {&y, 1});
      rows.push_back(static_cast<float>(y));
    }
    return rows;
  }
  Floats run(const OutputOp&, ValueId) { return {}; }
  template <class Other>
  Floats run(const Other&, ValueId id) {
    fail_check("an op that float hashing runs", __FILE__, __LINE__,
               std::string(text_of(program_.op(id).kind())));
  }

  const Program& program_;
  RandomSource random_;
  bool draws_ = false;
  std::vector<Floats> values_;
};

}  // namespace

std::vector<std::uint32_t> float_classes(const Program& program, ValueId value) {
  std::vector<FloatRun> runs;
  for (std::uint64_t draw = 0; draw < 4; ++draw) runs.emplace_back(program, draw);
  std::map<Floats, std::uint32_t> numbers;
  std::vector<std::uint32_t> classes;
  for (std::uint32_t i = 0; i < program.op(value).rows; ++i) {
    Floats sample;
    for (const FloatRun& run : runs) {
      const Floats row = run.row(value, i);
      sample.insert(sample.end(), row.begin(), row.end());
    }
    classes.push_back(
        numbers.emplace(sample, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return classes;
}

}  // namespace vecc::test
