#include "backends/cuda/batch_tables.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "src/batch/batch_loops.h"
#include "src/batch/run_writer.h"
#include "src/kernel/schedule/schedule_kernel.h"

namespace vecc::cuda {
namespace {

namespace made = vecc_kernel;

constexpr std::uint64_t kChunkNumbers = made::kChunkWords * std::uint64_t{64};

// The rows of a launch that has types, by these.
std::vector<std::uint32_t> rows_by_type(const BatchLaunch& launch) {
  std::vector<std::uint32_t> rows(launch.rows);
  std::iota(rows.begin(), rows.end(), 0u);
  const std::vector<std::uint32_t>& types = *launch.types;
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return types[row]; });
  return rows;
}

class Describer {
 public:
  Describer(const BatchWriter& writer, const BatchOrigin& origin, TableMemory& memory)
      : writer_(writer),
        batch_(writer.batch),
        numbers_(*origin.numbers),
        searches_(origin.reach == nullptr),
        memory_(memory),
        arrays_of_(writer.batch, origin.numbers),
        last_uses_(arrays_of_.slot_count(), made::kNoPlace) {}

  std::optional<BatchDescription> describe() {
    for (std::uint32_t l = 0; l < batch_.launches.size(); ++l) {
      if (!has_one_update_a_store(batch_.launches[l])) return std::nullopt;
      add_launch(l);
      add_updates(l);
    }
    for (const std::uint32_t l : order_of_arrays()) add_arrays(l);
    for (std::size_t n = 0; n < writer_.nodes.size(); ++n) add_node(n);
    list_uses();
    std::uint64_t numbers = 0;
    for (const made::NumberJob& job : to_.jobs) numbers += job.count;
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (numbers > kMost || writer_.layout.fixed > kMost) return std::nullopt;
    return std::move(to_);
  }

 private:
  // What is known of launches that are alike.
  struct Alike {
    std::uint32_t rows = 0;  // jobs
    std::uint32_t members = 0;
    const std::uint32_t* order = nullptr;   // by types
    const std::uint32_t* begins = nullptr;  // by row
    std::vector<std::uint32_t> types;       // rising, each once
    std::vector<std::uint32_t> type_begins;
  };

  static bool has_one_update_a_store(const BatchLaunch& launch) {
    std::vector<std::uint32_t> stores;
    for (const BatchUpdate& update : launch.updates) {
      if (update.group != kNone) stores.push_back(update.access);
    }
    std::ranges::sort(stores);
    return std::ranges::adjacent_find(stores) == stores.end();
  }

  std::uint32_t add_job(made::NumberJob job) {
    const auto number = to_row(to_.jobs.size());
    job.first_chunk = to_row(to_.chunk_jobs.size());
    to_.chunk_jobs.insert(to_.chunk_jobs.end(), job.count / kChunkNumbers + 1, number);
    to_.jobs.push_back(job);
    return number;
  }

  void add_launch(std::uint32_t number) {
    const BatchLaunch& launch = batch_.launches[number];
    const std::uint32_t first = numbers_.alike(number);
    alike_.push_back(first == number ? add_numbers(number) : alike_[first]);
    made::LaunchRows of{};
    of.rows_job = alike_.back().rows;
    of.rows = launch.rows;
    of.drops = launch.drops ? 1 : 0;
    of.first_zeros = to_row(to_.rests.size());
    for (const ReachNumbers::Rests& rests : numbers_.places(number).rests) add_rest(number, rests);
    of.end_zeros = to_row(to_.rests.size());
    to_.launches.push_back(of);
  }

  Alike add_numbers(std::uint32_t number) {
    const BatchLaunch& launch = batch_.launches[number];
    Alike of;
    if (launch.drops) of.begins = memory_.share(*launch.offsets);
    if (launch.types) add_types(launch, of);
    const bool by_members = numbers_.traits(number).has_rows_by_members;
    made::NumberJob rows{};
    rows.kind = by_members ? made::kOwnerNumbers : made::kRowNumbers;
    rows.count = launch.rows;
    rows.first = by_members ? numbers_.places(number).members : numbers_.places(number).rows;
    rows.whole = by_members ? made::kNoNumber : numbers_.whole() + number;
    rows.order = of.order;
    if (by_members) rows.begins = of.begins;
    of.rows = add_job(rows);
    if (!launch.drops) return of;
    made::NumberJob members{};
    members.kind = made::kMemberNumbers;
    members.count = launch.offsets->back();
    members.first = numbers_.places(number).members;
    members.rows_first = by_members ? made::kNoNumber : numbers_.places(number).rows;
    members.whole = rows.whole;
    members.owners = memory_.share(*launch.owners);
    of.members = add_job(members);
    return of;
  }

  // (A Plan's launches with types have no members.)
  void add_types(const BatchLaunch& launch, Alike& of) {
    const std::vector<std::uint32_t> rows = rows_by_type(launch);
    of.order = memory_.add(rows);
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t type = (*launch.types)[rows[i]];
      if (!of.types.empty() && of.types.back() == type) continue;
      of.types.push_back(type);
      of.type_begins.push_back(i);
    }
    of.type_begins.push_back(to_row(rows.size()));
  }

  void add_rest(std::uint32_t number, const ReachNumbers::Rests& rests) {
    const BatchAccess& access = batch_.launches[number].accesses[rests.access];
    made::NumberJob job{};
    job.kind = made::kRestNumbers;
    job.count = access.rows;
    job.first = rests.first;
    job.rest = to_row(to_.rests.size());
    to_.rest_jobs.push_back(add_job(job));
    for (std::uint64_t i = 0; i < job.count; i += made::kRestWords * std::uint64_t{64}) {
      to_.rest_chunks.push_back({to_.rest_jobs.back(), to_row(i)});
    }
    made::RestStore store = stored_by(number, access);
    const std::uint64_t unit = batch_.units[access.buffer];
    const std::uint64_t unit_bytes = unit * byte_size(writer_.dtype);
    store.address = writer_.buffers[access.buffer] + begin_of(access, 0) * unit_bytes;
    store.row_bytes = access.size * unit_bytes;
    store.count = access.size * unit;
    store.value = batch_.rests[access.buffer];
    to_.rests.push_back(store);
  }

  // for_each_storing_row() and for_each_storing_member().
  made::RestStore stored_by(std::uint32_t number, const BatchAccess& access) {
    const BatchLaunch& launch = batch_.launches[number];
    const bool is_member = is_by_member(access);
    made::RestStore store{};
    store.limit = std::numeric_limits<std::uint32_t>::max();
    if (access.map != RowMap::List) {
      store.limit = is_member                      ? to_row(member_count(launch))
                    : access.map == RowMap::Direct ? launch.rows
                                                   : 1;
    } else if (!access.is_identity) {
      store.first_row = access.first_read;
      store.limit = access.end_read - access.first_read;
      store.readers = memory_.share(access.readers->readers);
      if (!access.is_read_once) store.reader_begins = memory_.share(access.readers->offsets);
    }
    if (is_member) {
      if (launch.segments == KernelSegments::Ragged) store.owners = memory_.share(*launch.owners);
      if (launch.segments == KernelSegments::Fixed) store.divisor = launch.members;
      if (launch.segments == KernelSegments::Strided) store.remainder = launch.rows;
    }
    store.by_members = launch.drops && is_member ? 1 : 0;
    store.members = numbers_.places(number).members;
    store.rows = numbers_.places(number).rows;
    store.whole = numbers_.whole() + number;
    if (numbers_.traits(number).has_rows_by_members) {
      store.row_members = memory_.share(*launch.offsets);
    }
    return store;
  }

  // Returns its number. `slot`: of RunWriter.
  std::uint32_t add_array(made::BatchArray array, std::uint32_t slot) {
    const auto number = to_row(to_.arrays.size());
    array.before = std::exchange(last_uses_[slot], number);
    to_.arrays.push_back(array);
    return number;
  }
  void add_patch(std::uint64_t at, made::PatchKind kind, std::uint32_t index,
                 std::uint64_t number = 0) {
    to_.patches.push_back({to_row(at), kind, index, number});
  }

  // That in which a search, or else a union of sets, comes to the launches.
  [[nodiscard]] std::vector<std::uint32_t> order_of_arrays() const {
    std::vector<std::uint32_t> order(batch_.launches.size());
    std::iota(order.begin(), order.end(), 0u);
    if (!searches_) return order;
    const auto is_pure = [&](std::uint32_t l) { return numbers_.traits(l).is_pure; };
    std::reverse(std::stable_partition(order.begin(), order.end(), is_pure), order.end());
    return order;
  }

  // As RunWriter::add() adds them.
  void add_arrays(std::uint32_t number) {
    const BatchLaunch& launch = batch_.launches[number];
    const RunWriter::Slots& slots = arrays_of_.slots(number);
    const BoundPlace& bound = writer_.layout.bounds[number];
    made::BatchArray array{};
    array.launch = number;
    array.job = alike_[number].rows;
    array.narrow = launch.is_narrow ? 1 : 0;
    array.kind = made::kEntries;
    if (!launch.drops) {
      if (!launch.takes_order) return;
      return add_patch(bound.order(), made::kArrayAddress, add_array(array, slots.order));
    }
    made::BatchArray offsets = array;
    offsets.kind = made::kOffsets;
    offsets.members = alike_[number].members;
    offsets.narrow = 0;
    offsets.begins = alike_[number].begins;
    add_patch(bound.rows(), made::kRowCount, number);
    add_patch(bound.offsets(), made::kArrayAddress, add_array(offsets, slots.offsets));
    for (std::uint32_t a = 0; a < launch.accesses.size(); ++a) {
      if (slots.lists[a] == kNone) continue;
      const BatchAccess& access = launch.accesses[a];
      made::BatchArray entries = array;
      if (access.space == KernelSpace::Member) entries.job = alike_[number].members;
      const bool is_counter = access.map != RowMap::List || access.is_identity;
      if (!is_counter) entries.list = memory_.share(*access.list);
      add_patch(bound.list(a), made::kArrayAddress, add_array(entries, slots.lists[a]));
    }
  }

  void add_updates(std::uint32_t number) {
    for (const BatchUpdate& update : batch_.launches[number].updates) {
      if (update.group == kNone) continue;
      add_patch(writer_.layout.bounds[number].data(update.access), made::kStored, number,
                numbers_.groups() + update.group);
    }
  }

  // As BatchCutter has them.
  void add_node(std::size_t number) {
    const GraphNode& node = writer_.nodes[number].graph;
    const NodePlace& place = writer_.layout.nodes[number];
    const KernelSchedule& schedule = *node.schedule;
    made::BatchNode of{};
    of.blocks = to_row(place.blocks);
    of.block_count = place.block_count;
    of.parts = schedule.parts;
    of.is_product = schedule.loop != RowLoop::Numbers && schedule.product ? 1 : 0;
    of.rows = of.is_product != 0 ? schedule.product->rows
                                 : rows_of_block(schedule, schedule.members.of_class.front().slots,
                                                 1, writer_.cutter.target());
    of.first_segment = to_row(to_.segments.size());
    for (std::uint32_t l = 0; l < node.launches.size(); ++l) add_segments(node.launches[l], l);
    of.end_segment = to_row(to_.segments.size());
    to_.nodes.push_back(of);
  }

  void add_segments(std::uint32_t number, std::uint32_t in_node) {
    const BatchLaunch& launch = batch_.launches[number];
    const auto add = [&](made::SegmentKind kind, std::uint32_t begin, std::uint32_t end,
                         std::uint32_t type) {
      to_.segments.push_back({kind, number, in_node, begin, end, type});
    };
    if (!numbers_.places(number).rests.empty()) add(made::kZeroRows, 0, 0, 0);
    if (!launch.drops) {
      for (const auto& [begin, end, type] : writer_.cutter.whole(number)) {
        add(made::kWholeRows, begin, end, type);
      }
    }
    if (!launch.types) return add(made::kSomeRows, 0, 0, 0);
    const Alike& of = alike_[number];
    for (std::size_t t = 0; t < of.types.size(); ++t) {
      add(made::kTypedRows, of.type_begins[t], of.type_begins[t + 1], of.types[t]);
    }
  }

  // Arrays by the job whose numbers they have.
  void list_uses() {
    std::vector<std::vector<std::uint32_t>> uses(to_.jobs.size());
    for (std::uint32_t i = 0; i < to_.arrays.size(); ++i) uses[to_.arrays[i].job].push_back(i);
    for (std::size_t j = 0; j < uses.size(); ++j) {
      to_.jobs[j].first_use = to_row(to_.job_uses.size());
      to_.job_uses.insert(to_.job_uses.end(), uses[j].begin(), uses[j].end());
      to_.jobs[j].end_use = to_row(to_.job_uses.size());
    }
  }

  const BatchWriter& writer_;
  const BatchPlan& batch_;
  const ReachNumbers& numbers_;
  const bool searches_;
  TableMemory& memory_;
  const RunWriter arrays_of_;
  std::vector<std::uint32_t> last_uses_;  // by slot, the last array so far
  std::vector<Alike> alike_;              // by launch
  BatchDescription to_;
};

void add_sets(const WordSets& sets, TableMemory& memory, made::BatchTables& to) {
  const std::vector<std::uint32_t> begins(sets.begins.begin(), sets.begins.end());
  static_assert(sizeof(std::uint64_t) == sizeof(unsigned long long));
  to.set_begins = memory.add(begins);
  to.set_words = memory.add(sets.words);
  to.set_bits = reinterpret_cast<const unsigned long long*>(memory.add(sets.bits));
}

void add_search(const BatchSearch& search, const BatchOrigin& origin, std::size_t weights,
                TableMemory& memory, made::BatchTables& to) {
  to.search_jobs = memory.add(search.jobs);
  to.search_targets = memory.add(search.targets);
  to.search_chunks = memory.add(search.chunks);
  to.weight_sections = memory.add(search.weights);
  to.weight_section_count = to_row(search.weights.size());
  if (origin.draws == nullptr) return;
  to.draws = memory.add(search.draws);
  to.sample_numbers =
      reinterpret_cast<const unsigned long long*>(memory.add(search.sample_numbers));
  to.draw_weights = to_row(weights - 1);
  to.draw_key[0] = to_row(origin.draws->seed);
  to.draw_key[1] = to_row(origin.draws->seed >> 32) ^ kFanoutStream;
}

}  // namespace

std::optional<BatchDescription> describe_batches(const BatchWriter& writer,
                                                 const BatchOrigin& origin, TableMemory& memory) {
  return Describer(writer, origin, memory).describe();
}

made::BatchTables add_tables(const BatchDescription& of, const BatchWriter& writer,
                             const BatchOrigin& origin, const BatchSearch* search,
                             TableMemory& memory) {
  made::BatchTables tables{};
  const std::uint64_t numbers = search != nullptr ? search->numbers : origin.numbers->count();
  search != nullptr ? add_search(*search, origin, writer.batch.weights.size(), memory, tables)
                    : add_sets(origin.reach->sets(), memory, tables);
  tables.jobs = memory.add(of.jobs);
  tables.chunk_jobs = memory.add(of.chunk_jobs);
  tables.job_uses = memory.add(of.job_uses);
  tables.rests = memory.add(of.rests);
  tables.rest_jobs = memory.add(of.rest_jobs);
  tables.rest_chunks = memory.add(of.rest_chunks);
  tables.launches = memory.add(of.launches);
  tables.arrays = memory.add(of.arrays);
  tables.patches = memory.add(of.patches);
  tables.segments = memory.add(of.segments);
  tables.nodes = memory.add(of.nodes);
  tables.reached_words = to_row((numbers + 63) / 64);
  tables.chunks = to_row(of.chunk_jobs.size());
  tables.rest_count = to_row(of.rests.size());
  tables.rest_chunk_count = to_row(of.rest_chunks.size());
  tables.array_count = to_row(of.arrays.size());
  tables.patch_count = to_row(of.patches.size());
  tables.node_count = to_row(of.nodes.size());
  tables.multiprocessors = writer.cutter.target().multiprocessors;
  tables.fewest_product_rows = kFewestProductRows;
  tables.fixed = writer.layout.fixed;
  tables.nowhere = writer.nowhere;
  const std::uint64_t words = tables.chunks * std::uint64_t{made::kChunkWords};
  tables.reached = memory.reserve<unsigned long long>(tables.reached_words);
  tables.words = memory.reserve<unsigned long long>(words);
  tables.before = memory.reserve<unsigned>(words);
  tables.chunk_sizes = memory.reserve<unsigned>(tables.chunks);
  tables.chunk_begins = memory.reserve<unsigned>(tables.chunks + 1);
  tables.zero_begins = memory.reserve<unsigned>(tables.rest_count + 1);
  tables.array_begins = memory.reserve<unsigned>(tables.array_count);
  tables.array_places = memory.reserve<unsigned long long>(tables.array_count);
  tables.segment_begins = memory.reserve<unsigned>(of.segments.size());
  tables.image_bytes = memory.reserve<unsigned long long>(1);
  return tables;
}

}  // namespace vecc::cuda
