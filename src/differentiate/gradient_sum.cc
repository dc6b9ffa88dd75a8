#include "src/differentiate/gradient_sum.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/program/index_algebra.h"
#include "src/program/inverse_index.h"
#include "src/support/list_threads.h"

namespace vecc::autodiff {
namespace {

// More terms than this are one dense reduction instead of an expression.
constexpr std::size_t kMostTerms = 16;
// A buffer of gradients grows to this many times the rows that a value joins: what it holds of all
// values together is then linear in what they read, however many levels a recursion has.
constexpr std::uint64_t kMostGrowth = 64;

// The segments of the readers of each row: fixed if all have as many.
Segments segments_of(std::vector<std::uint32_t> offsets) {
  const std::uint32_t members = offsets.size() > 1 ? offsets[1] : 0;
  bool is_fixed = members > 0;
  for (std::size_t s = 1; s < offsets.size() && is_fixed; ++s) {
    is_fixed = offsets[s] - offsets[s - 1] == members;
  }
  return is_fixed ? Segments::fixed(members) : Segments::ragged(std::move(offsets));
}

void append(std::vector<std::uint32_t>& list, const Index& index) {
  const std::size_t first = list.size();
  if (first == 0) {
    list = unset_list<std::uint32_t>(index.size());
  } else {
    list.resize(first + index.size());
  }
  with_rows(index, [&](auto row_at) {
    ListThreads::for_ranges(index.size(), [&](std::size_t begin, std::size_t end) {
      for (; begin < end; ++begin) list[first + begin] = row_at(static_cast<std::uint32_t>(begin));
    });
  });
}

Expr sum_of(std::size_t terms) {
  Expr expr;
  expr.nodes.resize(terms + 1);
  for (std::uint32_t k = 0; k < terms; ++k) expr.nodes[k].input = k;
  expr.nodes.back().kind = ExprNode::Kind::Combine;
  expr.nodes.back().combination = Combination::Sum;
  expr.nodes.back().arity = static_cast<std::uint32_t>(terms);
  return expr;
}

Expr concat_of(std::size_t terms) {
  Expr expr = sum_of(terms);
  expr.nodes.back().combination = Combination::Concat;
  expr.nodes.back().axis = 0;
  return expr;
}

// Functions of rows, which need not be stored where a sum is all that reads them.
bool is_function_of_rows(const Op& op) {
  const auto* vjp = std::get_if<VjpOp>(&op.attributes);
  return op.kind() == OpKind::Map || (vjp != nullptr && std::holds_alternative<MapOp>(vjp->of));
}

}  // namespace

GradientSum::GradientSum(Program& program, std::vector<bool> path)
    : program_(program),
      path_(std::move(path)),
      leaves_(program),
      whole_(path_.size()),
      reads_(path_.size()),
      rows_(path_.size()) {}

void GradientSum::add(ValueId value, ValueId gradient) {
  const Op& to = program_.op(value);
  const Op& from = program_.op(gradient);
  VECC_CHECK(from.rows == to.rows && from.shape == to.shape,
             "a gradient of another size than " + std::string(text_of(to.kind())));
  if (wants(value)) whole_[value].push_back(gradient);
}

void GradientSum::add_read(ValueId value, Read read) {
  VECC_CHECK(read.rows.size() == program_.op(value).rows, "a row for each row of a value");
  if (wants(value)) reads_[value].push_back(std::move(read));
}

void GradientSum::add_slice(ValueId value, VjpOp slice, ValueId gradient) {
  if (!wants(value)) return;
  const Shape shape = program_.op(value).shape;
  const std::vector<std::uint32_t>& words = *std::get<TransformOp>(slice.of).words;
  const auto end = [](std::uint32_t word, std::uint32_t size) {
    return word == kToEnd ? size : word;
  };
  const bool is_whole = words[2] == 0 && end(words[3], shape.cols()) == shape.cols();
  slices_[value].push_back(
      {std::move(slice), gradient, words[0], end(words[1], shape.rows()), is_whole});
}

const GradientSum::Read* GradientSum::sole_read(ValueId value) const {
  const bool is_sole = reads_[value].size() == 1 && whole_[value].empty() && rows_[value].empty() &&
                       !slices_.contains(value);
  return is_sole ? &reads_[value].front() : nullptr;
}

void GradientSum::add_rows(ValueId value, ValueId gradient, const Index& rows) {
  add_rows(value, {gradient, Index::slice(0, program_.op(gradient).rows)}, rows);
}

void GradientSum::add_rows(ValueId value, const Read& read, const Index& rows) {
  if (!wants(value)) return;
  const ValueId gradient = read.gradient;
  VECC_CHECK(rows.size() == read.rows.size(), "a row for each row of a gradient");
  if (program_.op(value).kind() != OpKind::Concat) {
    if (rows.size() == 0) return;
    Rows& part = part_of(value, gradient);
    append(part.positions, read.rows);
    append(part.rows, rows);
    return;
  }
  const ConcatLeaves::View leaves = leaves_.of(value);
  std::size_t hint = 0;
  for (std::uint32_t k = 0; k < rows.size(); ++k) {
    const ConcatLeaves::Leaf& leaf = leaves.find(rows[k], hint);
    if (!wants(leaf.value)) continue;
    add_to_leaf(leaf.value, gradient, read.rows[k], leaves.first_row() + rows[k] - leaf.first_row);
  }
}

void GradientSum::add_to_leaf(ValueId leaf, ValueId gradient, std::uint32_t position,
                              std::uint32_t row) {
  Rows& part = part_of(leaf, gradient);
  part.positions.push_back(position);
  part.rows.push_back(row);
}

GradientSum::Rows& GradientSum::part_of(ValueId leaf, ValueId gradient) {
  std::vector<Rows>& parts = rows_[leaf];
  if (parts.empty() || parts.back().gradient != gradient) parts.push_back({gradient, {}, {}});
  return parts.back();
}

Result<std::optional<ValueId>> GradientSum::sum(ValueId value, const Note& note) {
  std::vector<ValueId> terms(whole_[value].begin(), whole_[value].end());
  for (const Read& read : reads_[value]) {
    terms.push_back(program_.gather(read.gradient, read.rows, note));
  }
  VECC_TRY_VOID(sum_slices(value, note, terms));
  if (std::vector<Rows> parts = std::exchange(rows_[value], {}); !parts.empty()) {
    for (Rows& part : take_functions(value, parts)) {
      std::vector<Rows> one;
      one.push_back(std::move(part));
      VECC_TRY(const ValueId rows, sum_rows(value, std::move(one), note));
      terms.push_back(rows);
    }
    if (!parts.empty()) {
      VECC_TRY(const ValueId rows, sum_rows(value, std::move(parts), note));
      terms.push_back(rows);
    }
  }
  if (terms.empty()) return std::optional<ValueId>();
  VECC_TRY(const ValueId all, sum_whole(terms, note));
  return std::optional<ValueId>(all);
}

// Slices that are a row together, and none of it twice, are put one after another, instead of each
// between zeros and all added up.
Result<void> GradientSum::sum_slices(ValueId value, const Note& note, std::vector<ValueId>& terms) {
  const auto found = slices_.find(value);
  if (found == slices_.end()) return {};
  std::vector<Slice> slices = std::move(found->second);
  slices_.erase(found);
  std::ranges::stable_sort(slices, {}, &Slice::begin);
  std::uint32_t end = 0;
  bool is_row = slices.size() > 1 && slices.size() <= kMostTerms;
  for (const Slice& slice : slices) {
    is_row = is_row && slice.is_whole && slice.begin == end;
    end = slice.end;
  }
  if (is_row && end == program_.op(value).shape.rows()) {
    std::vector<ValueId> gradients;
    for (const Slice& slice : slices) gradients.push_back(slice.gradient);
    terms.push_back(program_.map(concat_of(gradients.size()), gradients, note));
    return {};
  }
  for (Slice& slice : slices) {
    VECC_TRY(const ValueId padded,
             program_.add(std::move(slice.vjp), Operands{slice.gradient}, note));
    terms.push_back(padded);
  }
  return {};
}

// A function that fans out (a message for each edge) stands beside gradients of a row for each row
// of the value: in a concat with those all of it would be stored, its own sum may compute it.
std::vector<GradientSum::Rows> GradientSum::take_functions(ValueId value,
                                                           std::vector<Rows>& parts) {
  std::vector<Rows> taken;
  if (leaves_.family(value) != value) return taken;
  const std::uint32_t rows = program_.op(value).rows;
  const auto fans_out = [&](const Rows& part) {
    const Op& op = program_.op(part.gradient);
    return op.rows > rows && part.positions.size() <= op.rows && is_function_of_rows(op);
  };
  if (std::ranges::all_of(parts, fans_out)) return taken;
  for (Rows& part : parts) {
    if (fans_out(part)) taken.push_back(std::move(part));
  }
  std::erase_if(parts, [](const Rows& part) { return part.positions.empty(); });
  return taken;
}

// A few rows of a long gradient are read before they are joined with others.
void GradientSum::read_few(Rows& part, const Note& note) {
  if (program_.op(part.gradient).rows <= kMostGrowth * part.positions.size()) return;
  std::vector<std::uint32_t> read(part.positions.size());
  std::iota(read.begin(), read.end(), 0u);
  std::swap(read, part.positions);
  part.gradient = program_.gather(part.gradient, Index::compact(std::move(read)), note);
}

Result<ValueId> GradientSum::join(ValueId value, std::vector<Rows>& parts, const Note& note) {
  for (Rows& part : parts) read_few(part, note);
  Buffer& buffer = buffers_[leaves_.family(value)];
  std::uint64_t rows = 0;
  for (const Rows& part : parts) rows += program_.op(part.gradient).rows;
  if (buffer.rows > kMostGrowth * rows) buffer = {};
  Operands operands;
  if (buffer.value) operands.push_back(*buffer.value);
  for (const Rows& part : parts) {
    const auto first = static_cast<std::uint32_t>(buffer.rows);
    if (!buffer.first_row.try_emplace(part.gradient, first).second) continue;
    buffer.rows += program_.op(part.gradient).rows;
    operands.push_back(part.gradient);
  }
  if (!buffer.value || operands.size() > 1) {
    VECC_TRY(buffer.value, program_.add(ConcatOp{}, std::move(operands), note));
  }
  for (Rows& part : parts) {
    const std::uint32_t first = buffer.first_row.at(part.gradient);
    for (std::uint32_t& position : part.positions) position += first;
  }
  return *buffer.value;
}

// One gather of the readers of each row, and one segment for each.
Result<ValueId> GradientSum::sum_rows(ValueId value, std::vector<Rows> parts, const Note& note) {
  ValueId from = parts[0].gradient;
  const bool is_one = std::ranges::all_of(
      parts, [&](const Rows& part) { return part.gradient == parts[0].gradient; });
  if (!is_one) {
    VECC_TRY(from, join(value, parts, note));
  }
  std::vector<std::uint32_t> positions = std::move(parts[0].positions);
  std::vector<std::uint32_t> rows = std::move(parts[0].rows);
  for (std::size_t k = 1; k < parts.size(); ++k) {
    positions.insert(positions.end(), parts[k].positions.begin(), parts[k].positions.end());
    rows.insert(rows.end(), parts[k].rows.begin(), parts[k].rows.end());
    parts[k] = {};
  }
  InverseIndex inverse = inverse_index(rows, program_.op(value).rows);
  ListThreads::for_ranges(inverse.readers.size(), [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) inverse.readers[begin] = positions[inverse.readers[begin]];
  });
  const ValueId read = program_.gather(from, Index::compact(std::move(inverse.readers)), note);
  Segments segments = segments_of(std::move(inverse.offsets));
  if (segments.is_fixed() && segments.members() == 1) return read;
  return program_.segment(read, std::move(segments), Combination::Sum, note);
}

Result<ValueId> GradientSum::sum_whole(const std::vector<ValueId>& terms, const Note& note) {
  if (terms.size() == 1) return terms[0];
  if (terms.size() <= kMostTerms) return program_.map(sum_of(terms.size()), terms, note);
  VECC_TRY(const ValueId all, program_.add(ConcatOp{}, Operands(terms.begin(), terms.end()), note));
  const auto members = static_cast<std::uint32_t>(terms.size());
  return program_.segment(all, Segments::fixed(members, 1), Combination::Sum, note);
}

}  // namespace vecc::autodiff
