// Plans as text, and their sizes.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "vecc/escape.h"
#include "vecc/plan.h"
#include "vecc/program_text.h"

namespace vecc {
namespace {

// Arrays of more entries than this are shown by their beginning and length.
constexpr std::size_t kLongArray = 8;
constexpr std::size_t kShownEntries = 4;
constexpr std::string_view kKernel = "kernel";  // how a kernel's text begins

template <class Entries>
std::string entries_text(const Entries& entries) {
  const bool is_long = entries.size() > kLongArray;
  std::string text = "[";
  for (std::size_t i = 0; i < (is_long ? kShownEntries : entries.size()); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(entries[i]);
  }
  return text + (is_long ? fmt::format(", ... {}]", entries.size()) : "]");
}

std::string count_text(std::uint64_t count, const char* what, const char* plural = "s") {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : plural);
}

class PlanPrinter {
 public:
  PlanPrinter(const Plan& plan, const Program& program)
      : plan_(plan), program_(program), named_(program.ops().size(), false) {}

  std::string print() {
    text_ = fmt::format("plan {}: {} of {}, arena of {} bytes\n", text_of(plan_.dtype),
                        count_text(plan_.launches.size(), "launch", "es"),
                        count_text(plan_.kernels.size(), "kernel"),
                        plan_.arena_elements * byte_size(plan_.dtype));
    print_buffers();
    for (std::size_t l = 0; l < plan_.launches.size(); ++l) {
      if (l == 0 || plan_.launches[l].stage != plan_.launches[l - 1].stage) {
        text_ += fmt::format("\nstage {}\n", plan_.launches[l].stage);
      }
      print_number_steps(l);
      print_launch(l);
    }
    print_number_steps(plan_.launches.size());
    print_outputs();
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      text_ += fmt::format("\nkernel {}:", k) + text_of(plan_.kernels[k]).substr(kKernel.size());
    }
    return std::move(text_);
  }

 private:
  [[nodiscard]] std::string buffer_text(const PlanBuffer& buffer) const {
    const std::string size = count_text(buffer.elements, "element");
    switch (buffer.kind) {
      case PlanBuffer::Kind::Arena: {
        const std::string place =
            fmt::format("arena [{}:{}]", buffer.offset, buffer.offset + buffer.elements);
        if (buffer.last == plan_.launches.size()) {
          return fmt::format("{}, from launch {} on", place, buffer.first);
        }
        return fmt::format("{}, launches {} to {}", place, buffer.first, buffer.last);
      }
      case PlanBuffer::Kind::Constant: return "constant, " + size;
      case PlanBuffer::Kind::Parameter:
        return fmt::format("parameter \"{}\", {}",
                           escape_terminal(program_.parameters()[buffer.source].name), size);
      case PlanBuffer::Kind::State:
        return fmt::format(
            "state \"{}\", {}",
            escape_terminal(std::get<StateOp>(program_.op(buffer.source).attributes).name), size);
    }
    return "";
  }

  // With the values that lie there; what reads them through an index is no value of its own.
  void print_buffers() {
    std::vector<std::string> values(plan_.buffers.size());
    for (ValueId id = 0; id < plan_.places.size(); ++id) {
      const ValuePlace& place = plan_.places[id];
      if (place.buffer == kNone || place.view != kNone || program_.op(id).kind() == OpKind::Output)
        continue;
      std::string& text = values[place.buffer];
      text += fmt::format("{} %{}", text.empty() ? ":" : ",", id);
      if (place.first > 0) text += fmt::format(" at {}", place.first);
    }
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b) {
      text_ += fmt::format("buffer {}: {}{}\n", b, buffer_text(plan_.buffers[b]), values[b]);
    }
  }

  // Of what a run fills, the number of the array.
  [[nodiscard]] std::string array_text(ArrayIndex array) const {
    const std::size_t size = plan_.arrays[array]->size();
    if (plan_.is_filled(array)) return fmt::format("[array {}, {}]", array, size);
    return entries_text(*plan_.arrays[array]);
  }

  // Those that run before a launch.
  void print_number_steps(std::size_t launch) {
    for (const NumberStep& step : plan_.number_steps) {
      if (step.before == launch) print_number_step(step);
    }
  }

  void print_number_step(const NumberStep& step) {
    const auto rows = [&](const AccessBinding& of) {
      return fmt::format("{} of buffer {} at {}", count_text(of.rows, "row"), of.buffer, of.first);
    };
    const auto numbers = [&] { return "the numbers " + array_text(step.arrays.list); };
    switch (step.kind) {
      case NumberStep::Kind::Draw:
        text_ += "draw " + rows(step.to) + " by " + rows(step.from);
        break;
      case NumberStep::Kind::List: text_ += "list " + rows(step.from) + " as " + numbers(); break;
      case NumberStep::Kind::Sort:
        text_ += "sort " + numbers() + " into order " + array_text(step.arrays.order) + ", ranks " +
                 array_text(step.arrays.ranks) + ", offsets " + array_text(step.arrays.offsets);
        break;
      case NumberStep::Kind::Offsets:
        text_ += "find " + numbers() + " as offsets " + array_text(step.row_offsets);
        break;
      case NumberStep::Kind::Compare:
        text_ += "compare " + rows(step.from) + " of " + numbers();
        break;
      case NumberStep::Kind::Store:
        text_ += "store " + rows(step.from) + " of " + numbers() + " in " + rows(step.to);
        break;
    }
    text_ += "\n";
    for (const NumberStep::Use& use : step.uses) {
      text_ += "  # " + (named_[use.op] ? fmt::format("%{}", use.op) : print_op(program_, use.op)) +
               "\n";
      named_[use.op] = true;
    }
  }

  [[nodiscard]] std::string tiles_text(const Launch& launch) const {
    const std::string tiles = count_text(launch.tiles.size() - 1, "tile");
    if (launch.order == kNone) return tiles;
    if (launch.tile_types.empty()) return tiles + " in order " + array_text(launch.order);
    return fmt::format("tiles {} of types {} in order {}", entries_text(launch.tiles),
                       entries_text(launch.tile_types), array_text(launch.order));
  }

  void print_launch(std::size_t number) {
    const Launch& launch = plan_.launches[number];
    const Kernel& kernel = plan_.kernels[launch.kernel];
    text_ += fmt::format("launch {}: kernel {}, {}", number, launch.kernel,
                         count_text(launch.rows, "row"));
    if (launch.offsets != kNone) text_ += " of members " + array_text(launch.offsets);
    if (launch.members > 0) text_ += " of " + count_text(launch.members, "member");
    text_ +=
        fmt::format(", {}, level {}, work {}\n", tiles_text(launch), launch.level, launch.work);
    for (const ValueId op : launch.ops) {
      text_ += "  # " + (named_[op] ? fmt::format("%{}", op) : print_op(program_, op)) + "\n";
      named_[op] = true;
    }
    for (std::size_t a = 0; a < launch.accesses.size(); ++a) {
      const AccessBinding& access = launch.accesses[a];
      text_ += fmt::format("  {} {}: buffer {}", kernel.accesses[a].store ? "store" : "load", a,
                           access.buffer);
      if (access.first > 0) text_ += fmt::format(" at {}", access.first);
      if (access.list != kNone) text_ += " through " + array_text(access.list);
      text_ += "\n";
    }
    for (std::size_t w = 0; w < launch.words.size(); ++w) {
      text_ += fmt::format("  words {}: {}\n", w, array_text(launch.words[w]));
    }
  }

  void print_outputs() {
    for (ValueId id = 0; id < plan_.places.size(); ++id) {
      if (program_.op(id).kind() != OpKind::Output) continue;
      const ValuePlace& place = plan_.places[id];
      text_ += fmt::format("output %{}: buffer {}", id, place.buffer);
      if (place.first > 0) text_ += fmt::format(" at {}", place.first);
      if (place.view != kNone)
        text_ += " through " + entries_text(ViewEntries{plan_.views[place.view]});
      text_ += "\n";
    }
  }
  struct ViewEntries {
    const Index& index;
    [[nodiscard]] std::size_t size() const { return index.size(); }
    std::uint32_t operator[](std::size_t i) const { return index[static_cast<std::uint32_t>(i)]; }
  };

  const Plan& plan_;
  const Program& program_;
  std::vector<bool> named_;  // by op: shown in full already
  std::string text_;
};

}  // namespace

std::string text_of(const Plan& plan, const Program& program) {
  return PlanPrinter(plan, program).print();
}

PlanStatistics statistics(const Plan& plan) {
  PlanStatistics result;
  result.kernels = plan.kernels.size();
  result.launches = plan.launches.size();
  const std::uint64_t bytes = byte_size(plan.dtype);
  result.arena_bytes = plan.arena_elements * bytes;
  for (const PlanBuffer& buffer : plan.buffers) {
    if (buffer.kind == PlanBuffer::Kind::Constant) result.constant_bytes += buffer.elements * bytes;
    if (buffer.kind == PlanBuffer::Kind::Parameter || buffer.kind == PlanBuffer::Kind::State) {
      result.parameter_bytes += buffer.elements * bytes;
    }
  }
  for (ArrayIndex a = 0; a < plan.arrays.size(); ++a) {
    const std::vector<std::uint32_t>& array = *plan.arrays[a];
    const bool narrow = !plan.is_filled(a) &&
                        std::ranges::all_of(array, [](std::uint32_t i) { return i <= 0xFFFF; });
    result.index_bytes += array.size() * (narrow ? 2 : 4);
  }
  return result;
}

}  // namespace vecc
