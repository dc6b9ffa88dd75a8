// simplify-gathers: every gather reads as little and as regularly as its rows allow. In this order:
//   1. A gather of a gather is one gather; a gather that reads only one operand of a concat reads
//      that operand.
//   2. All rows in order: no gather. One row, or a constant step above 0: a slice or stride, which
//      backends read in place. 0 .. p-1 again and again, or each of 0 .. r-1 some times, in more
//      than 24 entries: a repeat or interleave. Else the list.
//   3. A list of at most 24 entries that reads only operands of one row of a concat becomes the
//      concat of those operands in that order, with repeats.
//   4. Operands that no gather reads are dropped from a concat that only gathers read.
//
//   %2 = concat %0, %1 : f32[2, 3x3]              # %0, %1 have one row
//   %3 = gather %2 [0, 0, 1] : f32[3, 3x3]
//   %4 = gather %3 [0, 1] : f32[2, 3x3]
//   =>
//   %2 = concat %0, %0, %1 : f32[3, 3x3]
//   %3 = concat %0, %0 : f32[2, 3x3]
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "optimizer/passes/passes.h"
#include "optimizer/rewrite/concat_parts.h"
#include "optimizer/rewrite/rewriter.h"
#include "src/program/index_algebra.h"

namespace vecc::opt {
namespace {

// Which operands of the concats are read, where nothing but gathers reads a concat. What no output
// or update needs does not count as a reader.
class ReadOperands {
 public:
  ReadOperands(const Program& program, ConcatParts& parts)
      : program_(program),
        parts_(parts),
        live_(program.ops().size()),
        read_(live_.size()),
        unread_(live_.size()) {
    for (auto id = static_cast<ValueId>(live_.size()); id-- > 0;) visit(id);
  }

  /// Whether an output or update needs it.
  [[nodiscard]] bool is_live(ValueId id) const { return live_[id]; }
  /// Whether concat `id` has operands that are not read.
  [[nodiscard]] bool drops(ValueId id) const {
    return std::ranges::find(read_[id], false) != read_[id].end();
  }
  [[nodiscard]] bool is_read(ValueId concat, std::size_t operand) const {
    return read_[concat][operand];
  }

 private:
  // Readers come after what they read, so all of them have been visited.
  void visit(ValueId id) {
    const Op& op = program_.op(id);
    if (op.kind() == OpKind::Output || op.kind() == OpKind::Update) live_[id] = true;
    if (!live_[id]) return;
    // All of its readers are empty gathers: any operand serves.
    if (op.kind() == OpKind::Concat && std::ranges::find(read_[id], true) == read_[id].end()) {
      read_[id][0] = true;
    }
    for (std::size_t k = 0; k < op.operands.size(); ++k) {
      if (op.kind() == OpKind::Concat && !read_[id][k]) continue;
      live_[op.operands[k]] = true;
      if (program_.op(op.operands[k]).kind() == OpKind::Concat) read(op.operands[k], op);
    }
  }

  void read(ValueId concat, const Op& reader) {
    std::vector<bool>& read = read_[concat];
    if (read.empty()) {
      read.resize(program_.op(concat).operands.size());
      unread_[concat] = read.size();
    }
    std::size_t& unread = unread_[concat];
    if (unread == 0) return;
    const auto* gather = std::get_if<GatherOp>(&reader.attributes);
    if (gather == nullptr) {
      read.assign(read.size(), true);
      unread = 0;
      return;
    }
    ConcatCursor cursor(parts_.of(concat));
    for (std::uint32_t i = 0; i < gather->index.size() && unread > 0; ++i) {
      const std::size_t k = cursor.operand_at(gather->index[i]);
      if (!read[k]) --unread;
      read[k] = true;
    }
  }

  const Program& program_;
  ConcatParts& parts_;
  std::vector<bool> live_;
  std::vector<std::vector<bool>> read_;  // by concat, by operand
  std::vector<std::size_t> unread_;      // by concat that something reads: how many are not
};

// One sweep over a Program.
class SimplifySweep {
 public:
  SimplifySweep(const Program& program, PassContext& context)
      : context_(context),
        rewriter_(program),
        old_parts_(program),
        new_parts_(rewriter_.to()),
        operands_(program, old_parts_) {}

  /// The Program after the sweep; none if it is the same.
  std::optional<Program> run() {
    const Program& program = rewriter_.from();
    for (ValueId id = 0; id < program.ops().size(); ++id) {
      if (!operands_.is_live(id)) continue;  // a row that it reads may be gone
      const OpKind kind = program.op(id).kind();
      if (kind == OpKind::Gather) {
        rewrite_gather(id);
      } else if (kind == OpKind::Concat && operands_.drops(id)) {
        drop_operands(id);
      } else {
        rewriter_.copy(id);
      }
    }
    if (!changed_) return std::nullopt;
    return rewriter_.finish();
  }

 private:
  void drop_operands(ValueId id) {
    const Operands& operands = rewriter_.from().op(id).operands;
    std::vector<ValueId> kept;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (operands_.is_read(id, k)) kept.push_back(rewriter_.at(operands[k]));
    }
    context_.count("concat operands dropped", operands.size() - kept.size());
    changed_ = true;
    rewriter_.replace(id, rewriter_.to().concat(kept, rewriter_.from().op(id).note));
  }

  // A gather's rows in its operand's new form, which may have fewer operands.
  Index rows_of(ValueId id) {
    const Op& op = rewriter_.from().op(id);
    const Index& index = std::get<GatherOp>(op.attributes).index;
    const ValueId concat = op.operands[0];
    if (rewriter_.from().op(concat).kind() != OpKind::Concat || !operands_.drops(concat)) {
      return index;
    }
    const ConcatBegins begins = old_parts_.of(concat);
    std::vector<std::uint32_t> shift(begins.size() - 1);  // by operand: rows dropped before it
    for (std::size_t k = 0, dropped = 0; k < shift.size(); ++k) {
      shift[k] = static_cast<std::uint32_t>(dropped);
      if (!operands_.is_read(concat, k)) dropped += begins[k + 1] - begins[k];
    }
    ConcatCursor cursor(begins);
    std::vector<std::uint32_t> rows(index.size());
    for (std::uint32_t i = 0; i < index.size(); ++i) {
      rows[i] = index[i] - shift[cursor.operand_at(index[i])];
    }
    return Index::list(std::move(rows));
  }

  // The same rows from as near to where they are computed as can be: through gathers, and into the
  // one operand of a concat that they come from.
  GatheredRows descend(GatheredRows read) {
    if (read.rows.size() == 0) return read;
    std::uint32_t shift = 0;  // taken off read.rows at the end
    bool is_ranged = false;
    while (true) {
      const Op& op = rewriter_.to().op(read.source);
      if (const auto* gather = std::get_if<GatherOp>(&op.attributes)) {
        read.rows = compose(gather->index, shifted(read.rows, -std::int64_t{shift}));
        shift = 0;
        is_ranged = false;
        read.source = op.operands[0];
        continue;
      }
      if (op.kind() != OpKind::Concat) break;
      if (!std::exchange(is_ranged, true)) find_range(read.rows);
      const ConcatBegins begins = new_parts_.of(read.source);
      const std::size_t k = operand_at(begins, lowest_ - shift);
      if (highest_ - shift >= begins[k + 1]) break;
      shift += begins[k];
      read.source = op.operands[k];
    }
    read.rows = shifted(read.rows, -std::int64_t{shift});
    return read;
  }

  void find_range(const Index& rows) {
    lowest_ = highest_ = rows[0];
    for (std::uint32_t i = 1; i < rows.size(); ++i) {
      lowest_ = std::min(lowest_, rows[i]);
      highest_ = std::max(highest_, rows[i]);
    }
  }

  // Rule 3: the concat that holds these rows; kNoValue if it does not apply.
  ValueId short_concat(const GatheredRows& read, ValueId id) {
    const Op& op = rewriter_.to().op(read.source);
    const bool is_short = read.rows.form() == Index::Form::List && read.rows.size() <= kShortList;
    if (!is_short || op.kind() != OpKind::Concat) return kNoValue;
    const ConcatBegins begins = new_parts_.of(read.source);
    std::vector<ValueId> operands;
    for (const std::uint32_t row : read.rows.array()) {
      const std::size_t k = operand_at(begins, row);
      if (begins[k + 1] - begins[k] != 1) return kNoValue;
      operands.push_back(op.operands[k]);
    }
    const auto [entry, is_new] = short_concats_.try_emplace(operands, kNoValue);
    if (is_new) {
      entry->second = rewriter_.to().concat(operands, rewriter_.from().op(id).note);
    }
    context_.count("short lists made concats", 1);
    return entry->second;
  }

  void rewrite_gather(ValueId id) {
    const Op& op = rewriter_.from().op(id);
    const Index& index = std::get<GatherOp>(op.attributes).index;
    const ValueId source = rewriter_.at(op.operands[0]);
    GatheredRows read = descend({source, rows_of(id)});
    read.rows = simplest(read.rows);
    if (read.source != source) context_.count("gathers that read nearer", 1);
    if (read.rows.form() != index.form()) context_.count("gathers of another form", 1);
    if (const ValueId concat = short_concat(read, id); concat != kNoValue) {
      changed_ = true;
      rewriter_.replace(id, concat);
      return;
    }
    const std::size_t ops = rewriter_.to().ops().size();
    rewriter_.replace(id, rewriter_.gather(read.source, read.rows, op.note));
    const bool vanished = rewriter_.to().ops().size() == ops;
    if (vanished) context_.count("gathers removed", 1);
    changed_ |= vanished || read.source != source || read.rows.form() != index.form();
  }

  PassContext& context_;
  Rewriter rewriter_;
  ConcatParts old_parts_;
  ConcatParts new_parts_;
  ReadOperands operands_;
  std::map<std::vector<ValueId>, ValueId> short_concats_;  // operands -> concat
  std::uint32_t lowest_ = 0;                               // of the rows that descend() looks at
  std::uint32_t highest_ = 0;
  bool changed_ = false;
};

}  // namespace

bool simplify_gathers(Program& program, PassContext& context) {
  bool changed = false;
  // A gather that vanishes or reads nearer can leave a concat with readers that are all gathers.
  while (std::optional<Program> simpler = SimplifySweep(program, context).run()) {
    program = std::move(*simpler);
    changed = true;
  }
  return changed;
}

}  // namespace vecc::opt
