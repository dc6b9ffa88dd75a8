#include "src/emit/native/plan_tables.h"

#include "src/emit/native/runtime/tables.h"

namespace vecc::emit {
namespace {

using emitted::AccessRow;
using emitted::BufferKind;
using emitted::BufferRow;
using emitted::LaunchRow;
using emitted::OutputRow;

// Every constant buffer begins at a multiple of a cache line.
constexpr std::uint64_t kConstantAlignment = 64;

class PlanTables {
 public:
  PlanTables(const Plan& plan, const Program& program, IndexTable& indices)
      : plan_(plan), program_(program), indices_(indices) {}

  std::vector<WeightTensor> make(const std::vector<std::uint64_t>& kernel_of,
                                 const std::vector<std::uint64_t>& weight_of) {
    for (const PlanBuffer& buffer : plan_.buffers) add_buffer(buffer, weight_of);
    for (std::size_t l = 0; l < plan_.launches.size(); ++l) {
      add_launch(plan_.launches[l], kernel_of[l]);
    }
    add_outputs();
    const ElementType type = plan_.dtype == DType::F64 ? ElementType::F64 : ElementType::F32;
    const std::uint64_t count = constants_.size() / size_of(type);
    return {table_of("launches", launches_), table_of("accesses", accesses_),
            table_of("words", words_),       table_of("buffers", buffers_),
            table_of("outputs", outputs_),   {"constants", type, {count}, std::move(constants_)}};
  }

 private:
  template <class T>
  void append_constants(const SharedNumbers& values) {
    std::vector<T> elements(values.size());
    values.copy_to(0, elements);
    constants_.append(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T));
  }

  void add_buffer(const PlanBuffer& buffer, const std::vector<std::uint64_t>& weight_of) {
    switch (buffer.kind) {
      case PlanBuffer::Kind::Arena:
        buffers_.push_back({BufferKind::Arena, buffer.elements, buffer.offset});
        return;
      case PlanBuffer::Kind::Constant:
        constants_.resize((constants_.size() + kConstantAlignment - 1) / kConstantAlignment *
                          kConstantAlignment);
        buffers_.push_back(
            {BufferKind::Constant, buffer.elements, constants_.size() / byte_size(plan_.dtype)});
        if (plan_.dtype == DType::F64) {
          append_constants<double>(buffer.values);
        } else {
          append_constants<float>(buffer.values);
        }
        return;
      case PlanBuffer::Kind::Parameter:
        buffers_.push_back({BufferKind::Weight, buffer.elements, weight_of[buffer.source]});
        return;
      case PlanBuffer::Kind::State: break;
    }
    VECC_CHECK(false, "a state in a forward pass");
  }

  void add_launch(const Launch& launch, std::uint64_t kernel) {
    const bool narrow = indices_.is_narrow(launch);
    for (const AccessBinding& access : launch.accesses) {
      accesses_.push_back({access.buffer, access.first, indices_.place_of(access.list, narrow)});
    }
    for (const ArrayIndex words : launch.words) words_.push_back(indices_.place_of(words, false));
    LaunchRow row{};
    row.kernel = kernel;
    row.is_wide = narrow ? 0 : 1;
    row.rows = launch.rows;
    row.members = launch.members;
    row.offsets = indices_.place_of(launch.offsets, false);
    row.order = indices_.place_of(launch.order, narrow);
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
        const std::uint64_t row = place.view != kNone ? plan_.views[place.view][i] : i;
        outputs_[output->samples[i]] = {place.buffer, place.first + row * op.shape.size(),
                                        op.shape.is_scalar() ? 0 : op.shape.rows(),
                                        op.shape.cols()};
      }
    }
  }

  const Plan& plan_;
  const Program& program_;
  IndexTable& indices_;
  std::vector<LaunchRow> launches_;
  std::vector<AccessRow> accesses_;
  std::vector<std::uint64_t> words_;
  std::vector<BufferRow> buffers_;
  std::vector<OutputRow> outputs_;
  std::string constants_;
};

}  // namespace

std::vector<WeightTensor> plan_tables(const Plan& plan, const Program& program,
                                      const std::vector<std::uint64_t>& kernel_of,
                                      const std::vector<std::uint64_t>& weight_of,
                                      IndexTable& indices) {
  return PlanTables(plan, program, indices).make(kernel_of, weight_of);
}

}  // namespace vecc::emit
