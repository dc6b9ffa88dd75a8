#include "sample_columns.h"

#include "errors.h"

namespace vecc::python_package {
namespace {

// The targets of samples, one after another.
class Targets {
 public:
  explicit Targets(const SampleColumns& columns) : columns_(columns) {}

  void give(std::size_t sample, SampleRecord& record) {
    const auto& shapes = columns_.target_shapes;
    const auto has = span_of(columns_.has_target);
    record.has_target = !shapes.empty() && (has.empty() || has[sample] != 0);
    if (!record.has_target) return;
    record.target_shape = shape_of(shapes[shapes.size() == 1 ? 0 : sample]);
    if (columns_.target_classes.size() > 0) return;
    const auto values = span_of(columns_.targets);
    const std::uint64_t size = record.target_shape.size();
    if (size > values.size() - at_) {
      throw ErrorsRaised(Errors(ErrorCode::ColumnLength, "samples",
                                "targets has fewer entries than the targets' shapes ask for"));
    }
    record.target = values.subspan(at_, size);
    at_ += size;
  }
  void finish() const {
    if (at_ == columns_.targets.size()) return;
    throw ErrorsRaised(Errors(ErrorCode::ColumnLength, "samples",
                              "targets has more entries than the targets' shapes ask for"));
  }

 private:
  const SampleColumns& columns_;
  std::size_t at_ = 0;
};

void check_lengths(const SampleColumns& columns) {
  const std::size_t count = columns.outputs.size();
  Errors errors;
  const auto check = [&](const char* column, std::size_t found) {
    if (found == 0 || found == count) return;
    errors.add(ErrorCode::ColumnLength, "samples",
               std::string(column) + " has " + std::to_string(found) + " entries, expected " +
                   std::to_string(count) + ": one a sample");
  };
  check("ids", columns.ids.size());
  if (columns.target_shapes.size() != 1) check("target_shapes", columns.target_shapes.size());
  check("has_target", columns.has_target.size());
  check("splits", columns.splits.size());
  check("groups", columns.groups.size());
  check("roles", columns.roles.size());
  check("weights", columns.weights.size());
  if (!errors.empty()) throw ErrorsRaised(errors);
}

}  // namespace

void for_each_record(const SampleColumns& columns,
                     const std::function<void(const SampleRecord&)>& visit) {
  check_lengths(columns);
  Targets targets(columns);
  for (std::size_t i = 0; i < columns.outputs.size(); ++i) {
    SampleRecord record;
    record.output = columns.outputs.data()[i];
    if (!columns.ids.empty()) record.id = columns.ids[i];
    if (columns.splits.size() > 0) record.split = static_cast<Split>(columns.splits.data()[i]);
    if (columns.groups.size() > 0) record.group = columns.groups.data()[i];
    if (columns.roles.size() > 0) record.role = static_cast<Role>(columns.roles.data()[i]);
    if (columns.weights.size() > 0) record.weight = columns.weights.data()[i];
    targets.give(i, record);
    visit(record);
  }
  targets.finish();
}

std::vector<SampleRecord> records_of(const SampleColumns& columns) {
  std::vector<SampleRecord> records;
  records.reserve(columns.outputs.size());
  for_each_record(columns, [&](const SampleRecord& record) { records.push_back(record); });
  return records;
}

}  // namespace vecc::python_package
