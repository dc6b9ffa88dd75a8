#include "src/plan/analysis/inlined_values.h"

#include <algorithm>
#include <utility>

#include "src/plan/analysis/gradient_reads.h"

namespace vecc {
namespace {

// Shorter rows are stored in the time that one more number a member takes to be read: on a
// processor. A GPU takes longer to begin one more kernel.
constexpr std::uint64_t kShortestInlined = 8;
// Numbers that are stored and read again take as long as so many that are read.
constexpr std::uint64_t kReadsOfStored = 2;
// A row of so many times the numbers that it is made of is made again rather than read.
constexpr std::uint64_t kGrowth = 4;

bool is_sum(const Op& op) {
  const auto* segment = std::get_if<SegmentOp>(&op.attributes);
  return segment != nullptr &&
         (segment->combination == Combination::Sum || segment->combination == Combination::Avg);
}

// A map, or its gradient row for row.
bool is_map(const Program& program, ValueId id) {
  const Op& op = program.op(id);
  if (op.kind() == OpKind::Map) return true;
  const auto* vjp = std::get_if<VjpOp>(&op.attributes);
  return vjp != nullptr && std::holds_alternative<MapOp>(vjp->of) &&
         program.op(op.operands.back()).rows == op.rows;
}

// Whether an op is the gradient of a function of single entries.
bool passes_entries_on(const Op& op) {
  const auto* vjp = std::get_if<VjpOp>(&op.attributes);
  const auto* of = vjp != nullptr ? std::get_if<TransformOp>(&vjp->of) : nullptr;
  return of != nullptr && info(of->transformation.id).form == FunctionForm::Entries;
}

// How a value is read, gathers being read through.
struct Readers {
  std::uint32_t count = 0;
  bool by_sum = false;           // each row once at most
  bool by_sum_in_order = false;  // the sum's members are these rows
  bool by_map_in_order = false;
  bool by_gradient_in_order = false;  // of a function that moves no entries
  bool only_by_maps = true;
};

class InlinedValues {
 public:
  InlinedValues(const Program& program, const PlanOptions& options,
                const std::vector<Place>& places, const ValueSources& sources)
      : program_(program),
        options_(options),
        places_(places),
        sources_(sources),
        readers_(program.ops().size()),
        inlined_(program.ops().size(), false) {}

  std::vector<bool> find() {
    if (options_.keep_values || !options_.fuse) return std::move(inlined_);
    for (ValueId id = 0; id < inlined_.size(); ++id) count_reads(id);
    for (const ValueId id : options_.kept) readers_[sources_.value_of(id)].count = 0;
    for (ValueId id = 0; id < inlined_.size(); ++id) inlined_[id] = is_inlined(id);
    return std::move(inlined_);
  }

 private:
  void count_reads(ValueId id) {
    const Op& op = program_.op(id);
    // (What an update stores is its source, and read by it.)
    const bool reads = op.kind() == OpKind::Update || sources_.value_of(id) == id;
    if (op.kind() == OpKind::Gather || !reads) return;
    const auto* vjp = std::get_if<VjpOp>(&op.attributes);
    const bool of_map = vjp != nullptr && std::holds_alternative<MapOp>(vjp->of);
    const std::vector<bool> is_read =
        of_map ? gradient_reads(program_, id) : std::vector<bool>(op.operands.size(), true);
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      if (!is_read[k]) continue;
      const auto [value, index] = sources_[op.operands[k]];
      Readers& readers = readers_[value];
      ++readers.count;
      readers.only_by_maps = readers.only_by_maps && is_map(program_, id);
      if (op.kind() == OpKind::Map && !index) readers.by_map_in_order = true;
      if (k + 1 == op.operands.size() && !index && passes_entries_on(op)) {
        readers.by_gradient_in_order = true;
      }
      if (!is_sum(op) || (index && index->size() > program_.op(value).rows)) continue;
      readers.by_sum = true;
      readers.by_sum_in_order = !index;
    }
  }

  [[nodiscard]] bool is_inlined(ValueId id) const {
    const Readers& readers = readers_[id];
    if (readers.count == 0 || places_[id].buffer != id) return false;
    if (program_.op(id).kind() == OpKind::Linear) {
      return (readers.count == 1 && is_scaled_row(id) &&
              (readers.by_sum || (readers.by_map_in_order && scales_gathered_rows(id)))) ||
             (readers.only_by_maps && grows(id));
    }
    const bool by_gradient = readers.by_gradient_in_order && options_.target.has_vectors();
    return is_map(program_, id) && readers.count == 1 &&
           ((readers.by_sum && !readers.by_sum_in_order) || by_gradient) &&
           sources_.value_of(id) == id && is_made_of_little(id);
  }

  [[nodiscard]] bool is_scaled_row(ValueId id) const {
    const Op& op = program_.op(id);
    const bool is_row = op.shape.is_vector() || op.shape.is_scalar();
    return is_row && op.shape.size() >= (options_.target.has_vectors() ? kShortestInlined : 1) &&
           std::ranges::any_of(op.operands, [&](ValueId operand) {
             return program_.op(operand).shape.is_scalar();
           });
  }

  // One number times rows that are gathered; on a GPU, where a kernel less is worth it.
  [[nodiscard]] bool scales_gathered_rows(ValueId id) const {
    if (options_.target.has_vectors()) return false;
    const std::array<RowRead, 2> reads = linear_reads(program_, sources_, id);
    const std::size_t number = reads[0].shape.is_scalar() ? 0 : 1;
    return reads[number].one && reads[1 - number].index && !reads[1 - number].one;
  }

  // A column times a row that all rows share, such as numbers that are repeated: each entry is one
  // product, and what is made is far longer than the column.
  [[nodiscard]] bool grows(ValueId id) const {
    const Op& op = program_.op(id);
    const auto& linear = std::get<LinearOp>(op.attributes);
    const std::array<RowRead, 2> reads = linear_reads(program_, sources_, id);
    const Shape left = linear.transpose_left ? reads[0].shape.transposed() : reads[0].shape;
    if (op.rows == 1 || reads[0].one == reads[1].one || left.cols() != 1) return false;
    const Shape column = reads[reads[0].one ? 1 : 0].shape;
    return op.shape.size() >= kShortestInlined && op.shape.size() >= kGrowth * column.size();
  }

  // A function of rows that are stored anyway, and of a few numbers a row: its members' sum reads
  // these instead of what would be made of them. Rows that are read from elsewhere through indices
  // are stored; on a processor others that have more readers count as such.
  [[nodiscard]] bool is_made_of_little(ValueId id) const {
    std::uint64_t gathered = 0;
    std::uint64_t in_order = 0;
    count_numbers(id, gathered, in_order);
    const std::uint64_t size = program_.op(id).shape.size();
    if (program_.op(id).rows <= 1 || size < kShortestInlined) return false;
    return gathered <= kReadsOfStored * size && kGrowth * in_order <= size;
  }
  void count_numbers(ValueId id, std::uint64_t& gathered, std::uint64_t& in_order) const {
    for (const auto& read : rows_read(program_, sources_, id)) {
      if (!read || read->one) continue;
      if (inlined_[read->value]) {
        count_numbers(read->value, gathered, in_order);
      } else {
        const bool is_stored = options_.target.has_vectors() && readers_[read->value].count > 1;
        (read->index || is_stored ? gathered : in_order) += read->shape.size();
      }
    }
  }

  const Program& program_;
  const PlanOptions& options_;
  const std::vector<Place>& places_;
  const ValueSources& sources_;
  std::vector<Readers> readers_;  // by value
  std::vector<bool> inlined_;     // by value; what operands are is known before their readers
};

}  // namespace

std::vector<std::optional<RowRead>> rows_read(const Program& program, const ValueSources& sources,
                                              ValueId id, const std::optional<Index>& index) {
  const Op& op = program.op(id);
  if (op.kind() == OpKind::Linear) {
    std::array<RowRead, 2> sides = linear_reads(program, sources, id, index);
    return {std::move(sides[0]), std::move(sides[1])};
  }
  const bool is_vjp = op.kind() == OpKind::Vjp;
  const std::vector<bool> is_read =
      is_vjp ? gradient_reads(program, id) : std::vector<bool>(op.operands.size(), true);
  const std::uint32_t rows = is_vjp ? program.op(op.operands.back()).rows : op.rows;
  std::vector<RowRead> all = map_reads(program, sources, op.operands, rows);
  std::vector<std::optional<RowRead>> reads(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!is_read[k]) continue;
    RowRead& read = all[k];
    if (index && !read.one) {
      read.index = through(read, *index, program.op(read.value).rows).index;
    }
    reads[k] = std::move(read);
  }
  return reads;
}

std::vector<bool> find_inlined(const Program& program, const PlanOptions& options,
                               const std::vector<Place>& places, const ValueSources& sources) {
  return InlinedValues(program, options, places, sources).find();
}

}  // namespace vecc
