#include "optimizer/rewrite/rewriter.h"

#include <algorithm>
#include <utility>

#include "src/program/index_algebra.h"

namespace vecc::opt {
namespace {

ValueId added(Result<ValueId> value) {
  VECC_CHECK(value.has_value(), value.error().text());
  return *value;
}

// Of a source and some of the rows read there: equal gathers have equal keys.
std::uint64_t key_of(const GatheredRows& read) {
  constexpr std::uint32_t kSamples = 64;
  std::uint64_t hash = std::uint64_t{read.source} << 32 | read.rows.size();
  const std::uint32_t step = read.rows.size() / kSamples + 1;
  for (std::uint64_t i = 0; i < read.rows.size(); i += step) {
    hash = (hash ^ read.rows[static_cast<std::uint32_t>(i)]) * 0xD6E8FEB86659FD93ull;
    hash ^= hash >> 32;
  }
  return hash;
}

std::vector<bool> live_ops(const Program& program) {
  std::vector<bool> live(program.ops().size());
  for (auto id = static_cast<ValueId>(program.ops().size()); id-- > 0;) {
    const OpKind kind = program.op(id).kind();
    if (kind == OpKind::Output || kind == OpKind::Update) live[id] = true;
    if (!live[id]) continue;
    for (const ValueId operand : program.op(id).operands) live[operand] = true;
  }
  return live;
}

}  // namespace

Program empty_like(const Program& from) {
  Program to(from.dtype());
  to.set_sample_count(from.sample_count());
  for (const Parameter& parameter : from.parameters()) {
    const auto added_parameter = to.add_parameter(parameter);
    VECC_CHECK(added_parameter.has_value(), "a parameter that another Program holds");
  }
  return to;
}

Rewriter::Rewriter(const Program& from)
    : from_(from), to_(empty_like(from)), now_(from.ops().size(), kNoValue) {}

ValueId Rewriter::at(ValueId old) const {
  VECC_CHECK(now_[old] != kNoValue, "reads %" + std::to_string(old) + ", which is not made yet");
  return now_[old];
}

ValueId Rewriter::add(OpAttributes attributes, Operands operands, ValueId old) {
  return added(to_.add(std::move(attributes), std::move(operands), from_.op(old).note));
}

ValueId Rewriter::share() {
  ++shared_;
  return to_.share_next(from_);
}

ValueId Rewriter::copy(ValueId old) {
  const Op& op = from_.op(old);
  const auto stays = [&](ValueId v) { return now_[v] == v; };
  if (old == to_.ops().size() && shares_all() && std::ranges::all_of(op.operands, stays)) {
    now_[old] = share();
    return now_[old];
  }
  now_[old] = add(op.attributes, mapped(op.operands, [&](ValueId v) { return at(v); }), old);
  return now_[old];
}

bool Rewriter::is_next_gather(const GatheredRows& read, const Note& note) const {
  const std::size_t next = to_.ops().size();
  if (!shares_all() || next == from_.ops().size()) return false;
  const Op& op = from_.ops()[next];
  const auto* gather = std::get_if<GatherOp>(&op.attributes);
  return gather != nullptr && op.operands[0] == read.source &&
         gather->index.form() == read.rows.form() && gather->index == read.rows && op.note == note;
}

ValueId Rewriter::gather(ValueId now, const Index& rows, const Note& note) {
  const GatheredRows read = read_through(to_, now, rows);
  if (is_identity(read.rows, to_.op(read.source).rows)) return read.source;
  const auto [entry, is_new] = last_gather_.try_emplace(key_of(read), kNoValue);
  for (auto k = entry->second; k != kNoValue; k = gathers_[k].next) {
    const Op& made = to_.op(gathers_[k].value);
    const bool is_same =
        made.operands[0] == read.source && std::get<GatherOp>(made.attributes).index == read.rows;
    if (is_same) return gathers_[k].value;
  }
  const ValueId value =
      is_next_gather(read, note) ? share() : to_.gather(read.source, read.rows, note);
  gathers_.push_back({value, entry->second});
  entry->second = static_cast<std::uint32_t>(gathers_.size() - 1);
  return value;
}

Program Rewriter::finish() {
  return drop_dead_ops(std::move(to_));
}

Program drop_dead_ops(Program program) {
  const std::vector<bool> live = live_ops(program);
  if (std::ranges::find(live, false) == live.end()) return program;
  Program result = empty_like(program);
  std::vector<ValueId> now(program.ops().size(), kNoValue);
  for (ValueId id = 0; id < program.ops().size(); ++id) {
    if (!live[id]) continue;
    const Op& op = program.op(id);
    Operands operands = mapped(op.operands, [&](ValueId v) { return now[v]; });
    now[id] = added(result.add(op.attributes, std::move(operands), op.note));
  }
  return result;
}

GatheredRows read_through(const Program& program, ValueId value, Index rows) {
  GatheredRows read{value, std::move(rows)};
  while (const auto* gather = std::get_if<GatherOp>(&program.op(read.source).attributes)) {
    read.rows = compose(gather->index, read.rows);
    read.source = program.op(read.source).operands[0];
  }
  return read;
}

GatheredRows read_through(const Program& program, ValueId value) {
  return read_through(program, value, Index::slice(0, program.op(value).rows));
}

}  // namespace vecc::opt
