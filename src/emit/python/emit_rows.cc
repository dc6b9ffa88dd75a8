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
  return Code(buffers_.add_numbers(label("fact", id), op.values, std::move(shape)));
}

Code OpEmitter::cat(std::span<const Code> parts) {
  Code code("torch.cat([");
  Pieces names;
  const auto flush = [&](bool more) {
    if (names.names.empty()) return;
    code.add(std::exchange(names, {}));
    if (more) code.add(", ");
  };
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto& tokens = parts[k].tokens();
    if (tokens.size() == 1 && tokens[0].kind == Token::Kind::Name) {
      names.names.push_back(tokens[0].id);
      continue;
    }
    flush(/*more=*/true);
    code.add(parts[k]);
    if (k + 1 < parts.size()) code.add(", ");
  }
  flush(/*more=*/false);
  code.add("])");
  return code;
}

Code OpEmitter::emit_op(const ConcatOp&, ValueId id) {
  std::vector<Code> parts;
  for (const ValueId piece : chains_.pieces(id)) parts.push_back(reads_[piece]);
  return cat(parts);
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

// Rows of one piece of a concat that is not stored, for a gather.
struct OpEmitter::PieceReads {
  ValueId value = 0;
  std::vector<std::uint32_t> rows;    // of the piece
  std::vector<std::uint32_t> places;  // in the gather
};

std::vector<OpEmitter::PieceReads> OpEmitter::reads_by_piece(const GatherOp& op,
                                                             ValueId concat) const {
  struct Read {
    std::uint32_t piece;
    std::uint32_t place;
  };
  std::vector<Read> reads;
  for (std::uint32_t i = 0; i < op.index.size(); ++i) {
    reads.push_back({chains_.piece_at(concat, op.index[i]), i});
  }
  std::ranges::stable_sort(reads, {}, &Read::piece);
  std::vector<PieceReads> result;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const ConcatPiece& piece = chains_.piece(concat, reads[i].piece);
    if (i == 0 || reads[i].piece != reads[i - 1].piece) result.push_back({piece.value, {}, {}});
    result.back().rows.push_back(op.index[reads[i].place] - piece.begin);
    result.back().places.push_back(reads[i].place);
  }
  return result;
}

// From a concat that is not stored: of the pieces that are read, the rows that are read, or all of
// them where that is not much more.
Code OpEmitter::gather_chained(const GatherOp& op, ValueId id) {
  const std::vector<PieceReads> reads = reads_by_piece(op, program_.op(id).operands[0]);
  std::vector<std::uint32_t> index(op.index.size());
  std::vector<Code> parts;
  std::uint32_t rows = 0;
  for (const PieceReads& read : reads) {
    const std::uint32_t all = program_.op(read.value).rows;
    const bool takes_all = all <= 2 * read.rows.size();
    for (std::uint32_t i = 0; i < read.rows.size(); ++i) {
      index[read.places[i]] = rows + (takes_all ? read.rows[i] : i);
    }
    rows += takes_all ? all : static_cast<std::uint32_t>(read.rows.size());
    if (takes_all) {
      parts.push_back(reads_[read.value]);
      continue;
    }
    const std::string name = label("index", id) + "_" + std::to_string(parts.size());
    const Buffer picked = buffers_.add_rows(name, read.rows, {read.rows.size()});
    parts.push_back(Code(reads_[read.value], ".index_select(0, ", picked, ")"));
  }
  const Code source = parts.size() == 1 ? parts[0] : cat(parts);
  return select(source, program_.op(id).shape, rows, Index::compact(std::move(index)), id);
}

}  // namespace vecc::python
