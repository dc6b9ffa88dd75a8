#include "src/emit/cpp/plan_tables.h"

#include <map>
#include <span>
#include <utility>

#include "backends/cpu/native_arrays.h"
#include "src/emit/cpp/runtime/tables.h"
#include "src/kernel/print_cpp.h"

namespace vecc::cpp {
namespace {

using emitted::AccessRow;
using emitted::BufferKind;
using emitted::BufferRow;
using emitted::kNoPlace;
using emitted::LaunchRow;
using emitted::OutputRow;

// Every constant buffer begins at a multiple of a cache line.
constexpr std::uint64_t kAlignment = 64;

class PlanTables {
 public:
  PlanTables(const Plan& plan, const Program& program)
      : plan_(plan), program_(program), arrays_(plan) {}

  std::vector<WeightTensor> make(const std::vector<std::uint64_t>& weight_of) {
    for (const PlanBuffer& buffer : plan_.buffers) add_buffer(buffer, weight_of);
    for (const Launch& launch : plan_.launches) add_launch(launch);
    add_outputs();
    std::vector<WeightTensor> tensors{table_of("launches", launches_),
                                      table_of("accesses", accesses_), table_of("words", words_),
                                      table_of("buffers", buffers_), table_of("outputs", outputs_)};
    add_elements(tensors, "indices_16", ElementType::U16, std::move(narrow_));
    add_elements(tensors, "indices_32", ElementType::U32, std::move(wide_));
    add_elements(tensors, "constants",
                 plan_.dtype == DType::F64 ? ElementType::F64 : ElementType::F32,
                 std::move(constants_));
    return tensors;
  }

 private:
  static void add_elements(std::vector<WeightTensor>& tensors, const char* name, ElementType type,
                           std::string&& bytes) {
    const std::uint64_t count = bytes.size() / size_of(type);
    tensors.push_back({name, type, {count}, std::move(bytes)});
  }

  static void append(std::string& to, const void* elements, std::size_t bytes) {
    to.append(static_cast<const char*>(elements), bytes);
  }

  template <class T>
  void append_constants(const std::vector<double>& values) {
    for (const double value : values) {
      const T element = static_cast<T>(value);
      append(constants_, &element, sizeof element);
    }
  }

  void add_buffer(const PlanBuffer& buffer, const std::vector<std::uint64_t>& weight_of) {
    switch (buffer.kind) {
      case PlanBuffer::Kind::Arena:
        buffers_.push_back({BufferKind::Arena, buffer.elements, buffer.offset});
        return;
      case PlanBuffer::Kind::Constant:
        constants_.resize((constants_.size() + kAlignment - 1) / kAlignment * kAlignment);
        buffers_.push_back(
            {BufferKind::Constant, buffer.elements, constants_.size() / byte_size(plan_.dtype)});
        if (plan_.dtype == DType::F64) {
          append_constants<double>(*buffer.values);
        } else {
          append_constants<float>(*buffer.values);
        }
        return;
      case PlanBuffer::Kind::Parameter:
        buffers_.push_back({BufferKind::Weight, buffer.elements, weight_of[buffer.source]});
        return;
      case PlanBuffer::Kind::State: break;
    }
    VECC_CHECK(false, "a state in a forward pass");
  }

  /// Where an array's entries are; each is there once a width.
  std::uint64_t place_of(ArrayIndex array, bool narrow) {
    if (array == kNone) return kNoPlace;
    const std::size_t width = narrow ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
    std::string& bytes = narrow ? narrow_ : wide_;
    const auto [found, is_new] = places_.try_emplace({array, narrow}, bytes.size() / width);
    if (is_new) append(bytes, arrays_.entries(array, narrow), plan_.arrays[array]->size() * width);
    return found->second;
  }

  std::uint64_t add_entries(const std::vector<std::uint32_t>& entries) {
    const std::uint64_t place = wide_.size() / sizeof entries[0];
    append(wide_, entries.data(), entries.size() * sizeof entries[0]);
    return place;
  }

  void add_launch(const Launch& launch) {
    const bool narrow = has_lists(plan_.kernels[launch.kernel]) && arrays_.is_narrow(launch);
    for (const AccessBinding& access : launch.accesses) {
      accesses_.push_back({access.buffer, access.first, place_of(access.list, narrow)});
    }
    for (const ArrayIndex words : launch.words) words_.push_back(place_of(words, false));
    LaunchRow row{};
    row.kernel = launch.kernel;
    row.is_wide = narrow ? 0 : 1;
    row.rows = launch.rows;
    row.members = launch.members;
    row.work = launch.work;
    row.offsets = place_of(launch.offsets, false);
    row.order = place_of(launch.order, narrow);
    row.tile_count = launch.tiles.size() - 1;
    row.tiles = add_entries(launch.tiles);
    row.tile_types = launch.tile_types.empty() ? kNoPlace : add_entries(launch.tile_types);
    row.access_count = launch.accesses.size();
    row.word_count = launch.words.size();
    launches_.push_back(row);
  }

  void add_outputs() {
    outputs_.resize(program_.sample_count());
    for (ValueId id = 0; id < program_.ops().size(); ++id) {
      const Op& op = program_.op(id);
      const auto* output = std::get_if<OutputOp>(&op.attributes);
      if (output == nullptr) continue;
      const ValuePlace& place = plan_.places[id];
      for (std::uint32_t i = 0; i < op.rows; ++i) {
        const std::uint64_t row = place.view ? (*place.view)[i] : i;
        outputs_[output->samples[i]] = {place.buffer, place.first + row * op.shape.size(),
                                        op.shape.is_scalar() ? 0 : op.shape.rows(),
                                        op.shape.cols()};
      }
    }
  }

  const Plan& plan_;
  const Program& program_;
  cpu::NativeArrays arrays_;
  std::map<std::pair<ArrayIndex, bool>, std::uint64_t> places_;
  std::vector<LaunchRow> launches_;
  std::vector<AccessRow> accesses_;
  std::vector<std::uint64_t> words_;
  std::vector<BufferRow> buffers_;
  std::vector<OutputRow> outputs_;
  std::string narrow_;
  std::string wide_;
  std::string constants_;
};

}  // namespace

std::vector<WeightTensor> plan_tables(const Plan& plan, const Program& program,
                                      const std::vector<std::uint64_t>& weight_of) {
  return PlanTables(plan, program).make(weight_of);
}

}  // namespace vecc::cpp
