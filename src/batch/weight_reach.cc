#include "src/batch/weight_reach.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "src/support/prefetch.h"

namespace vecc {
namespace {

// Times the plan's index arrays; bytes that are always fine, and that never are.
constexpr std::uint64_t kMostOfArrays = 2;
constexpr std::uint64_t kFewBytes = std::uint64_t{16} << 20;
constexpr std::uint64_t kManyBytes = std::uint64_t{256} << 20;
// Rows of weights that tell how much all of them take.
constexpr std::uint64_t kProbes = 32;

constexpr std::uint64_t kWordBytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);

}  // namespace

// Writes what a batch runs into a set.
class WeightReach::Recorder final : private RowSink {
 public:
  explicit Recorder(const WeightReach& of)
      : of_(of), finder_(of.plan_), found_(of.empty_set()), batch_{} {
    batch_.weights.resize(of.plan_.weights.size());
  }

  /// What a batch of nothing reaches.
  const RowSet& find_nothing() { return find(); }
  /// What a row of weights reaches, counted over all of them.
  const RowSet& find(std::uint64_t number) {
    const auto next = std::ranges::upper_bound(of_.first_of_weights_, number);
    Batch::Weights& weights = batch_.weights[next - of_.first_of_weights_.begin() - 1];
    weights.rows.assign(1, to_row(number - *(next - 1)));
    weights.values.assign(1, 1.0);
    const RowSet& found = find();
    weights.rows.clear();
    weights.values.clear();
    return found;
  }
  /// Whether unions of what was found would lack something.
  [[nodiscard]] bool lacks() const { return finder_.has_live_alone(); }

 private:
  const RowSet& find() {
    found_.clear();
    finder_.find(batch_, *this);
    for (std::uint32_t g = 0; g < finder_.groups().size(); ++g) {
      if (finder_.groups()[g] != 0) found_.insert(of_.numbers_.groups() + g);
    }
    return found_;
  }
  void run(std::uint32_t number, LaunchRows& rows) override {
    const ReachNumbers::Places& places = of_.numbers_.places(number);
    if (!of_.numbers_.traits(number).has_rows_by_members) {
      if (rows.rows.size() == of_.plan_.launches[number].rows) {
        found_.insert(of_.numbers_.whole() + number);
      } else {
        for (const std::uint32_t row : rows.rows) found_.insert(places.rows + row);
      }
    }
    if (!of_.plan_.launches[number].drops) return;
    for (const std::uint32_t member : rows.members) found_.insert(places.members + member);
  }
  void set_at_rest(std::uint32_t number, std::uint32_t access, std::uint32_t row) override {
    const auto& rests = of_.numbers_.places(number).rests;
    found_.insert(std::ranges::find(rests, access, &ReachNumbers::Rests::access)->first + row);
  }

  const WeightReach& of_;
  RowFinder finder_;
  RowSet found_;
  Batch batch_;
};

WeightReach::WeightReach(const BatchPlan& plan) : plan_(plan), numbers_(plan) {
  for (const std::vector<BufferIndex>& buffers : plan.weights) {
    first_of_weights_.push_back(weight_rows_);
    std::uint64_t most = 0;
    for (const BufferIndex b : buffers) {
      most = std::max(most, plan.unit_counts[b] * plan.units[b]);
    }
    weight_rows_ += most;
  }
}

std::uint64_t WeightReach::most_bytes(const BatchPlan& plan) {
  return std::clamp(kMostOfArrays * bytes_of(plan), kFewBytes, kManyBytes);
}

std::unique_ptr<const WeightReach> WeightReach::make(const BatchPlan& plan,
                                                     std::uint64_t most_bytes) {
  if (!plan.mixes_samples || plan.lists_touched || !plan.outputs.empty()) return nullptr;
  std::unique_ptr<WeightReach> made(new WeightReach(plan));
  if (made->numbers_.count() / 64 > std::numeric_limits<std::uint32_t>::max()) return nullptr;
  return made->find_all(most_bytes) ? std::move(made) : nullptr;
}

bool WeightReach::is_larger_than(std::uint64_t most_bytes, Recorder& recorder) const {
  const std::uint64_t probes = std::min(kProbes, weight_rows_);
  std::uint64_t words = 0;
  for (std::uint64_t i = 0; i < probes; ++i) {
    recorder.find(i * weight_rows_ / probes).for_each_word([&](std::uint64_t, std::uint64_t) {
      ++words;
    });
  }
  return probes > 0 && words * kWordBytes / probes * weight_rows_ > most_bytes;
}

// Whether that is all there is to know of batches.
bool WeightReach::find_all(std::uint64_t most_bytes) {
  Recorder recorder(*this);
  if (is_larger_than(most_bytes, recorder)) return false;
  RowSet nothing = empty_set();
  sets_.begins.reserve(weight_rows_ + 2);
  for (std::uint64_t number = 0; number <= weight_rows_; ++number) {
    const RowSet& found = number == 0 ? recorder.find_nothing() : recorder.find(number - 1);
    if (recorder.lacks()) return false;
    found.for_each_word([&](std::uint64_t word, std::uint64_t bits) {
      bits &= ~nothing.word(word);
      if (bits == 0) return;
      sets_.words.push_back(static_cast<std::uint32_t>(word));
      sets_.bits.push_back(bits);
    });
    sets_.begins.push_back(sets_.words.size());
    if (number == 0) nothing = found;
    if (bytes() > most_bytes) return false;
  }
  share_numbers();
  sets_.words.shrink_to_fit();
  sets_.bits.shrink_to_fit();
  return true;
}

// By launch: whether a batch runs all rows by the number that stands for them.
std::vector<bool> WeightReach::find_whole() const {
  std::vector<bool> whole(plan_.launches.size(), false);
  for (std::size_t i = 0; i < sets_.words.size(); ++i) {
    const std::uint64_t number = sets_.words[i] * std::uint64_t{64};
    if (number < numbers_.whole() || number >= numbers_.whole() + whole.size()) continue;
    for (std::uint64_t bits = sets_.bits[i]; bits != 0; bits &= bits - 1) {
      whole[number - numbers_.whole() + static_cast<std::uint64_t>(std::countr_zero(bits))] = true;
    }
  }
  return whole;
}

// Steps have the same rows forwards and backwards, and a gradient sums over those of one of them.
void WeightReach::share_numbers() {
  const auto [sections, is_own] = numbers_.sections(find_whole());
  numbers_.move_to(
      drop_equal_sections(sets_, sections, find_equal_sections(sets_, sections, is_own)));
}

void WeightReach::insert(const Batch& batch, RowSet& to) const {
  const auto add = [&](std::uint64_t number) {
    for (std::uint64_t i = sets_.begins[number]; i < sets_.begins[number + 1]; ++i) {
      to.insert_word(sets_.words[i], sets_.bits[i]);
    }
  };
  const auto fetch_number = [&](std::uint64_t number) {
    const std::uint64_t begin = sets_.begins[number];
    const std::uint64_t end = sets_.begins[number + 1];
    for (std::uint64_t i = begin; i < end; i += 16) prefetch_memory(&sets_.words[i]);
    for (std::uint64_t i = begin; i < end; i += 8) prefetch_memory(&sets_.bits[i]);
  };
  add(0);
  for (std::size_t w = 0; w < batch.weights.size(); ++w) {
    const std::vector<std::uint32_t>& rows = batch.weights[w].rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i + 1 < rows.size()) fetch_number(first_of_weights_[w] + rows[i + 1] + 1);
      add(first_of_weights_[w] + rows[i] + 1);
    }
  }
}

bool WeightReach::take(std::uint32_t number, const RowSet& set, LaunchRows& to) const {
  const BatchLaunch& launch = plan_.launches[number];
  const ReachNumbers::Places& places = numbers_.places(number);
  if (numbers_.traits(number).has_rows_by_members) {
    take_members(launch, set, places.members, to);
    return !to.rows.empty();
  }
  if (set.contains(numbers_.whole() + number)) {
    std::iota(to.rows.data(), to.rows.data() + launch.rows, 0u);
    to.rows.set_size(launch.rows);
  } else {
    take_rows(launch, set, places.rows, to);
  }
  if (to.rows.empty()) return false;
  if (launch.drops) keep_members(launch, set, places.members, to);
  return true;
}

bool WeightReach::runs_row(std::uint32_t number, std::uint32_t row, const RowSet& set) const {
  const ReachNumbers::Places& places = numbers_.places(number);
  if (!numbers_.traits(number).has_rows_by_members) {
    return set.contains(numbers_.whole() + number) || set.contains(places.rows + row);
  }
  bool runs = false;
  for_each_member(plan_.launches[number], row, [&](std::uint32_t member) {
    runs = runs || set.contains(places.members + member);
  });
  return runs;
}

bool WeightReach::is_stored(std::uint32_t number, const BatchAccess& access, std::uint32_t row,
                            const RowSet& set) const {
  const BatchLaunch& launch = plan_.launches[number];
  bool is_stored = false;
  for_each_storing_row(launch, access, row,
                       [&](std::uint32_t r) { is_stored = is_stored || runs_row(number, r, set); });
  if (!is_stored || !launch.drops || !is_by_member(access)) return is_stored;
  is_stored = false;
  for_each_storing_member(launch, access, row, [&](std::uint32_t member) {
    is_stored = is_stored || set.contains(numbers_.places(number).members + member);
  });
  return is_stored;
}

}  // namespace vecc
