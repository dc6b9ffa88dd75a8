// Reductions of segments.
#include <algorithm>
#include <bit>
#include <utility>

#include "src/emit/python/op_emitter.h"

namespace vecc::python {
namespace {

std::vector<std::uint32_t> owners_of(const Segments& segments, std::uint32_t rows) {
  std::vector<std::uint32_t> owners(rows);
  const std::uint32_t count = segments.count(rows);
  if (segments.is_fixed()) {
    for (std::uint32_t r = 0; r < rows; ++r) {
      owners[r] = segments.dimension() == 1 ? r % count : r / segments.members();
    }
    return owners;
  }
  const auto offsets = segments.offsets();
  for (std::uint32_t s = 0; s < count; ++s) {
    std::fill(owners.begin() + offsets[s], owners.begin() + offsets[s + 1], s);
  }
  return owners;
}

std::vector<double> lengths_of(std::span<const std::uint32_t> offsets, double least) {
  std::vector<double> lengths;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    lengths.push_back(std::max<double>(offsets[s + 1] - offsets[s], least));
  }
  return lengths;
}

// One step of a product by pairs: [2, pairs] rows, and the segments that the products make.
struct PairStep {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> offsets;
};

PairStep pair_members(std::span<const std::uint32_t> offsets) {
  PairStep step;
  step.offsets.push_back(0);
  std::vector<std::uint32_t> right;
  const std::uint32_t one = offsets.back();  // the row of ones
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    for (std::uint32_t r = offsets[s]; r < offsets[s + 1]; r += 2) {
      step.rows.push_back(r);
      right.push_back(r + 1 < offsets[s + 1] ? r + 1 : one);
    }
    if (offsets[s] == offsets[s + 1]) {  // an empty product
      step.rows.push_back(one);
      right.push_back(one);
    }
    step.offsets.push_back(static_cast<std::uint32_t>(step.rows.size()));
  }
  step.rows.insert(step.rows.end(), right.begin(), right.end());
  return step;
}

}  // namespace

Buffer OpEmitter::owners(const SegmentOp& op, ValueId id) {
  const std::uint32_t rows = program_.op(program_.op(id).operands[0]).rows;
  return buffers_.add_rows(label("segment", id), owners_of(op.segments, rows), {rows});
}

Code OpEmitter::ragged_product(const SegmentOp& op, ValueId id) {
  helpers_.use(Helper::SegmentProduct);
  Code code("segment_product(", reads_[program_.op(id).operands[0]]);
  std::vector<std::uint32_t> offsets(op.segments.offsets().begin(), op.segments.offsets().end());
  for (std::uint32_t k = 0; offsets.back() != offsets.size() - 1 || k == 0; ++k) {
    PairStep step = pair_members(offsets);
    const std::uint64_t pairs = step.rows.size() / 2;
    code.add(Code(", ", buffers_.add_rows(label("pairs", id) + "_" + std::to_string(k), step.rows,
                                          {2, pairs})));
    offsets = std::move(step.offsets);
  }
  code.add(")");
  return code;
}

// Segments by length, rounded up to a power of two: at most twice the members' numbers.
Code OpEmitter::ragged_sparsemax(const SegmentOp& op, ValueId id) {
  helpers_.use(Helper::SegmentSparsemax);
  const ValueId from = program_.op(id).operands[0];
  const std::uint32_t rows = program_.op(from).rows;
  const auto offsets = op.segments.offsets();
  std::vector<std::vector<std::uint32_t>> buckets(33);
  std::vector<std::uint32_t> bucket_of(offsets.size());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::uint32_t length = offsets[s + 1] - offsets[s];
    if (length == 0) continue;
    bucket_of[s] = static_cast<std::uint32_t>(std::bit_width(length - 1));
    auto& bucket = buckets[bucket_of[s]];
    const std::size_t begin = bucket.size();
    for (std::uint32_t r = offsets[s]; r < offsets[s + 1]; ++r) bucket.push_back(r);
    bucket.resize(begin + (std::size_t{1} << bucket_of[s]), rows);
  }
  std::vector<std::uint32_t> place(rows);
  std::uint32_t next = 0;
  Code lengths;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const std::uint64_t width = std::uint64_t{1} << b;
    for (const std::uint32_t row : buckets[b]) {
      if (row < rows) place[row] = next;
      ++next;
    }
    if (buckets[b].empty()) continue;
    lengths.add(Code(", ", buffers_.add_rows(label("members", id) + "_" + std::to_string(width),
                                             buckets[b], {buckets[b].size() / width, width})));
  }
  const Buffer places = buffers_.add_rows(label("place", id), place, {rows});
  return Code("segment_sparsemax(", reads_[from], ", ", places, lengths, ")");
}

Code OpEmitter::select_members(const char* call, const SegmentOp& op, ValueId id) {
  const ValueId from = program_.op(id).operands[0];
  const std::uint32_t count = op.segments.count(program_.op(from).rows);
  return Code(call, reads_[from], ", ", owners(op, id), ", ", count,
              selects_largest(op.combination) ? ", largest=True)" : ", largest=False)");
}

Code OpEmitter::ragged_segment(const SegmentOp& op, ValueId id) {
  const Code& x = reads_[program_.op(id).operands[0]];
  const std::uint32_t count = op.segments.count(program_.op(program_.op(id).operands[0]).rows);
  switch (op.combination) {
    case Combination::Sum:
      helpers_.use(Helper::SegmentSum);
      return Code("segment_sum(", x, ", ", owners(op, id), ", ", count, ")");
    case Combination::Avg: {
      helpers_.use(Helper::SegmentMean);
      const Buffer members = buffers_.add_numbers(
          label("members", id), SharedNumbers::of(lengths_of(op.segments.offsets(), 1)), {count});
      return Code("segment_mean(", x, ", ", owners(op, id), ", ", members, ")");
    }
    case Combination::ElProduct: return ragged_product(op, id);
    case Combination::Max:
    case Combination::Min:
      helpers_.use(Helper::SegmentSelect);
      return select_members("segment_select(", op, id);
    case Combination::ElMax:
    case Combination::ElMin:
      helpers_.use(Helper::SegmentSelectEntries);
      return select_members("segment_select_entries(", op, id);
    case Combination::Count:
      return Code(buffers_.add_numbers(
          label("count", id), SharedNumbers::of(lengths_of(op.segments.offsets(), 0)), {count}));
    case Combination::Softmax:
      helpers_.use(Helper::SegmentSoftmax);
      return Code("segment_softmax(", x, ", ", owners(op, id), ", ", count, ")");
    case Combination::Sparsemax: return ragged_sparsemax(op, id);
    case Combination::Concat:
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of ragged segments", __FILE__, __LINE__,
             std::string(info(op.combination).text));
}

Code OpEmitter::fixed_segment(const SegmentOp& op, ValueId id) {
  const Op& from = program_.op(program_.op(id).operands[0]);
  const std::uint64_t count = op.segments.count(from.rows);
  const std::uint64_t members = op.segments.members();
  const bool is_inner = op.segments.dimension() == 2;
  const Code x(reads_[program_.op(id).operands[0]], ".unflatten(0, (", is_inner ? count : members,
               ", ", is_inner ? members : count, "))");
  const char* const over = is_inner ? "1" : "0";
  switch (op.combination) {
    case Combination::Sum: return Code(x, ".sum(", over, ")");
    case Combination::Avg: return Code(x, ".mean(", over, ")");
    case Combination::ElProduct:
      helpers_.use(Helper::Product);
      return Code("product(", x, is_inner ? "" : ".transpose(0, 1)", ")");
    case Combination::Count:
      return Code(buffers_.one(), ".new_full((", count, ",), ", members, ")");
    case Combination::Concat: return Code(x, ".flatten(1)");
    case Combination::Softmax: return Code(x, ".softmax(", over, ").flatten(0, 1)");
    case Combination::Sparsemax:
      helpers_.use(Helper::Sparsemax);
      return is_inner ? Code("sparsemax(", x, ").flatten()")
                      : Code("sparsemax(", x, ".T).T.flatten()");
    case Combination::Max:
    case Combination::Min:
    case Combination::ElMax:
    case Combination::ElMin: return ragged_segment(op, id);  // by the number of a row's segment
    case Combination::Product:
    case Combination::CrossSum:
    case Combination::CosSim:
    case Combination::FunctionGraph: break;
  }
  fail_check("a combination of fixed segments", __FILE__, __LINE__,
             std::string(info(op.combination).text));
}

Code OpEmitter::emit_op(const SegmentOp& op, ValueId id) {
  if (program_.op(program_.op(id).operands[0]).rows == 0) {  // only empty segments
    const double value = op.combination == Combination::ElProduct ? 1 : 0;
    const Op& made = program_.op(id);
    return Code(buffers_.one(), value == 1 ? ".new_ones(" : ".new_zeros(", made.rows,
                more_dimensions(made.shape), ")");
  }
  return op.segments.is_fixed() ? fixed_segment(op, id) : ragged_segment(op, id);
}

}  // namespace vecc::python
