// The index arrays of an op.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "vecc/program.h"

namespace vecc {

template <class Visit>
class ArrayVisitor {
 public:
  explicit ArrayVisitor(Visit& visit) : visit_(visit) {}
  void operator()(const FactOp&) const {}
  void operator()(const WeightOp&) const {}
  void operator()(const ConcatOp&) const {}
  void operator()(const GatherOp& op) const { show(op.index.shared_array()); }
  void operator()(const LinearOp&) const {}
  void operator()(const SegmentOp& op) const { show(op.segments.shared_offsets()); }
  void operator()(const TransformOp& op) const { show(op.words); }
  void operator()(const MapOp&) const {}
  void operator()(const ContractOp& op) const { show(op.types.shared_array()); }
  void operator()(const VjpOp& op) const { std::visit(*this, op.of); }
  void operator()(const DrawOp&) const {}
  void operator()(const TakeOp&) const {}
  void operator()(const SumEqualOp&) const {}
  void operator()(const ScatterSumOp&) const {}
  void operator()(const StateOp&) const {}
  void operator()(const UpdateOp& op) const {
    if (op.rows) show(op.rows->shared_array());
  }
  void operator()(const OutputOp& op) const { show(op.samples.shared_array()); }

 private:
  void show(const std::shared_ptr<const std::vector<std::uint32_t>>& array) const {
    if (array) visit_(array);
  }
  Visit& visit_;
};

/// Calls visit(array) for each that the op has (std::shared_ptr<const std::vector<std::uint32_t>>):
/// rows of a gather, offsets of segments, words of a transformation, types, samples.
template <class Visit>
void for_each_array(const Op& op, Visit&& visit) {
  std::visit(ArrayVisitor<Visit>(visit), op.attributes);
}

}  // namespace vecc
