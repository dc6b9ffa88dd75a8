// reorder-rows: rows of facts and of computed values are numbered in the order in which their
// readers use them.
//
// The *index distance* of a gather is the sum of |index[i+1] - index[i]|, in elements of its
// operand; 0 for a slice, stride, repeat or interleave, which is not read through an index. The
// *mean* divides it, in rows, by the number of steps i, i+1 that the Program has before the pass.
// A value that is read by gathers alone, or by concats of at most 8 operands that gathers alone
// read, is put in the order in which the gather with most entries first uses its rows, then the
// others by number, then the rows that none uses. It is if
//   - nothing has to be copied for it: what it is computed from takes that order down to gathers
//     (row_chain.h); the order of members in a segment stays;
//   - the index distance of its readers and of those gathers together falls by at least 10 %.
// Weights and outputs keep their rows. Values are visited from the outputs down, so that readers
// have their order before what they read, again and again until no order is better. A visit of all
// values that in sum lessens no distance, or stores more elements of gathers and concats, is given
// up; so a second run changes nothing.
//
//   %1 = gather %0 [0, 2, 1, 3] ; %2 = transform %1 tanh : f32[4, 1]
//   %3 = gather %2 [2, 0, 3, 2, 1] ; %4 = segment %3 [0, 3, 5] sum
//   =>
//   %1 = gather %0 [1, 0, 3, 2] ; %2 = transform %1 tanh : f32[4, 1]
//   %3 = gather %2 [0, 1, 2, 0, 3] ; %4 = segment %3 [0, 3, 5] sum
#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "optimizer/passes/passes.h"
#include "optimizer/passes/row_chain.h"
#include "optimizer/rewrite/concat_parts.h"
#include "optimizer/rewrite/keep_least.h"
#include "optimizer/rewrite/row_map.h"
#include "src/program/index_algebra.h"
#include "src/support/list_threads.h"

namespace vecc::opt {
namespace {

constexpr std::size_t kMostOperands = 8;  // of a concat that is looked through

// Rows begin .. begin + rows of what a gather reads are those of one value.
struct Use {
  ValueId gather = 0;
  std::uint32_t begin = 0;
  std::uint32_t rows = 0;
};

// By row: where it stands in `order`.
std::vector<std::uint32_t> inverse_of(const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> place = unset_list<std::uint32_t>(order.size());
  ListThreads::for_ranges(order.size(), [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) place[order[begin]] = static_cast<std::uint32_t>(begin);
  });
  return place;
}

// Calls `visit(i, row)` for the entries of a use among begin .. end-1 of its index, in order.
template <class Visit>
void for_each_entry(const Index& index, const Use& use, std::size_t begin, std::size_t end,
                    const Visit& visit) {
  with_rows(index, [&](auto row_at) {
    for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
      const std::uint32_t row = row_at(i);
      if (row >= use.begin && row - use.begin < use.rows) visit(i, row - use.begin);
    }
  });
}

// In rows; between entries of the use that follow each other.
template <class Place>
std::uint64_t distance(const Index& index, const Use& use, const Place& place) {
  struct Range {
    std::uint64_t sum = 0;
    std::uint32_t first = kNoRow;
    std::uint32_t last = kNoRow;
  };
  const auto between = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
  std::vector<Range> ranges(ListThreads::ranges_of(index.size()));
  ListThreads::for_numbered_ranges(
      index.size(), [&](std::size_t r, std::size_t begin, std::size_t end) {
        Range range;
        for_each_entry(index, use, begin, end, [&](std::uint32_t, std::uint32_t row) {
          const std::uint32_t now = place(row);
          if (range.first == kNoRow) {
            range.first = now;
          } else {
            range.sum += between(range.last, now);
          }
          range.last = now;
        });
        ranges[r] = range;
      });
  std::uint64_t sum = 0;
  std::uint32_t last = kNoRow;
  for (const Range& range : ranges) {
    if (range.first == kNoRow) continue;
    sum += range.sum + (last == kNoRow ? 0 : between(last, range.first));
    last = range.last;
  }
  return sum;
}

std::uint64_t distance(const Index& index) {
  if (is_regular(index)) return 0;
  const Use all{0, 0, index.bound()};
  return distance(index, all, [](std::uint32_t row) { return row; });
}

// What the pass makes smaller, over a whole Program.
struct Locality {
  std::uint64_t elements = 0;  ///< index distance
  std::uint64_t rows = 0;      ///< index distance
  std::uint64_t steps = 0;
  std::uint64_t stored = 0;  ///< elements of gathers and concats

  explicit Locality(const Program& program) {
    for (const Op& op : program.ops()) {
      if (op.kind() == OpKind::Concat) stored += op.size();
      const auto* gather = std::get_if<GatherOp>(&op.attributes);
      if (gather == nullptr) continue;
      const Index index = simplest(gather->index);
      if (!is_regular(index)) stored += op.size();
      const std::uint64_t sum = distance(index);
      rows += sum;
      elements += sum * op.shape.size();
      steps += op.rows < 2 ? 0 : op.rows - 1;
    }
  }
};

// Looks at every value once, from the outputs down.
class NumberingSweep {
 public:
  explicit NumberingSweep(const Program& program)
      : program_(program),
        readers_(program),
        parts_(program),
        rows_(program.ops().size()),
        maps_(program.ops().size()) {
    for (ValueId id = 0; id < rows_.size(); ++id) {
      const auto* gather = std::get_if<GatherOp>(&program.op(id).attributes);
      if (gather != nullptr) rows_[id] = simplest(gather->index);
    }
  }

  /// The number of values put in another order for their readers.
  std::uint64_t run() {
    std::uint64_t count = 0;
    for (auto id = static_cast<ValueId>(rows_.size()); id-- > 0;) {
      if (program_.op(id).rows > 1 && maps_[id].identity && reorder(id)) ++count;
    }
    return count;
  }
  [[nodiscard]] const RowMaps& maps() const { return maps_; }

 private:
  // The gathers that read a value, by number; none if anything else does.
  std::vector<Use> uses_of(ValueId id) {
    std::vector<Use> uses;
    const std::uint32_t rows = program_.op(id).rows;
    for (const ValueId reader : readers_.of(id)) {
      const OpKind kind = program_.op(reader).kind();
      if (kind == OpKind::Gather) {
        uses.push_back({reader, 0, rows});
      } else if (kind != OpKind::Concat || !add_uses_through(reader, id, uses)) {
        return {};
      }
    }
    std::ranges::sort(uses, {}, &Use::gather);
    return uses;
  }

  // False if the concat is too long, holds the value twice, or has a reader that is no gather.
  bool add_uses_through(ValueId concat, ValueId id, std::vector<Use>& uses) {
    const Operands& operands = program_.op(concat).operands;
    if (operands.size() > kMostOperands || std::ranges::count(operands, id) != 1) return false;
    const auto place = static_cast<std::size_t>(std::ranges::find(operands, id) - operands.begin());
    const std::uint32_t begin = parts_.of(concat)[place];
    for (const ValueId reader : readers_.of(concat)) {
      if (program_.op(reader).kind() != OpKind::Gather) return false;
      uses.push_back({reader, begin, program_.op(id).rows});
    }
    return true;
  }

  // The rows that a use reads, in the order in which it first does.
  [[nodiscard]] std::vector<std::uint32_t> first_reads(const Use& use) const {
    const Index& index = rows_[use.gather];
    // By row: the first entry that reads it.
    std::vector<std::uint32_t> first = long_list(use.rows, kNoRow);
    return with_rows(index, [&](const auto& row_at) {
      // Rows before the use wrap to large numbers.
      const auto place_at = [&](std::uint32_t i) { return row_at(i) - use.begin; };
      ListThreads::for_ranges(index.size(), [&](std::size_t begin, std::size_t end) {
        keep_least_of_each(first, static_cast<std::uint32_t>(begin),
                           static_cast<std::uint32_t>(end), place_at);
      });
      const std::vector<std::uint32_t> entries = entries_where(index.size(), [&](std::uint32_t i) {
        const std::uint32_t place = place_at(i);
        return place < use.rows && first[place] == i;
      });
      return list_of(static_cast<std::uint32_t>(entries.size()),
                     [&](std::uint32_t k) { return place_at(entries[k]); });
    });
  }

  // Whether a use reads all rows of a value, and first reads them in their order: none before all
  // below it.
  [[nodiscard]] bool reads_in_order(const Use& use) const {
    const Index& index = rows_[use.gather];
    if (index.size() < use.rows || index.size() == 0) return false;
    return with_rows(index, [&](const auto& row_at) {
      const auto place_at = [&](std::uint32_t i) {  // none is larger than a row of another value
        return std::min(row_at(i) - use.begin, use.rows);
      };
      std::vector<std::uint32_t> seen(ListThreads::ranges_of(index.size()));  // rows, by range
      std::atomic<bool> ordered{true};
      const auto look = [&](std::size_t range, std::size_t begin, std::size_t end, bool checks) {
        std::uint32_t next = checks ? seen[range] : 0;
        for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
          const std::uint32_t place = place_at(i);
          if (place == use.rows || place < next) continue;
          if (checks && place > next) return ordered.store(false, std::memory_order_relaxed);
          next = place + 1;
        }
        seen[range] = next;
      };
      constexpr std::size_t kFew = 64;  // most that are not are found out at once
      look(0, 0, std::min<std::size_t>(index.size(), kFew), /*checks=*/true);
      if (!ordered) return false;
      seen[0] = 0;
      const auto look_at_all = [&](bool checks) {
        ListThreads::for_numbered_ranges(
            index.size(), [&](std::size_t range, std::size_t begin, std::size_t end) {
              look(range, begin, end, checks);
            });
      };
      look_at_all(/*checks=*/false);
      std::uint32_t most = 0;
      for (std::uint32_t& of_range : seen) most = std::max(most, std::exchange(of_range, most));
      if (most != use.rows) return false;
      look_at_all(/*checks=*/true);
      return ordered.load();
    });
  }

  // Rows in the order in which the uses first read them; empty if that is the order they have.
  [[nodiscard]] std::vector<std::uint32_t> first_use_order(const std::vector<Use>& uses,
                                                           std::uint32_t rows) const {
    const auto dominant = std::ranges::max_element(
        uses, {}, [&](const Use& use) { return rows_[use.gather].size(); });
    if (reads_in_order(*dominant)) return {};
    std::vector<std::uint32_t> order = first_reads(*dominant);
    if (order.size() < rows) append_others(uses, rows, order);
    const bool is_sorted =
        holds_for_all(rows - 1, [&](std::size_t i) { return order[i] <= order[i + 1]; });
    if (is_sorted) order.clear();
    return order;
  }

  // The rows that are not in `order`: those that the uses read, then the others.
  void append_others(const std::vector<Use>& uses, std::uint32_t rows,
                     std::vector<std::uint32_t>& order) const {
    std::vector<std::uint8_t> seen = long_list<std::uint8_t>(rows);
    const auto see = [&](std::size_t from) {  // those of `order`, each once
      ListThreads::for_ranges(order.size() - from, [&](std::size_t begin, std::size_t end) {
        for (; begin < end; ++begin) seen[order[from + begin]] = 1;
      });
    };
    const auto append_new = [&](std::uint32_t count, const auto& row_at) {
      const std::size_t from = order.size();
      const std::vector<std::uint32_t> fresh =
          entries_where(count, [&](std::uint32_t i) { return seen[row_at(i)] == 0; });
      order.resize(from + fresh.size());
      ListThreads::for_ranges(fresh.size(), [&](std::size_t begin, std::size_t end) {
        for (; begin < end; ++begin) order[from + begin] = row_at(fresh[begin]);
      });
      see(from);
    };
    see(0);
    for (const Use& use : uses) {
      if (order.size() == rows) return;
      const std::vector<std::uint32_t> reads = first_reads(use);
      append_new(static_cast<std::uint32_t>(reads.size()),
                 [&](std::uint32_t i) { return reads[i]; });
    }
    append_new(rows, [](std::uint32_t row) { return row; });
  }

  bool reorder(ValueId id) {
    const std::vector<Use> uses = uses_of(id);
    if (uses.empty() || !may_have_row_chain(program_, readers_, id)) return false;
    std::vector<std::uint32_t> order = first_use_order(uses, program_.op(id).rows);
    if (order.empty()) return false;
    const std::vector<std::uint32_t> place = inverse_of(order);
    const auto chain = plan_row_chain(program_, readers_, rows_, id, std::move(order));
    if (!chain || !pays(uses, place, *chain)) return false;
    apply(uses, place, *chain);
    return true;
  }

  // Whether the distance falls by 10 %.
  bool pays(const std::vector<Use>& uses, const std::vector<std::uint32_t>& place,
            const RowChain& chain) const {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    for (const Use& use : uses) {
      const Index& index = rows_[use.gather];
      const std::uint64_t size = program_.op(use.gather).shape.size();
      if (!is_regular(index)) {
        before += size * distance(index, use, [](std::uint32_t row) { return row; });
      }
      const bool is_whole = use.rows == program_.op(program_.op(use.gather).operands[0]).rows;
      after +=
          size * (is_whole ? distance(moved(index, use, place))
                           : distance(index, use, [&](std::uint32_t row) { return place[row]; }));
    }
    for (const auto& [gather, index] : chain.gathers) {
      const std::uint64_t size = program_.op(gather).shape.size();
      before += size * distance(rows_[gather]);
      after += size * distance(simplest(index));
    }
    return after <= before - before / 10 && after < before;
  }

  // A use's gather when the value's rows stand at `place`.
  static Index moved(const Index& index, const Use& use, const std::vector<std::uint32_t>& place) {
    std::vector<std::uint32_t> rows = list_of(index.size(), [&](std::uint32_t i) {
      const std::uint32_t row = index[i];
      const bool moves = row >= use.begin && row - use.begin < use.rows;
      return moves ? use.begin + place[row - use.begin] : row;
    });
    return simplest(Index::list(std::move(rows)));
  }

  void apply(const std::vector<Use>& uses, const std::vector<std::uint32_t>& place,
             const RowChain& chain) {
    for (const Use& use : uses) rows_[use.gather] = moved(rows_[use.gather], use, place);
    for (const auto& [gather, index] : chain.gathers) rows_[gather] = simplest(index);
    for (const RowChain::Reordered& value : chain.values) {
      RowMap& map = maps_.set(value.value, {});
      map.identity = false;
      map.kept = value.kept;
      map.place = inverse_of(value.kept);
    }
  }

  const Program& program_;
  Readers readers_;
  ConcatParts parts_;
  std::vector<Index> rows_;  // by gather: its rows, as far as decided
  RowMaps maps_;
};

}  // namespace

bool reorder_rows(Program& program, PassContext& context) {
  const Locality first(program);
  Locality best = first;
  while (true) {
    NumberingSweep sweep(program);
    const std::uint64_t reordered = sweep.run();
    if (reordered == 0) break;
    Program next = rebuild_rows(program, sweep.maps());
    const Locality now(next);
    if (now.elements >= best.elements || now.stored > best.stored) {
      context.count("orders given up", reordered);
      break;
    }
    best = now;
    program = std::move(next);
    context.count("values reordered", reordered);
  }
  const std::uint64_t steps = std::max<std::uint64_t>(first.steps, 1);
  context.count("mean index distance before (hundredths)", first.rows * 100 / steps);
  context.count("mean index distance after (hundredths)", best.rows * 100 / steps);
  return best.elements < first.elements;
}

}  // namespace vecc::opt
