// Ops that store and move rows.
#include <algorithm>
#include <utility>

#include "src/emit/python/op_emitter.h"

namespace vecc::python {
namespace {

// How rows of `shape` are repeated without a copy: `.expand(4, -1)`.
std::string expand(std::uint32_t rows, Shape shape) {
  std::string text = ".expand(" + std::to_string(rows);
  for (std::size_t d = 0; d < dimensions(shape).size(); ++d) text += ", -1";
  return text + ")";
}

std::string repeat(std::uint32_t times, Shape shape) {
  std::string text = ".repeat(" + std::to_string(times);
  for (std::size_t d = 0; d < dimensions(shape).size(); ++d) text += ", 1";
  return text + ")";
}

std::string range(std::uint64_t begin, std::uint64_t end) {
  return "[" + (begin == 0 ? "" : std::to_string(begin)) + ":" + std::to_string(end) + "]";
}

bool is_constant(const Index& index) {
  const auto list = index.array();
  return !list.empty() && std::ranges::adjacent_find(list, std::not_equal_to<>()) == list.end();
}

}  // namespace

Code OpEmitter::emit_op(const FactOp& op, ValueId id) {
  if (op.unit) return Code(buffers_.one(), ".expand(", op.rows, ")");
  Buffers::Shape shape = dimensions(op.shape);
  shape.insert(shape.begin(), op.rows);
  return Code(buffers_.add_numbers(label("fact", id), *op.values, std::move(shape)));
}

Code OpEmitter::cat(std::span<const ValueId> values) const {
  Code code("torch.cat([");
  Pieces names;
  const auto flush = [&](bool more) {
    if (names.names.empty()) return;
    code.add(std::exchange(names, {}));
    if (more) code.add(", ");
  };
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto& tokens = reads_[values[k]].tokens();
    if (tokens.size() == 1 && tokens[0].kind == Token::Kind::Name) {
      names.names.push_back(tokens[0].id);
      continue;
    }
    flush(/*more=*/true);
    code.add(reads_[values[k]]);
    if (k + 1 < values.size()) code.add(", ");
  }
  flush(/*more=*/false);
  code.add("])");
  return code;
}

Code OpEmitter::emit_op(const ConcatOp&, ValueId id) {
  return cat(chains_.pieces(id));
}

Code OpEmitter::select(const Code& source, Shape shape, std::uint32_t source_rows,
                       const Index& index, ValueId id) {
  const auto first = [&](std::uint32_t rows) {
    return rows == source_rows ? source : Code(source, range(0, rows));
  };
  const std::uint64_t begin = index.begin();
  switch (index.form()) {
    case Index::Form::Slice:
      return index.size() == source_rows ? source
                                         : Code(source, range(begin, begin + index.size()));
    case Index::Form::Stride: {
      const std::uint64_t end = begin + std::uint64_t{index.step()} * (index.size() - 1) + 1;
      return Code(source, "[", begin, ":", end, ":", index.step(), "]");
    }
    case Index::Form::Repeat:
      if (index.step() == 1) return Code(first(1), expand(index.size(), shape));
      return Code(first(index.step()), repeat(index.size() / index.step(), shape));
    case Index::Form::Interleave: {
      const std::uint32_t rows = index.size() / index.step();
      if (rows == 1) return Code(first(1), expand(index.size(), shape));
      return Code(first(rows), ".repeat_interleave(", index.step(), ", 0)");
    }
    case Index::Form::List: break;
  }
  if (is_constant(index)) {
    const std::uint64_t row = index[0];
    const Code one = source_rows == 1 ? source : Code(source, range(row, row + 1));
    return Code(one, expand(index.size(), shape));
  }
  const Buffer rows = buffers_.add_rows(label("index", id), index.array(), {index.size()});
  return Code(source, ".index_select(0, ", rows, ")");
}

Code OpEmitter::emit_op(const GatherOp& op, ValueId id) {
  const ValueId from = program_.op(id).operands[0];
  if (!chains_.is_stored(from)) return gather_chained(op, id);
  const Op& source = program_.op(from);
  return select(reads_[from], source.shape, source.rows, op.index, id);
}

// From a concat that is not stored: of the pieces that are read, the rows that are read, or all of
// them where that is not much more.
Code OpEmitter::gather_chained(const GatherOp& op, ValueId id) {
  const ValueId from = program_.op(id).operands[0];
  struct Read {
    std::uint32_t piece;
    std::uint32_t row;    // of the piece
    std::uint32_t place;  // in the gather
  };
  std::vector<Read> reads;
  for (std::uint32_t i = 0; i < op.index.size(); ++i) {
    const std::uint32_t piece = chains_.piece_at(from, op.index[i]);
    reads.push_back({piece, op.index[i] - chains_.piece(from, piece).begin, i});
  }
  std::ranges::stable_sort(reads, {}, &Read::piece);
  std::vector<ValueId> whole;
  Code parts;
  std::uint32_t part_rows = 0;
  std::vector<std::uint32_t> index(op.index.size());
  std::uint32_t step = 0;
  bool all_whole = true;
  for (std::size_t begin = 0; begin < reads.size();) {
    std::size_t end = begin;
    while (end < reads.size() && reads[end].piece == reads[begin].piece) ++end;
    const ValueId value = chains_.piece(from, reads[begin].piece).value;
    const Op& piece = program_.op(value);
    const bool takes_all = piece.rows <= 2 * (end - begin);
    std::vector<std::uint32_t> rows;
    for (std::size_t i = begin; i < end; ++i) {
      index[reads[i].place] =
          part_rows + (takes_all ? reads[i].row : static_cast<std::uint32_t>(rows.size()));
      rows.push_back(reads[i].row);
    }
    if (begin > 0) parts.add(", ");
    if (takes_all) {
      whole.push_back(value);
      parts.add(reads_[value]);
      part_rows += piece.rows;
    } else {
      all_whole = false;
      const Buffer picked =
          buffers_.add_rows(label("index", id) + "_" + std::to_string(step++), rows, {rows.size()});
      parts.add(Code(reads_[value], ".index_select(0, ", picked, ")"));
      part_rows += static_cast<std::uint32_t>(rows.size());
    }
    begin = end;
  }
  const bool one_part = reads.front().piece == reads.back().piece;
  const Code source = one_part ? parts : all_whole ? cat(whole) : Code("torch.cat([", parts, "])");
  return select(source, program_.op(id).shape, part_rows, Index::compact(std::move(index)), id);
}

}  // namespace vecc::python
