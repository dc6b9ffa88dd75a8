#include "src/bind/bound_program.h"

#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace vecc::binding {
namespace {

template <class T>
void read_as(const std::byte* from, std::uint64_t count, std::vector<double>& values) {
  for (std::uint64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    values.push_back(static_cast<double>(value));
  }
}

}  // namespace

BoundProgram::BoundProgram(std::shared_ptr<const TemplateData> data, DType dtype)
    : data_(std::move(data)), book_(dtype, data_->functions), binder_(*data_, book_) {}

Result<void> BoundProgram::add_recipes() {
  for (const Signature& signature : data_->signatures) VECC_TRY_VOID(book_.add(signature));
  return {};
}

Result<void> BoundProgram::bind(std::span<const NeuronGraph* const> graphs, BoundGraph& to) {
  try {
    VECC_TRY_VOID(binder_.bind(graphs, launches_of(to)));
    return prepare(launches_of(to));
  } catch (const std::bad_alloc&) {
    return Errors(ErrorCode::OutOfMemory, "bind", "no memory for the graphs' values and arrays");
  } catch (const std::length_error&) {
    return Errors(ErrorCode::OutOfMemory, "bind", "more values than memory can hold");
  }
}

Shape BoundProgram::read_output(const BoundGraph& bound, std::uint64_t sample,
                                std::vector<double>& values) const {
  const RowLaunches& launches = launches_of(bound);
  const RowLaunches::Output& output = launches.outputs[sample];
  const std::byte* from = launches.values.data() + output.first * byte_size(book_.dtype());
  if (book_.dtype() == DType::F64) {
    read_as<double>(from, output.shape.size(), values);
  } else {
    read_as<float>(from, output.shape.size(), values);
  }
  return output.shape;
}

std::vector<Executable::Output> BoundProgram::outputs(const BoundGraph& bound) const {
  std::vector<Executable::Output> outputs(bound.sample_count());
  for (std::uint64_t s = 0; s < outputs.size(); ++s) {
    outputs[s].shape = read_output(bound, s, outputs[s].value);
  }
  return outputs;
}

}  // namespace vecc::binding
