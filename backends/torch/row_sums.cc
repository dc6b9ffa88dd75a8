#include "backends/torch/row_sums.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "backends/torch/reduce_choice.h"
#include "backends/torch/torch_times.h"
#include "src/program/inverse_index.h"

namespace vecc::libtorch {
namespace {

std::uint32_t longest_segment(std::span<const std::uint32_t> offsets) {
  std::uint32_t longest = 0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    longest = std::max(longest, offsets[s + 1] - offsets[s]);
  }
  return longest;
}

std::vector<std::uint32_t> rows_of(const RowSumPlan& plan) {
  if (!plan.rows.empty()) return plan.rows;
  std::vector<std::uint32_t> rows(plan.offsets.back());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

// libtorch says once that sparse matrices are new; that is nothing to a user who runs a graph.
class SilentWarnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

at::Tensor csr_matrix(const at::Tensor& offsets, const at::Tensor& rows, const at::Tensor& factors,
                      std::int64_t source_rows) {
  SilentWarnings silent;
  const c10::WarningUtils::WarningHandlerGuard guard(&silent);
  return at::_sparse_csr_tensor_unsafe(offsets, rows, factors, {offsets.size(0) - 1, source_rows},
                                       factors.options().layout(at::kSparseCsr));
}

// In double on a CPU libtorch's bags are slow: there it is a product with a CSR matrix. On CUDA
// that product is cuSPARSE's, which promises no order of adding; a bag is added in order.
bool has_bags(const at::TensorOptions& options) {
  return options.device().is_cuda() || c10::typeMetaToScalarType(options.dtype()) == at::kFloat;
}

// MKL's product, and libtorch's bags on x86, take 32-bit numbers as they are.
at::Tensor narrow_index(std::span<const std::uint32_t> data, DeviceArrays& arrays) {
  const bool wide = !data.empty() && *std::ranges::max_element(data) > 0x7FFFFFFFU;
  return wide ? arrays.long_index(data) : arrays.index(data);
}

}  // namespace

std::vector<std::uint32_t> segment_owners(std::span<const std::uint32_t> offsets) {
  std::vector<std::uint32_t> result;
  result.reserve(offsets.back());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    result.insert(result.end(), offsets[s + 1] - offsets[s], static_cast<std::uint32_t>(s));
  }
  return result;
}

SparseProduct::SparseProduct(const RowSumPlan& plan, std::int64_t columns, TorchReduce reduce,
                             DeviceArrays& arrays)
    : segments_(static_cast<std::int64_t>(plan.offsets.size()) - 1),
      members_(plan.offsets.back()),
      columns_(columns) {
  if (members_ == 0) return;
  const bool cuda = arrays.options().device().is_cuda();
  const RowSumSize size{plan.offsets.back(), static_cast<std::uint64_t>(columns), cuda};
  reduce_ = reduce == TorchReduce::Auto ? choose_reduce(size) : reduce;
  // Of a gather with gaps, bags make one step.
  const bool by_bags = reduce_ == TorchReduce::SpMM && has_bags(arrays.options());
  const std::uint32_t longest = longest_segment(plan.offsets);
  if (longest == 1 && (members_ == segments_ || !by_bags)) {
    prepare_gather(plan, arrays);
    return;
  }
  // The scattering way needs no threads a segment.
  const std::uint32_t most = torch_times(cuda).longest_segment;
  const bool splits = most > 0 && reduce_ != TorchReduce::Scatter && longest > most;
  const RowSumPlan parts = splits ? split_long_segments(plan, most, arrays) : RowSumPlan{};
  const RowSumPlan& used = splits ? parts : plan;
  switch (reduce_) {
    case TorchReduce::Auto: break;  // chosen above
    case TorchReduce::Segment: prepare_segments(used, arrays); return;
    case TorchReduce::Scatter: prepare_scatter(used, arrays); return;
    case TorchReduce::SpMM: prepare_product(used, arrays); return;
  }
  fail_check("a chosen way of adding", __FILE__, __LINE__, "row sums");
}

// A row each; segments without one read any row, then become zero.
void SparseProduct::prepare_gather(const RowSumPlan& plan, DeviceArrays& arrays) {
  gathers_ = true;
  if (members_ == segments_) {
    if (!plan.rows.empty()) rows_ = arrays.index(plan.rows);
    if (!plan.factors.empty()) factors_ = arrays.values(plan.factors, members_, 1);
    return;
  }
  const std::vector<std::uint32_t> members = rows_of(plan);
  std::vector<std::uint32_t> rows;
  std::vector<double> factors;
  std::vector<std::uint32_t> empty;
  for (std::uint32_t s = 0; s + std::size_t{1} < plan.offsets.size(); ++s) {
    const std::uint32_t member = plan.offsets[s];
    const bool is_empty = plan.offsets[s + std::size_t{1}] == member;
    if (is_empty) empty.push_back(s);
    rows.push_back(is_empty ? 0 : members[member]);
    if (!plan.factors.empty()) factors.push_back(is_empty ? 1 : plan.factors[member]);
  }
  rows_ = arrays.index(rows);
  empty_ = arrays.long_index(empty);
  if (!factors.empty()) factors_ = arrays.values(factors, segments_, 1);
}

// Parts of `most` members; `sum_parts_` adds those of each segment.
RowSumPlan SparseProduct::split_long_segments(const RowSumPlan& plan, std::uint32_t most,
                                              DeviceArrays& arrays) {
  RowSumPlan parts{{0}, plan.rows, plan.factors, plan.source_rows};
  RowSumPlan sums{{0}, {}, {}, 0};
  for (std::size_t s = 0; s + 1 < plan.offsets.size(); ++s) {
    const std::uint32_t end = plan.offsets[s + 1];
    for (std::uint32_t at = plan.offsets[s]; at < end;) {
      at += std::min(most, end - at);
      parts.offsets.push_back(at);
    }
    sums.offsets.push_back(static_cast<std::uint32_t>(parts.offsets.size() - 1));
  }
  sums.source_rows = sums.offsets.back();
  sum_parts_ = std::make_shared<const SparseProduct>(sums, columns_, reduce_, arrays);
  segments_ = sums.source_rows;
  return parts;
}

void SparseProduct::prepare_segments(const RowSumPlan& plan, DeviceArrays& arrays) {
  if (!plan.rows.empty()) rows_ = arrays.index(plan.rows);
  if (!plan.factors.empty()) factors_ = arrays.values(plan.factors, members_, 1);
  offsets_ = arrays.long_index(plan.offsets);
}

void SparseProduct::prepare_scatter(const RowSumPlan& plan, DeviceArrays& arrays) {
  if (!plan.rows.empty()) rows_ = arrays.index(plan.rows);
  if (!plan.factors.empty()) factors_ = arrays.values(plan.factors, members_, 1);
  // 64 bits: with 32, index_add_ takes ten times as long.
  owners_ = arrays.long_index(segment_owners(plan.offsets));
}

void SparseProduct::prepare_product(const RowSumPlan& plan, DeviceArrays& arrays) {
  const at::Tensor rows = narrow_index(rows_of(plan), arrays);
  const at::Tensor offsets = rows.scalar_type() == at::kLong ? arrays.long_index(plan.offsets)
                                                             : narrow_index(plan.offsets, arrays);
  if (has_bags(arrays.options())) {
    rows_ = rows.scalar_type() == offsets.scalar_type() ? rows : rows.to(at::kLong);
    offsets_ = offsets;
    if (!plan.factors.empty()) factors_ = arrays.values(plan.factors, members_, 1).squeeze(1);
    return;
  }
  const std::vector<double> ones(plan.factors.empty() ? plan.offsets.back() : 0, 1.0);
  const std::vector<double>& factors = plan.factors.empty() ? ones : plan.factors;
  matrix_ = csr_matrix(offsets, rows.to(offsets.scalar_type()),
                       arrays.values(factors, members_, 1).squeeze(1), plan.source_rows);
}

at::Tensor SparseProduct::operator()(const at::Tensor& x) const {
  if (members_ == 0) return at::zeros({segments_, x.size(1)}, x.options());
  if (gathers_) {
    const at::Tensor rows = member_values(x);
    return empty_.defined() ? rows.index_fill_(0, empty_, 0) : rows;
  }
  const bool multiplies = reduce_ == TorchReduce::SpMM;
  const at::Tensor sums = multiplies                        ? multiply(x)
                          : reduce_ == TorchReduce::Scatter ? scatter(member_values(x))
                                                            : reduce_segments(member_values(x));
  return sum_parts_ ? (*sum_parts_)(sums) : sums;
}

at::Tensor SparseProduct::member_values(const at::Tensor& x) const {
  const at::Tensor members = rows_.defined() ? x.index_select(0, rows_) : x;
  return factors_.defined() ? members * factors_ : members;
}

at::Tensor SparseProduct::reduce_segments(const at::Tensor& members) const {
  return at::segment_reduce(members, "sum", std::nullopt, std::nullopt, offsets_, 0,
                            /*unsafe=*/true, 0);
}

at::Tensor SparseProduct::scatter(const at::Tensor& members) const {
  at::Tensor sums = at::zeros({segments_, members.size(1)}, members.options());
  // On CUDA index_add_ adds in the order in which threads come; index_put_ sorts first.
  if (members.is_cuda()) return sums.index_put_({owners_}, members, /*accumulate=*/true);
  return sums.index_add_(0, owners_, members);
}

at::Tensor SparseProduct::multiply(const at::Tensor& x) const {
  if (matrix_.defined()) {
    if (at::hasMKL()) return at::mm(matrix_, x.contiguous());
    return std::get<0>(at::_sparse_mm_reduce_impl(matrix_, x.contiguous(), "sum"));
  }
  const std::optional<at::Tensor> factors =
      factors_.defined() ? std::optional(factors_) : std::nullopt;
  constexpr std::int64_t kSum = 0;
  return std::get<0>(at::_embedding_bag_forward_only(
      x.contiguous(), rows_, offsets_, /*scale_grad_by_freq=*/false, kSum, /*sparse=*/false,
      factors, /*include_last_offset=*/true));
}

// The sums that make x's gradient: for each row of x over the members that read it.
RowSumPlan RowSums::transpose(const RowSumPlan& plan) {
  const std::vector<std::uint32_t> owners = segment_owners(plan.offsets);
  RowSumPlan by_row;
  by_row.source_rows = static_cast<std::uint32_t>(plan.offsets.size() - 1);
  if (plan.rows.empty()) {  // member e reads row e
    by_row.offsets.resize(owners.size() + 1);
    std::iota(by_row.offsets.begin(), by_row.offsets.end(), 0U);
    by_row.rows = owners;
    by_row.factors = plan.factors;
    return by_row;
  }
  InverseIndex inverse = inverse_index(plan.rows, plan.source_rows);
  by_row.offsets = std::move(inverse.offsets);
  by_row.rows.reserve(owners.size());
  for (const std::uint32_t member : inverse.readers) {
    by_row.rows.push_back(owners[member]);
    if (!plan.factors.empty()) by_row.factors.push_back(plan.factors[member]);
  }
  return by_row;
}

// Leaves out rows that are not read: those before the first and after the last that is read, or, if
// most between them are unread too, all of them, which are then named one by one.
RowSums::ReadRows RowSums::restrict_to_read_rows(RowSumPlan& by_row) {
  const std::vector<std::uint32_t>& offsets = by_row.offsets;
  std::vector<std::uint32_t> read;
  for (std::uint32_t row = 0; row + 1 < offsets.size(); ++row) {
    if (offsets[row + 1] != offsets[row]) read.push_back(row);
  }
  if (read.empty()) {
    by_row.offsets = {0};
    return {};
  }
  const std::uint32_t begin = read.front();
  const std::uint32_t end = read.back() + 1;
  std::vector<std::uint32_t> kept;
  if (read.size() * 2 >= end - begin) {
    kept.assign(offsets.begin() + begin, offsets.begin() + end + 1);
    by_row.offsets = std::move(kept);
    return {begin, {}};
  }
  for (const std::uint32_t row : read) kept.push_back(offsets[row]);
  kept.push_back(offsets[end]);
  by_row.offsets = std::move(kept);
  return {0, std::move(read)};
}

RowSums::RowSums(const RowSumPlan& plan, const RowSumOptions& options, DeviceArrays& arrays)
    : product_(plan, options.columns, options.reduce, arrays),
      gradient_rows_(options.gradient_rows) {
  if (!options.gradient) return;
  RowSumPlan by_row = transpose(plan);
  const ReadRows read = gradient_rows_ ? restrict_to_read_rows(by_row) : ReadRows{};
  if (!read.rows.empty()) read_rows_ = arrays.long_index(read.rows);
  first_read_row_ = read.begin;
  transposed_ =
      std::make_shared<const SparseProduct>(by_row, options.columns, options.reduce, arrays);
}

at::Tensor RowSums::operator()(const at::Tensor& x) const {
  if (!transposed_ || !is_recorded(x)) return product_(x);
  const c10::NoGradGuard unrecorded;
  return record(x, product_(x),
                [transposed = transposed_, rows = gradient_rows_, begin = first_read_row_,
                 read = read_rows_](const at::Tensor& g) {
                  at::Tensor sums = (*transposed)(g);
                  if (!rows) return sums;
                  if (read.defined()) {
                    rows->add_at(read, sums);
                  } else {
                    rows->add(begin, 1, sums);
                  }
                  return at::Tensor();
                });
}

}  // namespace vecc::libtorch
