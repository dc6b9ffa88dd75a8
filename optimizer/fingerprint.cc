// Fingerprint of a Program: everything that decides what it computes, but parameters' values.
#include <span>
#include <string_view>

#include "src/program/index_algebra.h"
#include "src/support/hash128.h"
#include "vecc/optimize.h"

namespace vecc {
namespace {

class ProgramMixer : public Hash128 {
 public:
  using Hash128::add;
  void add(Shape shape) { add((std::uint64_t{shape.rows()} << 32) | shape.cols()); }
  void add(const Index& index) {
    add((std::uint64_t{static_cast<std::uint8_t>(index.form())} << 32) | index.size());
    for (std::uint32_t i = 0; i < index.size(); ++i) add(std::uint64_t{index[i]});
  }
  template <class T>
  void add_all(std::span<const T> words) {
    add(std::uint64_t{words.size()});
    for (const T word : words) add(word);
  }
  void add(const SharedNumbers& numbers) {
    add(std::uint64_t{numbers.size()});
    numbers.visit([&](auto values) {
      for (const auto value : values) add(double{value});
    });
  }
  void add_words(std::span<const std::uint32_t> words) {
    add(std::uint64_t{words.size()});
    for (const std::uint32_t word : words) add(std::uint64_t{word});
  }

  [[nodiscard]] Fingerprint result() const { return {high(), low()}; }
};

struct AddAttributes {
  ProgramMixer& mixer;

  void operator()(const FactOp& op) const {
    mixer.add(std::uint64_t{op.unit});
    if (op.values) mixer.add(op.values);
  }
  void operator()(const WeightOp& op) const { mixer.add(std::uint64_t{op.parameter}); }
  void operator()(const ConcatOp&) const {}
  void operator()(const GatherOp& op) const { mixer.add(op.index); }
  void operator()(const LinearOp& op) const {
    mixer.add(std::uint64_t{op.transpose_left} * 2 + std::uint64_t{op.transpose_right});
    for (const Lift& lift : {op.lift_left, op.lift_right}) {
      mixer.add((std::uint64_t{static_cast<std::uint8_t>(lift.kind)} << 32) | lift.times);
    }
  }
  void operator()(const SegmentOp& op) const {
    mixer.add(info(op.combination).text);
    mixer.add((std::uint64_t{op.segments.members()} << 32) | op.segments.dimension());
    mixer.add_words(op.segments.offsets());
  }
  void operator()(const TransformOp& op) const {
    mixer.add(text_of(op.transformation));
    if (op.words) mixer.add_words(*op.words);
  }
  void operator()(const MapOp& op) const { mixer.add(op.expr->text()); }
  void operator()(const ContractOp& op) const {
    mixer.add(op.types);
    mixer.add(std::uint64_t{op.type_count});
  }
  void operator()(const VjpOp& op) const {
    mixer.add(std::uint64_t{op.of.index()});
    mixer.add(std::uint64_t{op.wrt});
    std::visit(*this, op.of);
  }
  void operator()(const DrawOp& op) const {
    mixer.add(std::uint64_t{op.bound});
    mixer.add(op.seed);
    mixer.add(std::uint64_t{op.stream});
  }
  void operator()(const TakeOp&) const {}
  void operator()(const SumEqualOp&) const {}
  void operator()(const ScatterSumOp&) const {}
  void operator()(const StateOp& op) const {
    mixer.add(op.name);
    mixer.add(op.initial);
  }
  void operator()(const UpdateOp& op) const {
    mixer.add(std::uint64_t{op.rows.has_value()});
    if (op.rows) mixer.add(*op.rows);
  }
  void operator()(const OutputOp& op) const { mixer.add(op.samples); }
};

}  // namespace

std::string Fingerprint::text() const {
  return hexadecimal_text(high, low);
}

Fingerprint fingerprint(const Program& program) {
  ProgramMixer mixer;
  mixer.add(text_of(program.dtype()));
  mixer.add(std::uint64_t{program.sample_count()});
  for (const Parameter& parameter : program.parameters()) {
    mixer.add(parameter.name);
    mixer.add(std::uint64_t{parameter.rows});
    mixer.add(parameter.shape);
  }
  for (const Op& op : program.ops()) {
    mixer.add(text_of(op.kind()));
    mixer.add_words(std::span(op.operands.data(), op.operands.size()));
    mixer.add(std::uint64_t{op.rows});
    mixer.add(op.shape);
    std::visit(AddAttributes{mixer}, op.attributes);
  }
  return mixer.result();
}

}  // namespace vecc
