#include "tests/program/program_difference.h"

#include <bit>
#include <cmath>
#include <memory>

namespace vecc::test {
namespace {

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

bool same(const SharedNumbers& a, const SharedNumbers& b) {
  if (!a || !b) return !a && !b;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i], b[i])) return false;
  }
  return true;
}

bool same(const Index& a, const Index& b) {
  return a.form() == b.form() && a == b;
}

// The name of the first attribute that differs, or empty.
struct AttributeDifference {
  std::string operator()(const FactOp& a, const FactOp& b) const {
    if (a.rows != b.rows || a.shape != b.shape || a.unit != b.unit) return "fact";
    return same(a.values, b.values) ? "" : "values";
  }
  std::string operator()(const WeightOp& a, const WeightOp& b) const {
    return a.parameter == b.parameter ? "" : "parameter";
  }
  std::string operator()(const ConcatOp&, const ConcatOp&) const { return ""; }
  std::string operator()(const GatherOp& a, const GatherOp& b) const {
    return same(a.index, b.index) ? "" : "index";
  }
  std::string operator()(const LinearOp& a, const LinearOp& b) const {
    if (a.transpose_left != b.transpose_left || a.transpose_right != b.transpose_right) {
      return "transpose";
    }
    return a.lift_left == b.lift_left && a.lift_right == b.lift_right ? "" : "lift";
  }
  std::string operator()(const SegmentOp& a, const SegmentOp& b) const {
    if (a.combination != b.combination) return "combination";
    return a.segments == b.segments ? "" : "segments";
  }
  std::string operator()(const TransformOp& a, const TransformOp& b) const {
    if (!(a.transformation == b.transformation)) return "transformation";
    if (!a.words || !b.words) return a.words == b.words ? "" : "words";
    return *a.words == *b.words ? "" : "words";
  }
  std::string operator()(const MapOp& a, const MapOp& b) const {
    return *a.expr == *b.expr ? "" : "expression";
  }
  std::string operator()(const ContractOp& a, const ContractOp& b) const {
    if (a.type_count != b.type_count || a.weight_shape != b.weight_shape) return "contract";
    return same(a.types, b.types) ? "" : "types";
  }
  std::string operator()(const VjpOp& a, const VjpOp& b) const {
    if (a.wrt != b.wrt || a.shape != b.shape) return "vjp";
    return std::visit(*this, a.of, b.of);
  }
  std::string operator()(const DrawOp& a, const DrawOp& b) const {
    const bool equal = a.rows == b.rows && a.bound == b.bound && a.seed == b.seed;
    return equal && a.stream == b.stream ? "" : "draw";
  }
  std::string operator()(const TakeOp&, const TakeOp&) const { return ""; }
  std::string operator()(const SumEqualOp&, const SumEqualOp&) const { return ""; }
  std::string operator()(const ScatterSumOp& a, const ScatterSumOp& b) const {
    return a.rows == b.rows ? "" : "rows";
  }
  std::string operator()(const StateOp& a, const StateOp& b) const {
    const bool equal = a.name == b.name && a.rows == b.rows && a.shape == b.shape;
    return equal && same(a.initial, b.initial) ? "" : "state";
  }
  std::string operator()(const UpdateOp& a, const UpdateOp& b) const {
    if (!a.rows || !b.rows) return a.rows.has_value() == b.rows.has_value() ? "" : "rows";
    return same(*a.rows, *b.rows) ? "" : "rows";
  }
  std::string operator()(const OutputOp& a, const OutputOp& b) const {
    return same(a.samples, b.samples) ? "" : "samples";
  }
  template <class A, class B>
  std::string operator()(const A&, const B&) const {
    return "kind";
  }
};

std::string op_difference(const Op& a, const Op& b) {
  if (a.operands != b.operands) return "operands";
  if (a.rows != b.rows || a.shape != b.shape || a.dtype != b.dtype) return "type";
  if (a.note != b.note) return "note";
  return std::visit(AttributeDifference(), a.attributes, b.attributes);
}

}  // namespace

std::string program_difference(const Program& a, const Program& b) {
  if (a.dtype() != b.dtype() || a.sample_count() != b.sample_count()) return "header";
  if (a.parameters().size() != b.parameters().size()) return "number of parameters";
  for (std::size_t i = 0; i < a.parameters().size(); ++i) {
    const Parameter& p = a.parameters()[i];
    const Parameter& q = b.parameters()[i];
    const bool equal = p.name == q.name && p.rows == q.rows && p.shape == q.shape;
    if (!equal || !same(p.values, q.values)) return "parameter " + std::to_string(i);
  }
  if (a.ops().size() != b.ops().size()) return "number of ops";
  for (ValueId value = 0; value < a.ops().size(); ++value) {
    const std::string difference = op_difference(a.op(value), b.op(value));
    if (!difference.empty()) return "%" + std::to_string(value) + ": " + difference;
  }
  return "";
}

}  // namespace vecc::test
