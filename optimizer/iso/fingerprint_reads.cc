// Classes of rows that are functions of a few rows each: first told apart by what they read, then
// fingerprinted once for each that is different.
#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <utility>

#include "optimizer/iso/expr_fingerprint.h"
#include "optimizer/iso/fingerprint_classes.h"
#include "optimizer/iso/linear_fingerprint.h"
#include "optimizer/rewrite/distinct_rows.h"
#include "optimizer/rewrite/equal_rows.h"
#include "optimizer/rewrite/keep_least.h"
#include "src/program/members.h"

namespace vecc::opt::iso {
namespace {

// The sum of the elements by their places; zeros cost nothing.
Residues wide_constant(const Keys& keys, std::span<const Residues> positions,
                       const NumberRow& row) {
  ProductSum sum;
  for (std::size_t k = 0; k < positions.size(); ++k) {
    const Residues element = keys.constant(row[k]);
    if (!element.is_zero()) sum.add(positions[k], element);
  }
  return sum.value();
}

std::vector<std::uint32_t> lifted(const std::vector<std::uint32_t>& of_row, const Lift& lift,
                                  std::uint32_t rows) {
  return list_of(rows, [&](std::uint32_t i) {
    return of_row[unlifted_row(lift, static_cast<std::uint32_t>(of_row.size()), i)];
  });
}

using Firsts = std::vector<std::uint32_t>;  // by row: the first row that reads the same

// By class; classes are below `count`.
Firsts first_of_class(const std::vector<std::uint32_t>& of_row, std::uint32_t count) {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  constexpr std::size_t kSparse = 8;  // classes a row from which on a table by class is too long
  const auto rows = static_cast<std::uint32_t>(of_row.size());
  if (count > kSparse * of_row.size()) {
    return EqualRows::find_words(rows, 1, [&](std::uint32_t i, std::size_t) { return of_row[i]; });
  }
  std::vector<std::uint32_t> first = long_list(count, kNone);
  ListThreads::for_ranges(rows, [&](std::size_t begin, std::size_t end) {
    keep_least_of_each(first, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end),
                       [&](std::uint32_t i) { return of_row[i]; });
  });
  return list_of(rows, [&](std::uint32_t i) { return first[of_row[i]]; });
}

bool is_one_class(const std::vector<std::uint32_t>& of_row) {
  return holds_for_all(of_row.size(), [&](std::size_t i) { return of_row[i] == of_row[0]; });
}

// The words of all rows, one after another; none if all rows have the same.
std::span<const std::uint32_t> row_words(const TransformOp& transform) {
  const std::size_t width = word_count(transform.transformation.id);
  if (width == 0 || transform.words->size() == width) return {};
  return *transform.words;
}

std::span<const std::uint32_t> words_of(const TransformOp& transform, std::uint32_t row) {
  const std::size_t width = word_count(transform.transformation.id);
  if (width == 0) return {};
  const bool by_row = transform.words->size() != width;
  return std::span(*transform.words).subspan(by_row ? width * row : 0, width);
}

}  // namespace

template <class Fingerprint>
ValueClasses FingerprintClasses::by_reads(ValueId id, const Apart& apart,
                                          const Fingerprint& fingerprint, bool are_different) {
  if (apart.by != nullptr) return by_classes(id, *apart.by, fingerprint, are_different);
  ValueClasses result = start(id);
  const std::uint32_t rows = program_.op(id).rows;
  if (are_different && !apart.first) {
    const std::uint32_t begin = result.table->append_all(rows, fingerprint);
    result.of_row = list_of(rows, [begin](std::uint32_t i) { return begin + i; });
  } else if (rows == 1) {  // of nearly all values of a deep recursion
    Scratch parts(result.table->part_count());
    const bool doubtful = [&parts, own = fingerprint]() mutable { return own(0, parts); }();
    result.of_row.push_back(result.table->append(parts, doubtful));
  } else if (!apart.first) {
    result.of_row = unset_list<std::uint32_t>(rows);
    result.table->insert_all_by_threads(
        rows, fingerprint,
        [&](std::uint32_t i, std::uint32_t row_class) { result.of_row[i] = row_class; });
  } else {
    result.of_row = unset_list<std::uint32_t>(rows);
    by_first_rows(*apart.first, fingerprint, are_different, result);
  }
  result.numbered = result.table->size();
  return result;
}

template <class Fingerprint>
void FingerprintClasses::by_first_rows(const Firsts& first, const Fingerprint& fingerprint,
                                       bool are_different, ValueClasses& result) {
  const auto rows = static_cast<std::uint32_t>(first.size());
  const std::vector<std::uint32_t> different =
      entries_where(rows, [&](std::uint32_t i) { return first[i] == i; });
  const auto count = static_cast<std::uint32_t>(different.size());
  const auto fill = [&different, own = fingerprint](std::uint32_t n,
                                                    std::span<Residues> parts) mutable {
    return own(different[n], parts);
  };
  const auto keep = [&](std::uint32_t n, std::uint32_t row_class) {
    result.of_row[different[n]] = row_class;
  };
  if (are_different) {
    const std::uint32_t begin = result.table->append_all(count, fill);
    ListThreads::for_ranges(count, [&](std::size_t from, std::size_t end) {
      for (auto n = static_cast<std::uint32_t>(from); n < end; ++n) keep(n, begin + n);
    });
  } else {
    result.table->insert_all_by_threads(count, fill, keep);
  }
  ListThreads::for_ranges(rows, [&](std::size_t begin, std::size_t end) {
    for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
      if (first[i] != i) result.of_row[i] = result.of_row[first[i]];
    }
  });
}

// Class after class of what is read, where they lie: no row is looked at.
template <class Fingerprint>
ValueClasses FingerprintClasses::by_classes(ValueId id, const ValueClasses& read,
                                            const Fingerprint& fingerprint, bool are_different) {
  ValueClasses result = start(id);
  const auto rows = static_cast<std::uint32_t>(read.of_row.size());
  if (are_different) {
    const std::uint32_t begin = result.table->append_all(read.numbered, fingerprint);
    result.of_row = list_of(rows, [&](std::uint32_t i) { return begin + read.of_row[i]; });
  } else {
    std::vector<std::uint32_t> class_of = unset_list<std::uint32_t>(read.numbered);
    result.table->insert_all_by_threads(
        read.numbered, fingerprint,
        [&](std::uint32_t read_class, std::uint32_t made) { class_of[read_class] = made; });
    result.of_row = list_of(rows, [&](std::uint32_t i) { return class_of[read.of_row[i]]; });
  }
  result.numbered = result.table->size();
  return result;
}

template <class Fingerprint>
ValueClasses FingerprintClasses::by_hashed_reads(ValueId id, const Apart& apart,
                                                 const Fingerprint& fingerprint) {
  if (!reads_repeats(id)) {
    std::atomic<std::uint32_t> zeros{0};
    const auto count_zeros = [&zeros, own = fingerprint](std::uint32_t i,
                                                         std::span<Residues> parts) mutable {
      const bool doubtful = own(i, parts);
      if (is_zero(parts) && zeros.load(std::memory_order_relaxed) <= 1) {
        zeros.fetch_add(1, std::memory_order_relaxed);
      }
      return doubtful;
    };
    ValueClasses result = by_reads(id, apart, count_zeros, /*are_different=*/true);
    if (zeros <= 1) return result;
  }
  return by_reads(id, apart, fingerprint);
}

bool FingerprintClasses::reads_repeats(ValueId id) const {
  const Operands& operands = program_.op(id).operands;
  return std::ranges::any_of(operands, [&](ValueId value) { return classes_[value]->repeats; });
}

FingerprintClasses::Apart FingerprintClasses::apart_by_few_reads(
    ValueId id, std::span<const std::uint32_t> words) {
  const bool is_soon_made = keys_.part_count(program_.op(id).shape) == 1;
  const std::vector<const ValueClasses*> reads = reads_by_row(id);
  const bool by_class = words.empty() && reads.size() == 1 && reads[0]->numbered > 0;
  return is_soon_made && !by_class && reads_many(id) ? Apart() : apart_by_reads(id, words);
}

// Classes that are not numbered may be few of many.
FingerprintClasses::Apart FingerprintClasses::apart_by_class(const ValueClasses& read) {
  if (read.numbered > 0) return {std::nullopt, &read};
  return {first_of_class(read.of_row, read.table->size()), nullptr};
}

bool FingerprintClasses::reads_many(ValueId id) const {
  constexpr double kMany = 8;  // pairs a row from which on few rows have the same by chance
  const Op& op = program_.op(id);
  double most = 1;
  for (std::size_t k = 0; k < op.operands.size(); ++k) {
    const ValueClasses& read = operand(id, k);
    if (read.of_row.size() != op.rows) continue;
    if (read.table->size() >= op.rows / 2) return true;
    most *= read.table->size();
  }
  return most >= kMany * op.rows;
}

// Each once, but those that all rows read.
std::vector<const ValueClasses*> FingerprintClasses::reads_by_row(ValueId id) const {
  const Op& op = program_.op(id);
  std::vector<const ValueClasses*> reads;
  for (std::size_t k = 0; k < op.operands.size(); ++k) {
    const ValueClasses& read = operand(id, k);
    const bool by_row = read.of_row.size() == op.rows;
    if (by_row && std::ranges::count(reads, &read) == 0) reads.push_back(&read);
  }
  return reads;
}

FingerprintClasses::Apart FingerprintClasses::apart_by_reads(ValueId id,
                                                             std::span<const std::uint32_t> words) {
  const Op& op = program_.op(id);
  const std::vector<const ValueClasses*> reads = reads_by_row(id);
  const auto tells_apart = [&](const ValueClasses* read) {
    return is_ascending(read->of_row, op.rows);
  };
  if (std::ranges::any_of(reads, tells_apart)) return {};
  if (words.empty() && reads.size() == 1) return apart_by_class(*reads[0]);
  const std::size_t own_words = words.size() / std::max(op.rows, 1u);
  const std::size_t width = own_words + reads.size();
  return {EqualRows::find_words(op.rows, width,
                                [&](std::uint32_t i, std::size_t k) {
                                  return k < own_words ? words[i * own_words + k]
                                                       : reads[k - own_words]->of_row[i];
                                }),
          nullptr};
}

ValueClasses FingerprintClasses::classes(const FactOp& fact, ValueId id) {
  if (fact.unit) {
    const auto fill_one = [](std::uint32_t, std::span<Residues> y) {
      y[0] = kOne;
      return false;
    };
    return by_reads(id, {Firsts(fact.rows, 0), nullptr}, fill_one);
  }
  const std::size_t size = fact.shape.size();
  const auto row = [&](std::uint32_t i) { return fact.values.row(i * size); };
  const Apart apart{first_of_constants(fact.rows, size, row), nullptr};
  Scratch positions;
  if (!keys_.is_narrow(fact.shape)) {
    for (std::size_t k = 0; k < size; ++k) positions.push_back(keys_.position(k));
  }
  return by_reads(id, apart, [&](std::uint32_t i, std::span<Residues> y) {
    if (keys_.is_narrow(fact.shape)) {
      const NumberRow constants = row(i);
      for (std::size_t k = 0; k < size; ++k) y[k] = keys_.constant(constants[k]);
    } else {
      y[0] = wide_constant(keys_, positions, row(i));
    }
    return is_doubtful(row(i), size);
  });
}

ValueClasses FingerprintClasses::classes(const LinearOp& linear, ValueId id) {
  const auto lifted_rows = [&](std::size_t k, const Lift& lift) {
    return lift.kind == Lift::Kind::None
               ? std::vector<std::uint32_t>()
               : lifted(operand(id, k).of_row, lift, program_.op(id).rows);
  };
  const auto lifted_left = lifted_rows(0, linear.lift_left);
  const auto lifted_right = lifted_rows(1, linear.lift_right);
  const auto& left_rows = !lifted_left.empty() ? lifted_left : operand(id, 0).of_row;
  const auto& right_rows = !lifted_right.empty() ? lifted_right : operand(id, 1).of_row;

  const std::uint32_t rows = program_.op(id).rows;
  const bool are_different = is_ascending(left_rows, rows) || is_ascending(right_rows, rows);
  const bool is_one_left = !are_different && is_one_class(left_rows);
  const bool is_one_right = !are_different && !is_one_left && is_one_class(right_rows);
  const auto by_class = [&](std::size_t k, const std::vector<std::uint32_t>& rows_of) {
    const ValueClasses& read = operand(id, k);
    if (&rows_of == &read.of_row) return apart_by_class(read);
    return Apart{first_of_class(rows_of, read.table->size()), nullptr};
  };
  Apart apart;
  if (is_one_left) {
    apart = by_class(1, right_rows);
  } else if (is_one_right) {
    apart = by_class(0, left_rows);
  } else if (!are_different && tells_apart_ &&
             keys_.part_count(program_.op(id).shape) > 1) {  // of one, it is as soon made
    apart.first = EqualRows::find_pairs(
        rows, [&](std::uint32_t i) { return left_rows[i]; },
        [&](std::uint32_t i) { return right_rows[i]; });
  }
  const Shape left_shape = program_.op(program_.op(id).operands[0]).shape;
  const Shape right_shape = program_.op(program_.op(id).operands[1]).shape;
  const LinearFingerprint products(
      keys_, {operand(id, 0).table.get(), left_rows, left_shape, linear.transpose_left},
      {operand(id, 1).table.get(), right_rows, right_shape, linear.transpose_right});
  const auto times = [&, own = products](std::uint32_t i, std::span<Residues> y) mutable {
    if (apart.by == nullptr) return own(i, y);
    return is_one_left ? own.multiply(left_rows[0], i, y) : own.multiply(i, right_rows[0], y);
  };
  const bool hashes = is_hashed_product(keys_, left_shape, right_shape);
  if (hashes && (are_different || apart.is_known())) return by_hashed_reads(id, apart, times);
  if (tells_apart_ || apart.is_known()) return by_reads(id, apart, times);
  ValueClasses result = by_reads(id, apart, times, /*are_different=*/true);
  result.repeats = true;
  return result;
}

ValueClasses FingerprintClasses::classes(const TransformOp& transform, ValueId id) {
  const auto words = row_words(transform);
  const Apart apart = apart_by_reads(id, words);
  const OperandRows read = operand_rows(id, apart.by)[0];
  const Shape shape = program_.op(id).shape;
  const auto compute = [&, read, keys = keys_](std::uint32_t i, std::span<Residues> y) {
    read.prefetch_ahead(i);
    const RowFingerprint x = read[i];
    fingerprint_transformation(keys, transform.transformation, words_of(transform, i), x, shape, y);
    return x.doubtful || makes_doubt(transform.transformation.id);
  };
  const bool hashes =
      words.empty() && info(transform.transformation.id).fingerprint == FunctionFingerprint::Hashed;
  return hashes ? by_hashed_reads(id, apart, compute) : by_reads(id, apart, compute);
}

// Whether rows are one operand's with the same added to each, or each multiplied by the same that
// is not 0: different where those are. (An operand that the map does not read may have rows, too.)
bool FingerprintClasses::is_one_to_one(const MapOp& map, ValueId id) const {
  const Op& op = program_.op(id);
  const std::vector<ExprNode>& nodes = map.expr->nodes;
  const bool multiplies = nodes.back().combination == Combination::ElProduct;
  if (nodes.back().kind != ExprNode::Kind::Combine) return false;
  if (!multiplies && nodes.back().combination != Combination::Sum) return false;
  const auto is_factor = [](const Residues& part) { return part.first != 0 && part.second != 0; };
  std::size_t by_row = 0;
  for (const ExprNode& node : std::span(nodes).first(nodes.size() - 1)) {
    if (node.kind == ExprNode::Kind::Constant) {
      if (multiplies && !is_factor(keys_.constant(node.constant))) return false;
      continue;
    }
    if (node.kind != ExprNode::Kind::Input) return false;
    const ValueClasses& read = operand(id, node.input);
    if (read.of_row.size() == op.rows) {
      const bool is_like_result = program_.op(op.operands[node.input]).shape == op.shape;
      if (++by_row > 1 || !is_like_result || read.repeats) return false;
    } else if (multiplies) {
      if (!std::ranges::all_of(read.table->parts(read.of_row[0]), is_factor)) return false;
    }
  }
  return by_row == 1 && reads_by_row(id).size() == 1;
}

ValueClasses FingerprintClasses::classes(const MapOp& map, ValueId id) {
  const Operands& operands = program_.op(id).operands;
  std::vector<Shape> shapes;
  for (const ValueId operand : operands) shapes.push_back(program_.op(operand).shape);
  const bool are_different = is_one_to_one(map, id);
  const Apart apart = are_different ? apart_by_reads(id) : apart_by_few_reads(id);
  const auto compute = [read = operand_rows(id, apart.by),
                        expr = ExprFingerprint(keys_, *map.expr, shapes),
                        elements = std::vector<RowFingerprint>(operands.size())](
                           std::uint32_t i, std::span<Residues> y) mutable {
    for (std::size_t k = 0; k < read.size(); ++k) {
      read[k].prefetch_ahead(i);
      elements[k] = read[k][i];
    }
    return expr.compute(elements, y);
  };
  return by_reads(id, apart, compute, are_different);
}

// A hash of the function and of all that it reads, for each element; zero where g is.
ValueClasses FingerprintClasses::row_wise_classes(const VjpOp& vjp, ValueId id) {
  const auto* transform = std::get_if<TransformOp>(&vjp.of);
  const auto words = transform ? row_words(*transform) : std::span<const std::uint32_t>();
  KeyedHash function = keys_.named(HashTag::Vjp, transform ? text_of(transform->transformation)
                                                           : std::get<MapOp>(vjp.of).expr->text());
  function.add(vjp.wrt).add(vjp.shape.rows()).add(vjp.shape.cols());
  for (const ValueId operand : program_.op(id).operands) {
    function.add(keys_.part_count(program_.op(operand).shape));
  }
  const Apart apart = reads_repeats(id) ? apart_by_few_reads(id, words) : apart_by_reads(id, words);
  const auto compute = [&, read = operand_rows(id, apart.by)](std::uint32_t i,
                                                              std::span<Residues> y) {
    for (const OperandRows& rows : read) rows.prefetch_ahead(i);
    if (is_zero(read.back()[i].parts)) {
      std::ranges::fill(y, kZero);
      return false;
    }
    KeyedHash hash = function;
    if (transform) {
      for (const std::uint32_t word : words_of(*transform, i)) hash.add(word);
    }
    for (const OperandRows& rows : read) {
      for (const Residues& part : rows[i].parts) hash.add(part);
    }
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = hash.value_with(j);
    return true;  // a derivative may be infinite
  };
  return by_hashed_reads(id, apart, compute);
}

}  // namespace vecc::opt::iso
