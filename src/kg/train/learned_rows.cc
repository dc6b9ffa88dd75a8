#include "src/kg/train/learned_rows.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "src/kg/train/parallel_tasks.h"
#include "src/kg/train/row_kernels.h"

namespace vecc::kg {
namespace {

constexpr std::size_t kRowsOfATask = 16;

}  // namespace

std::uint32_t state_count(Optimizer optimizer) {
  if (optimizer == Optimizer::Adagrad) return 1;
  return optimizer == Optimizer::Adam || optimizer == Optimizer::LazyAdam ? 2 : 0;
}

Result<void> check_row_optimizer(const OptimizerOptions& options) {
  const auto refuse = [](const std::string& what, const std::string& instead) {
    return Errors(ErrorCode::Usage, what, "is not of tables of embeddings; " + instead);
  };
  const Optimizer optimizer = options.optimizer;
  if (optimizer != Optimizer::Sgd && state_count(optimizer) == 0) {
    return refuse("--optimizer=" + std::string(text_of(optimizer)),
                  "expected adagrad, lazy-adam, adam or sgd");
  }
  if (options.momentum.value_or(0) != 0) {
    return refuse("--momentum", "lazy-adam and adam have moments");
  }
  if (options.weight_decay.value_or(0) != 0) {
    return refuse("--weight-decay", "--l2 regularizes the embeddings that a step reads");
  }
  if (options.alpha || options.centered) {
    return refuse(options.alpha ? "--alpha" : "--centered", "it is rmsprop's");
  }
  if (options.clip_norm || options.clip_value) {
    return refuse(options.clip_norm ? "--clip-norm" : "--clip-value", "gradients are not clipped");
  }
  return {};
}

RowStep::RowStep(const OptimizerOptions& options, std::uint64_t step, double rate)
    : options_(with_defaults(options)), rate_(rate) {
  const auto count = static_cast<double>(step);
  correction1_ = 1 - std::pow(options_.beta1.value_or(0), count);
  correction2_ = 1 - std::pow(options_.beta2.value_or(0), count);
  rate_ /= 1 + (count - 1) * options_.lr_decay.value_or(0);
}

RowOptimizer row_optimizer(Optimizer optimizer) {
  if (optimizer == Optimizer::Sgd) return RowOptimizer::Sgd;
  return optimizer == Optimizer::Adagrad ? RowOptimizer::Adagrad : RowOptimizer::Adam;
}

template <class T>
std::vector<std::vector<T>> initial_states(std::size_t size, const OptimizerOptions& options) {
  const double initial = with_defaults(options).initial_accumulator_value.value_or(0);
  return std::vector<std::vector<T>>(state_count(options.optimizer),
                                     std::vector<T>(size, static_cast<T>(initial)));
}

template <class T>
formulas::RowRates<T> RowStep::rates() const {
  const auto number = [](double x) { return static_cast<T>(x); };
  return {number(rate_),
          number(options_.epsilon.value_or(0)),
          number(options_.beta1.value_or(0)),
          number(options_.beta2.value_or(0)),
          number(correction1_),
          number(correction2_)};
}

template <class T>
void RowStep::move(LearnedRows<T>& table, std::uint32_t row, const T* gradient) const {
  const std::size_t begin = row * table.width;
  const auto state = [&](std::size_t i) {
    return i < table.states.size() ? table.states[i].data() + begin : nullptr;
  };
  row_kernels<T>().move(row_optimizer(options_.optimizer))(
      rates<T>(), gradient, table.width, table.values.data() + begin, state(0), state(1));
}

void RowParts::sort() {
  std::sort(keys_.begin(), keys_.end());
  begin_.clear();
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (i == 0 || keys_[i] >> 32 != keys_[i - 1] >> 32) begin_.push_back(i);
  }
  begin_.push_back(keys_.size());
}

template <class T>
void RowParts::sum(ThreadTeam& team, std::size_t width,
                   const std::function<void(std::uint32_t part, T* sum)>& add_part,
                   const std::function<void(std::uint32_t row, const T* sum)>& take) {
  sort();
  const std::size_t touched = begin_.size() - 1;
  const auto sum_rows = [&](std::size_t task) {
    std::vector<T> sum(width);
    const std::size_t end = std::min(touched, (task + 1) * kRowsOfATask);
    for (std::size_t i = task * kRowsOfATask; i < end; ++i) {
      std::fill(sum.begin(), sum.end(), T{0});
      for (std::uint64_t k = begin_[i]; k < begin_[i + 1]; ++k) {
        add_part(static_cast<std::uint32_t>(keys_[k]), sum.data());
      }
      take(static_cast<std::uint32_t>(keys_[begin_[i]] >> 32), sum.data());
    }
  };
  run_tasks(team, (touched + kRowsOfATask - 1) / kRowsOfATask, sum_rows);
}

template <class T>
void RowParts::move(const RowStep& step, ThreadTeam& team, LearnedRows<T>& table,
                    const std::function<void(std::uint32_t part, T* sum)>& add_part) {
  sum<T>(team, table.width, add_part,
         [&](std::uint32_t row, const T* by_row) { step.move(table, row, by_row); });
  if (!step.moves_all()) return;
  const std::size_t touched = begin_.size() - 1;
  std::vector<std::uint8_t> is_touched(table.rows);
  for (std::size_t i = 0; i < touched; ++i) is_touched[keys_[begin_[i]] >> 32] = 1;
  const std::vector<T> zero(table.width);
  const auto move_others = [&](std::size_t task) {
    const std::size_t end = std::min<std::size_t>(table.rows, (task + 1) * kRowsOfATask);
    for (std::size_t row = task * kRowsOfATask; row < end; ++row) {
      if (is_touched[row] == 0) step.move(table, static_cast<std::uint32_t>(row), zero.data());
    }
  };
  run_tasks(team, (table.rows + kRowsOfATask - 1) / kRowsOfATask, move_others);
}

template std::vector<std::vector<float>> initial_states(std::size_t, const OptimizerOptions&);
template std::vector<std::vector<double>> initial_states(std::size_t, const OptimizerOptions&);
template formulas::RowRates<float> RowStep::rates() const;
template formulas::RowRates<double> RowStep::rates() const;
template void RowStep::move(LearnedRows<float>&, std::uint32_t, const float*) const;
template void RowStep::move(LearnedRows<double>&, std::uint32_t, const double*) const;
template void RowParts::move(const RowStep&, ThreadTeam&, LearnedRows<float>&,
                             const std::function<void(std::uint32_t, float*)>&);
template void RowParts::move(const RowStep&, ThreadTeam&, LearnedRows<double>&,
                             const std::function<void(std::uint32_t, double*)>&);
template void RowParts::sum(ThreadTeam&, std::size_t,
                            const std::function<void(std::uint32_t, float*)>&,
                            const std::function<void(std::uint32_t, const float*)>&);
template void RowParts::sum(ThreadTeam&, std::size_t,
                            const std::function<void(std::uint32_t, double*)>&,
                            const std::function<void(std::uint32_t, const double*)>&);

}  // namespace vecc::kg
