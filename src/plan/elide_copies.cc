// Launches that read rows which were only copied side by side.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "src/kernel/kernel_lists.h"
#include "src/plan/analysis/dependencies.h"
#include "src/plan/make_launches.h"

namespace vecc {
namespace {

using BufferKind = PlanBuffer::Kind;

// What a launch becomes costs a launch each.
constexpr std::uint32_t kMostSourceRows = 64;
constexpr std::size_t kMostSources = 16;

// Elements of a buffer that are a copy of others.
struct Copied {
  std::uint64_t count = 0;
  BufferIndex source = 0;
  std::uint64_t first = 0;  // in the source
  std::uint32_t stage = 0;  // of the copy: before another one sources may be set
};

class CopyElision {
 public:
  CopyElision(Plan& plan, const std::vector<bool>& kept) : plan_(plan), kept_(kept) {}

  void run() {
    find_copies();
    if (copies_.empty()) return;
    std::vector<Launch> launches;
    for (const Launch& launch : plan_.launches) {
      split(launch, launches);
      note_stores(launch);
    }
    if (!splits_) return;
    plan_.launches = std::move(launches);
    drop_copies();
    drop_kernels();
    find_levels();
  }

 private:
  using Pieces = std::set<std::uint32_t>;  // where they begin, and the end

  [[nodiscard]] const Kernel& kernel_of(const Launch& launch) const {
    return plan_.kernels[launch.kernel];
  }
  // The same of all buffers of one parameter.
  [[nodiscard]] std::pair<BufferKind, std::uint32_t> source_of(BufferIndex b) const {
    const PlanBuffer& buffer = plan_.buffers[b];
    const bool is_shared = buffer.kind == BufferKind::Parameter || buffer.kind == BufferKind::State;
    return {buffer.kind, is_shared ? buffer.source : b};
  }
  void note_stores(const Launch& launch) {
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      if (kernel_of(launch).accesses[a].store) stored_.insert(source_of(launch.accesses[a].buffer));
    }
  }

  // A load of rows one after the other, and its store.
  [[nodiscard]] bool is_copy(const Launch& launch) const {
    const Kernel& kernel = kernel_of(launch);
    if (kernel.nodes.size() != 1 || kernel.accesses.size() != 2 || kernel.stores.size() != 1 ||
        kernel.segments != KernelSegments::None || launch.order != kNone) {
      return false;
    }
    const bool is_direct = std::ranges::all_of(kernel.accesses, [](const KernelAccess& access) {
      return access.map == RowMap::Direct && access.space == KernelSpace::Row;
    });
    const std::size_t to = stored_access(launch);
    return is_direct && plan_.buffers[launch.accesses[1 - to].buffer].kind != BufferKind::Arena &&
           plan_.buffers[launch.accesses[to].buffer].kind == BufferKind::Arena;
  }
  // Of a copy.
  [[nodiscard]] std::size_t stored_access(const Launch& launch) const {
    return kernel_of(launch).accesses[0].store ? 0 : 1;
  }
  void find_copies() {
    for (const Launch& launch : plan_.launches) {
      if (!is_copy(launch)) continue;
      const std::size_t to = stored_access(launch);
      const AccessBinding& load = launch.accesses[1 - to];
      const AccessBinding& store = launch.accesses[to];
      const std::uint64_t size = kernel_of(launch).accesses[to].shape.size();
      copies_[store.buffer][store.first] = {launch.rows * size, load.buffer, load.first,
                                            launch.stage};
    }
  }
  // The copy that an element is in.
  [[nodiscard]] std::optional<std::pair<std::uint64_t, Copied>> copy_at(
      BufferIndex buffer, std::uint64_t element) const {
    const auto found = copies_.find(buffer);
    if (found == copies_.end()) return std::nullopt;
    const auto after = found->second.upper_bound(element);
    if (after == found->second.begin()) return std::nullopt;
    const auto& [first, copied] = *std::prev(after);
    if (element >= first + copied.count) return std::nullopt;
    return std::pair(first, copied);
  }

  [[nodiscard]] bool may_split(const Launch& launch) const {
    const Kernel& kernel = kernel_of(launch);
    return launch.rows <= kMostSourceRows && kernel.segments == KernelSegments::None &&
           !kernel.reloads && !kernel.in_place && kernel.word_slots == 0 && launch.order == kNone &&
           !has_types(kernel) && !is_copy(launch);
  }
  // Where the rows that an access loads change from one source to the next; empty if they are not
  // all copied, or a source was stored to before.
  [[nodiscard]] Pieces pieces_of(const Launch& launch, std::size_t access) const {
    const KernelAccess& what = kernel_of(launch).accesses[access];
    const AccessBinding& where = launch.accesses[access];
    if (what.store || what.map != RowMap::Direct) return {};
    const std::uint64_t size = what.shape.size();
    Pieces pieces;
    for (std::uint32_t row = 0; row < launch.rows;) {
      const auto found = copy_at(where.buffer, where.first + row * size);
      if (!found || stored_.contains(source_of(found->second.source))) return {};
      const auto& [first, copied] = *found;
      if (copied.stage != launch.stage) return {};
      const std::uint64_t offset = where.first + row * size - first;
      if ((copied.count - offset) % size != 0) return {};
      if (what.aligned && (copied.first + offset) % pack_size(what.shape) != 0) return {};
      pieces.insert(row);
      row += static_cast<std::uint32_t>((copied.count - offset) / size);
    }
    pieces.insert(launch.rows);
    return pieces;
  }
  void split(const Launch& launch, std::vector<Launch>& launches) {
    Pieces cuts;
    std::vector<bool> reads_source(launch.accesses.size(), false);
    for (std::size_t a = 0; may_split(launch) && a < launch.accesses.size(); ++a) {
      const Pieces pieces = pieces_of(launch, a);
      reads_source[a] = !pieces.empty();
      cuts.insert(pieces.begin(), pieces.end());
    }
    if (cuts.size() < 2 || cuts.size() - 1 > kMostSources) return launches.push_back(launch);
    for (auto begin = cuts.begin(); std::next(begin) != cuts.end(); ++begin) {
      launches.push_back(piece_of(launch, *begin, *std::next(begin), reads_source));
    }
    splits_ = true;
  }
  Launch piece_of(const Launch& launch, std::uint32_t begin, std::uint32_t end,
                  const std::vector<bool>& reads_source) {
    Launch piece = launch;
    piece.rows = end - begin;
    piece.tiles = {0, piece.rows};
    piece.work = launch.work * piece.rows / launch.rows;
    for (std::size_t a = 0; a < piece.accesses.size(); ++a) {
      const KernelAccess& what = kernel_of(launch).accesses[a];
      AccessBinding& where = piece.accesses[a];
      if (what.map == RowMap::List) where.list = part_of_list(where.list, begin, end);
      if (what.map != RowMap::Direct) continue;
      where.first += begin * what.shape.size();
      where.rows -= begin;
      if (!reads_source[a]) continue;
      const auto found = copy_at(where.buffer, where.first);
      VECC_CHECK(found.has_value(), "a row that is read at its source was not copied from there");
      const auto& [first, copied] = *found;
      where = {copied.source, copied.first + where.first - first, piece.rows, kNone};
    }
    return piece;
  }
  ArrayIndex part_of_list(ArrayIndex list, std::uint32_t begin, std::uint32_t end) {
    const std::vector<std::uint32_t>& all = *plan_.arrays[list];
    plan_.arrays.push_back(
        std::make_shared<const std::vector<std::uint32_t>>(all.begin() + begin, all.begin() + end));
    return static_cast<ArrayIndex>(plan_.arrays.size() - 1);
  }

  void drop_copies() {
    std::vector<bool> is_read = kept_;
    is_read.resize(plan_.buffers.size(), false);
    for (const Launch& launch : plan_.launches) {
      for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
        if (!kernel_of(launch).accesses[a].store) is_read[launch.accesses[a].buffer] = true;
      }
    }
    std::erase_if(plan_.launches, [&](const Launch& launch) {
      return is_copy(launch) && !is_read[launch.accesses[stored_access(launch)].buffer];
    });
    std::vector<bool> is_touched = std::move(is_read);
    for (const Launch& launch : plan_.launches) {
      for (const AccessBinding& access : launch.accesses) is_touched[access.buffer] = true;
    }
    for (const auto& [buffer, rows] : copies_) {
      if (!is_touched[buffer]) plan_.buffers[buffer].elements = 0;
    }
  }

  void drop_kernels() {
    std::vector<std::uint32_t> numbers(plan_.kernels.size(), kNone);
    std::vector<Kernel> kernels;
    for (Launch& launch : plan_.launches) {
      std::uint32_t& number = numbers[launch.kernel];
      if (number == kNone) {
        number = static_cast<std::uint32_t>(kernels.size());
        kernels.push_back(std::move(plan_.kernels[launch.kernel]));
      }
      launch.kernel = number;
    }
    plan_.kernels = std::move(kernels);
  }

  // By what touches the same numbers, while each buffer has a place of its own.
  void find_levels() {
    std::uint64_t end = 0;
    for (PlanBuffer& buffer : plan_.buffers) {
      if (buffer.kind != BufferKind::Arena) continue;
      buffer.offset = end;
      end += buffer.elements;
    }
    const auto before = launch_dependencies(plan_);
    for (std::size_t l = 0; l < before.size(); ++l) {
      plan_.launches[l].level = 1;
      for (const std::uint32_t other : before[l]) {
        plan_.launches[l].level =
            std::max(plan_.launches[l].level, plan_.launches[other].level + 1);
      }
    }
    std::ranges::stable_sort(plan_.launches, {}, [](const Launch& launch) {
      return std::pair(launch.stage, launch.level);
    });
  }

  Plan& plan_;
  const std::vector<bool>& kept_;
  std::map<BufferIndex, std::map<std::uint64_t, Copied>> copies_;  // by their first element
  std::set<std::pair<BufferKind, std::uint32_t>> stored_;          // by launches so far
  bool splits_ = false;
};

}  // namespace

void elide_copies(Plan& plan, const std::vector<bool>& kept) {
  CopyElision(plan, kept).run();
}

}  // namespace vecc
