#include "backends/torch/stored_updates.h"

#include <algorithm>
#include <utility>

#include "src/program/value_indices.h"

namespace vecc::libtorch {
namespace {

const void* memory_of(const at::Tensor& tensor) {
  return tensor.storage().unsafeGetStorageImpl();
}

// Of rows that are listed more than once the last entry holds: each row once, with its last entry.
std::vector<std::pair<std::uint32_t, std::uint32_t>> last_entries(const Index& rows) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  entries.reserve(rows.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) entries.emplace_back(rows[i], i);
  std::ranges::sort(entries);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> last;
  for (const auto& entry : entries) {
    if (!last.empty() && last.back().first == entry.first) last.pop_back();
    last.push_back(entry);
  }
  return last;
}

bool is_view(const Index& rows) {
  return rows.form() == Index::Form::Slice || rows.form() == Index::Form::Stride;
}

}  // namespace

void StoredUpdates::add(const Program& program, ValueId update, at::Tensor target,
                        DeviceArrays& arrays) {
  VECC_CHECK(!has_value_index(program.op(update)), "an update of rows that are no value");
  updates_.push_back(update);
  written_.insert(memory_of(target));
  Target& to = targets_.emplace_back();
  const auto& rows = std::get<UpdateOp>(program.op(update).attributes).rows;
  if (!rows) {
    to.rows = std::move(target);
  } else if (is_view(*rows) && rows->step() > 0) {
    const auto step = rows->form() == Index::Form::Slice ? 1 : std::int64_t{rows->step()};
    const std::int64_t begin = rows->begin();
    const std::int64_t end = rows->size() == 0 ? begin : begin + (rows->size() - 1) * step + 1;
    to.rows = target.slice(0, begin, end, step);
  } else {
    const auto last = last_entries(*rows);
    std::vector<std::uint64_t> row;
    std::vector<std::uint64_t> entry;
    for (const auto& [r, e] : last) {
      row.push_back(r);
      entry.push_back(e);
    }
    to.rows = std::move(target);
    to.index = arrays.long_index(row);
    to.last_entry = arrays.long_index(entry);
  }
}

void StoredUpdates::detach(std::vector<at::Tensor>& values) const {
  if (updates_.empty()) return;
  for (at::Tensor& value : values) {
    if (value.defined() && written_.contains(memory_of(value))) value = value.clone();
  }
}

void StoredUpdates::store(std::size_t k, const at::Tensor& value) const {
  const Target& to = targets_[k];
  if (!to.index.defined()) {
    to.rows.copy_(value);
  } else {
    to.rows.index_copy_(0, to.index, value.index_select(0, to.last_entry));
  }
}

}  // namespace vecc::libtorch
