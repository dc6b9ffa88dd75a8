#include "program_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "errors.h"
#include "src/support/list_threads.h"
#include "src/support/long_list.h"
#include "vecc/escape.h"
#include "vecc/step_inputs.h"

namespace vecc::python_package {
namespace {

Combination combination_of(const std::string& text) {
  const auto combination = parse_segment_combination(text);
  if (!combination) raise_usage("segment", '"' + text + "\" is no combination");
  return *combination;
}

// For `more` numbers, without growing by few at each call.
template <class T>
void make_room(std::vector<T>& list, std::size_t more) {
  const std::size_t wanted = list.size() + more;
  if (wanted > list.capacity()) list.reserve(std::max(wanted, 2 * list.capacity()));
}

// By as many threads as there are cores.
std::vector<double> copy_of(std::span<const double> numbers) {
  const ListThreads threads(0);
  std::vector<double> copy = unset_list<double>(numbers.size());
  ListThreads::for_ranges(numbers.size(), [&](std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) copy[begin] = numbers[begin];
  });
  return copy;
}

// The same of row numbers.
std::vector<std::uint32_t> rows_of(const Column<std::uint32_t>& column) {
  std::vector<std::uint32_t> rows = unset_list<std::uint32_t>(column.size());
  ListThreads::for_ranges(rows.size(), [&](std::size_t begin, std::size_t end) {
    std::copy(column.data() + begin, column.data() + end, rows.data() + begin);
  });
  return rows;
}

using Array = std::shared_ptr<const std::vector<std::uint32_t>>;

// The first whose array has these numbers; `array_of` may give none.
template <class Item, class ArrayOf>
const Item* find_equal(const std::vector<Item>& items, const Column<std::uint32_t>& column,
                       const ArrayOf& array_of) {
  for (const Item& item : items) {
    const Array& array = array_of(item);
    if (!array || array->size() != column.size()) continue;
    if (holds_for_all(column.size(),
                      [&](std::size_t i) { return (*array)[i] == column.data()[i]; })) {
      return &item;
    }
  }
  return nullptr;
}

void append(std::span<const double> numbers, std::vector<double>& list) {
  if (list.empty()) {
    list = copy_of(numbers);
    return;
  }
  make_room(list, numbers.size());
  list.insert(list.end(), numbers.begin(), numbers.end());
}

// `elements` in all: a row of zeros for each class, but for a 1 at its place.
void append_one_hot(std::span<const std::uint32_t> classes, std::size_t elements,
                    std::vector<double>& list) {
  const std::size_t size = elements / classes.size();
  const ListThreads threads(0);
  const bool fit = size * classes.size() == elements &&
                   holds_for_all(classes.size(), [&](std::size_t i) { return classes[i] < size; });
  if (!fit) raise_usage("samples", "classes that are not those of the targets");
  const std::size_t begin = list.size();
  if (begin == 0) {
    list = long_list<double>(elements);
  } else {
    list.resize(begin + elements);
  }
  ListThreads::for_ranges(classes.size(), [&](std::size_t from, std::size_t end) {
    for (; from < end; ++from) list[begin + from * size + classes[from]] = 1;
  });
}

}  // namespace

ValueId ProgramBuilder::add(OpAttributes attributes, Operands operands, const std::string& note) {
  for (const ValueId operand : operands) {
    if (operand < program_.ops().size()) continue;
    raise_usage("program", "there is no value %" + std::to_string(operand));
  }
  return take(program_.add(std::move(attributes), std::move(operands), note));
}

void ProgramBuilder::table(const std::string& name, std::uint32_t count, const Sides& shape) {
  std::uint64_t first = 0;
  for (const WeightTable& table : graph_.weight_tables) first = table.first + table.count;
  if (first + count >= kNoWeight) {
    throw ErrorsRaised(Errors(ErrorCode::LimitWeights, "weights", "are more than 32 bits number"));
  }
  if (std::ranges::find(graph_.weight_tables, name, &WeightTable::name) !=
      graph_.weight_tables.end()) {
    throw ErrorsRaised(Errors(ErrorCode::DuplicateName, "weights \"" + escape_terminal(name) + '"',
                              "a second table of this name"));
  }
  WeightTable table;
  table.name = name;
  table.shape = shape_of(shape);
  table.first = static_cast<WeightId>(first);
  table.count = count;
  table.file_first_id = first;
  graph_.weight_tables.push_back(std::move(table));
}

ValueId ProgramBuilder::weight(const std::string& table) {
  const auto found = std::ranges::find(graph_.weight_tables, table, &WeightTable::name);
  if (found == graph_.weight_tables.end()) raise_usage("weight", "there is no such table");
  return add(WeightOp{take(program_.add_parameter({table, found->count, found->shape, nullptr}))},
             {});
}

std::optional<ValueId> ProgramBuilder::find_weight(const std::string& table) const {
  for (ValueId id = 0; id < program_.ops().size(); ++id) {
    const auto* weight = std::get_if<WeightOp>(&program_.op(id).attributes);
    if (weight != nullptr && program_.parameters()[weight->parameter].name == table) return id;
  }
  return std::nullopt;
}

ValueId ProgramBuilder::step_input(const std::string& name) {
  if (!is_step_number(name)) raise_usage("step input", '"' + name + "\" is none");
  return step_table(name, 1, 0);
}

ValueId ProgramBuilder::step_samples(std::uint32_t count) {
  return step_table(std::string(kStepSamples), count, 1);
}

ValueId ProgramBuilder::step_table(const std::string& name, std::uint32_t count, double value) {
  if (inputs_.contains(name)) return *find_weight(name);
  table(name, count, {0, 0});
  graph_.weight_tables.back().values = SharedNumbers::repeated(count, value);
  graph_.weight_tables.back().has_values = true;
  inputs_.tables.push_back(name);
  return weight(name);
}

void ProgramBuilder::update(const std::string& table, ValueId rows) {
  const auto target = find_weight(table);
  if (!target) raise_usage("update", "of a table that is not read");
  add(UpdateOp{}, {*target, rows});
}

template <class T>
ValueId ProgramBuilder::fact(const Column<T>& values, std::uint32_t rows, const Sides& shape,
                             const std::string& name) {
  const ListThreads threads(0);
  return add(FactOp{SharedNumbers::of(span_of(values)), rows, shape_of(shape), false}, {}, name);
}
template ValueId ProgramBuilder::fact(const Column<float>&, std::uint32_t, const Sides&,
                                      const std::string&);
template ValueId ProgramBuilder::fact(const Column<double>&, std::uint32_t, const Sides&,
                                      const std::string&);

ValueId ProgramBuilder::concat(const std::vector<ValueId>& values) {
  return add(ConcatOp{}, Operands(values.begin(), values.end()));
}

ValueId ProgramBuilder::gather(ValueId value, const Column<std::uint32_t>& rows) {
  const ListThreads threads(0);
  const Index* known = find_equal(lists_, rows, [](const Index& of) { return of.shared_array(); });
  if (known == nullptr) known = &lists_.emplace_back(Index::compact(rows_of(rows)));
  return add(GatherOp{*known}, {value});
}

ValueId ProgramBuilder::repeat(ValueId value, std::uint32_t times) {
  if (value >= program_.ops().size()) raise_usage("repeat", "there is no such value");
  const std::uint64_t rows = program_.op(value).rows;
  if (rows * times > kMaxRows) {
    throw ErrorsRaised(Errors(ErrorCode::LimitRows, "repeat", "more rows than 32 bits number"));
  }
  return add(GatherOp{Index::repeat(program_.op(value).rows, times)}, {value});
}

ValueId ProgramBuilder::linear(ValueId left, ValueId right, bool transpose_left,
                               bool transpose_right) {
  return add(LinearOp{transpose_left, transpose_right, {}, {}}, {left, right});
}

ValueId ProgramBuilder::segment(ValueId value, const Column<std::uint32_t>& offsets,
                                const std::string& combination) {
  const ListThreads threads(0);
  const Segments* known =
      find_equal(segments_, offsets, [](const Segments& of) { return of.shared_offsets(); });
  if (known == nullptr) known = &segments_.emplace_back(Segments::ragged(rows_of(offsets)));
  return add(SegmentOp{*known, combination_of(combination)}, {value});
}

ValueId ProgramBuilder::transform(ValueId value, const std::string& function,
                                  const Column<std::uint32_t>& words) {
  TransformOp op{take(parse_transformation_spec(function, "transform")), nullptr};
  if (words.size() > 0) {
    op.words = std::make_shared<const std::vector<std::uint32_t>>(words.data(),
                                                                  words.data() + words.size());
  }
  return add(std::move(op), {value});
}

ValueId ProgramBuilder::map(const std::string& expression, const std::vector<ValueId>& values) {
  Expr expr = take(parse_expr(expression, "map"));
  return add(MapOp{std::make_shared<const Expr>(std::move(expr))},
             Operands(values.begin(), values.end()));
}

void ProgramBuilder::samples(ValueId value, const SampleColumns& columns) {
  std::vector<std::uint32_t> rows;
  rows.reserve(columns.outputs.size());
  const std::span<const double> targets = span_of(columns.targets);
  const std::span<const std::uint32_t> classes = span_of(columns.target_classes);
  const std::size_t begin = graph_.target_values.size();
  std::size_t of_classes = begin;
  std::vector<Sample> samples;  // which are the graph's when all are right
  samples.reserve(columns.outputs.size());
  std::vector<std::string> ids;
  for_each_record(columns, [&](const SampleRecord& record) {
    const auto number = static_cast<std::uint32_t>(graph_.samples.size() + samples.size());
    if (record.output > std::numeric_limits<std::uint32_t>::max()) {
      raise_usage("samples", "row " + std::to_string(record.output) + " is not there");
    }
    rows.push_back(static_cast<std::uint32_t>(record.output));
    Sample sample;
    sample.output = number;
    sample.group = record.group;
    sample.weight = record.weight;
    sample.split = record.split;
    sample.role = record.role;
    sample.has_target = record.has_target;
    if (record.has_target) {
      sample.target_shape = record.target_shape;
      sample.target_begin =
          classes.empty() ? begin + static_cast<std::size_t>(record.target.data() - targets.data())
                          : std::exchange(of_classes, of_classes + record.target_shape.size());
    }
    samples.push_back(sample);
    if (!columns.ids.empty()) ids.emplace_back(record.id);
  });
  if (graph_.samples.empty()) {
    graph_.samples = std::move(samples);
  } else {
    make_room(graph_.samples, samples.size());
    graph_.samples.insert(graph_.samples.end(), samples.begin(), samples.end());
  }
  for (const std::string& id : ids) graph_.sample_ids.push_back(id);
  append(targets, graph_.target_values);
  if (!classes.empty()) append_one_hot(classes, of_classes - begin, graph_.target_values);
  const auto count = static_cast<std::uint32_t>(rows.size());
  const ValueId ordered = add(GatherOp{Index::compact(std::move(rows))}, {value});
  add(OutputOp{Index::slice(0, count)}, {ordered});
  program_.set_sample_count(count);
}

void ProgramBuilder::classes(const std::vector<std::string>& names) {
  Vocabulary vocabulary{"class", {}, {{VocabularyUse::Place::Outputs, {}, {}, 0, 1}}};
  for (const std::string& name : names) vocabulary.names.push_back(name);
  graph_.vocabularies.push_back(std::move(vocabulary));
}

Graph ProgramBuilder::build(const std::string& name) {
  take(verify(program_));
  lists_.clear();
  segments_.clear();
  graph_.producer = "vecc.nn";
  Graph result;
  result.path = name;
  result.facts = std::exchange(inputs_, {});
  result.reads_lists = std::exchange(reads_lists_, false);
  result.graph = std::make_shared<NeuronGraph>(std::exchange(graph_, {}));
  result.program = std::make_shared<const Program>(std::exchange(program_, Program(DType::F64)));
  return result;
}

Result<Program> with_dtype(const Program& program, DType dtype) {
  Program result(dtype);
  for (const Parameter& parameter : program.parameters()) {
    VECC_TRY_VOID(result.add_parameter(parameter));
  }
  for (const Op& op : program.ops()) {
    VECC_TRY_VOID(result.add(op.attributes, op.operands, op.note));
  }
  result.set_sample_count(program.sample_count());
  return result;
}

}  // namespace vecc::python_package
