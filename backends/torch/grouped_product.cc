#include "backends/torch/grouped_product.h"

#include "backends/torch/autograd.h"

namespace vecc::libtorch {
namespace {

// out = left right, one matrix product a group.
void multiply_groups(at::Tensor out, const at::Tensor& left, const at::Tensor& right) {
  if (out.size(0) == 1) {
    at::Tensor single = out.squeeze(0);
    at::mm_out(single, left.squeeze(0), right.squeeze(0));
  } else {
    at::bmm_out(out, left, right);
  }
}

}  // namespace

GroupedProduct::GroupedProduct(std::vector<RowBatch> batches, const GroupedShapes& shapes)
    : shapes_(shapes) {
  for (const RowBatch& batch : batches) {
    batches_.push_back({batch.groups, batch.width, types_, positions_});
    types_ += batch.groups;
    positions_ += std::int64_t{batch.groups} * batch.width;
  }
}

at::Tensor GroupedProduct::rows_of(const Batch& batch, const at::Tensor& rows,
                                   std::int64_t columns) const {
  return rows.narrow(0, batch.first_position, batch.groups * batch.width)
      .view({batch.groups, batch.width * shapes_.m, columns});
}

at::Tensor GroupedProduct::matrices_of(const Batch& batch, const at::Tensor& w) const {
  const at::Tensor matrices = w.narrow(0, batch.first_group, batch.groups);
  if (!shapes_.matrices_turned) return matrices.view({batch.groups, shapes_.k, shapes_.n});
  return matrices.view({batch.groups, shapes_.n, shapes_.k}).transpose(1, 2);
}

at::Tensor GroupedProduct::operator()(const at::Tensor& inputs, const at::Tensor& matrices) const {
  const bool of_x = is_recorded(inputs);
  const bool of_w = is_recorded(matrices);
  const c10::NoGradGuard unrecorded;
  const at::Tensor x = inputs.contiguous();
  const at::Tensor w = matrices.contiguous();
  const at::Tensor y = multiply(x, w);
  if (!of_x && !of_w) return y;
  return record_all(std::vector{inputs, matrices}, y,
                    [product = *this, of_x, of_w, kept_x = of_w ? x : at::Tensor(),
                     kept_w = of_x ? w : at::Tensor()](const at::Tensor& g) {
                      std::vector<at::Tensor> result(2);
                      if (!g.defined()) return result;
                      const at::Tensor rows = g.contiguous();
                      if (of_x) result[0] = product.multiply_turned(rows, kept_w);
                      if (of_w) result[1] = product.add_products(kept_x, rows);
                      return result;
                    });
}

at::Tensor GroupedProduct::matrix_gradients(const at::Tensor& inputs, const at::Tensor& g) const {
  const bool of_x = is_recorded(inputs);
  const bool of_g = is_recorded(g);
  const c10::NoGradGuard unrecorded;
  const at::Tensor x = inputs.contiguous();
  const at::Tensor y = g.contiguous();
  const at::Tensor sums = add_products(x, y);
  if (!of_x && !of_g) return sums;
  return record_all(std::vector{inputs, g}, sums,
                    [product = *this, of_x, of_g, x, y](const at::Tensor& direction) {
                      std::vector<at::Tensor> result(2);
                      if (!direction.defined()) return result;
                      const at::Tensor w = direction.contiguous();
                      if (of_x) result[0] = product.multiply_turned(y, w);
                      if (of_g) result[1] = product.multiply(x, w);
                      return result;
                    });
}

at::Tensor GroupedProduct::multiply(const at::Tensor& x, const at::Tensor& w) const {
  at::Tensor y = at::empty({positions_, shapes_.m * shapes_.n}, x.options());
  for (const Batch& batch : batches_) {
    multiply_groups(rows_of(batch, y, shapes_.n), rows_of(batch, x, shapes_.k),
                    matrices_of(batch, w));
  }
  return y;
}

at::Tensor GroupedProduct::multiply_turned(const at::Tensor& g, const at::Tensor& w) const {
  at::Tensor gradient = at::empty({positions_, shapes_.m * shapes_.k}, g.options());
  for (const Batch& batch : batches_) {
    multiply_groups(rows_of(batch, gradient, shapes_.k), rows_of(batch, g, shapes_.n),
                    matrices_of(batch, w).transpose(1, 2));
  }
  return gradient;
}

at::Tensor GroupedProduct::add_products(const at::Tensor& x, const at::Tensor& g) const {
  at::Tensor gradient = at::empty({types_, shapes_.k * shapes_.n}, g.options());
  for (const Batch& batch : batches_) {
    const at::Tensor rows = rows_of(batch, x, shapes_.k);
    const at::Tensor results = rows_of(batch, g, shapes_.n);
    const at::Tensor part = matrices_of(batch, gradient);
    if (shapes_.matrices_turned) {
      multiply_groups(part.transpose(1, 2), results.transpose(1, 2), rows);
    } else {
      multiply_groups(part, rows.transpose(1, 2), results);
    }
  }
  return gradient;
}

}  // namespace vecc::libtorch
