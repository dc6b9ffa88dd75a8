#include "src/emit/python/output_groups.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/emit/python/buffers.h"
#include "src/function/parameter_text.h"
#include "src/program/output_begin.h"

namespace vecc::python {
namespace {

// Outputs of one shape.
struct Group {
  Shape shape;
  std::vector<std::string> reads;
  std::vector<std::uint32_t> samples;  // by row of the reads one after another
};

std::vector<Group> group_outputs(const Program& program, const std::vector<std::string>& reads) {
  std::vector<Group> groups;
  std::size_t next = 0;
  for (const Op& op : program.ops()) {
    const auto* output = std::get_if<OutputOp>(&op.attributes);
    if (output == nullptr) continue;
    auto group = std::ranges::find(groups, op.shape, &Group::shape);
    if (group == groups.end()) group = groups.insert(group, Group{op.shape, {}, {}});
    group->reads.push_back(reads[next++]);
    const std::vector<std::uint32_t> samples = output->samples.materialize();
    group->samples.insert(group->samples.end(), samples.begin(), samples.end());
  }
  return groups;
}

// The rows in the order of their samples.
std::vector<std::uint32_t> order_of(const std::vector<std::uint32_t>& samples) {
  std::vector<std::uint32_t> order(samples.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t row) { return samples[row]; });
  return order;
}

class OutputPrinter {
 public:
  OutputPrinter(const Program& program, const std::vector<std::string>& reads,
                const std::optional<PythonLoss>& loss)
      : program_(program), loss_(loss), groups_(group_outputs(program, reads)) {}

  OutputText print() {
    print_body();
    print_by_sample();
    if (loss_ && loss_->loss == Loss::MarginRanking) {
      print_ranking();
    } else if (loss_) {
      print_loss();
    }
    for (WeightTensor& tensor : buffers_.take(std::vector<bool>(buffers_.size(), true))) {
      text_.tensors.push_back(std::move(tensor));
    }
    return std::move(text_);
  }

 private:
  [[nodiscard]] bool is_dict() const { return groups_.size() > 1; }
  [[nodiscard]] std::string suffix(std::size_t group) const {
    return is_dict() ? "_" + std::to_string(group) : "";
  }

  // What reads a group's rows in the order of the samples; its samples become a buffer, if there
  // are several groups.
  std::string rows_of(std::size_t g) {
    Group& group = groups_[g];
    std::string rows;
    for (const std::string& read : group.reads) rows += (rows.empty() ? "" : ", ") + read;
    if (group.reads.size() > 1) rows = "torch.cat([" + rows + "])";
    const std::vector<std::uint32_t> order = order_of(group.samples);
    if (!std::ranges::is_sorted(order)) {
      const Buffer rank = buffers_.add_rows("samples_order" + suffix(g), order, {order.size()});
      rows += ".index_select(0, self." + buffers_.name(rank) + ")";
      std::ranges::sort(group.samples);
    }
    return rows;
  }

  void print_body() {
    if (groups_.empty()) {
      text_.about = "Nothing: no sample.";
      text_.body = "        return self.one.new_zeros(0)\n";
      return;
    }
    if (!is_dict()) {
      const Shape shape = groups_[0].shape;
      text_.about = "The outputs, " + (shape.is_scalar() ? "one number" : shape.text()) +
                    " each, in the order of the samples.";
      text_.body = "        return " + rows_of(0) + "\n";
      return;
    }
    text_.about = "The outputs by shape, those of each in the order of the samples.";
    text_.body = "        return {\n";
    text_.tables = "SAMPLES = {  # by shape of their outputs\n";
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const std::string shape = "\"" + groups_[g].shape.text() + "\"";
      text_.body += "            " + shape + ": " + rows_of(g) + ",\n";
      text_.tables += "    " + shape + ": \"" + samples_name(g) + "\",\n";
    }
    text_.body += "        }\n";
    text_.tables += "}\n";
  }

  std::string samples_name(std::size_t g) {
    return buffers_.name(
        buffers_.add_rows("samples" + suffix(g), groups_[g].samples, {groups_[g].samples.size()}));
  }

  void print_by_sample() {
    text_.by_sample =
        "\n    def by_sample(self, outputs):\n"
        "        \"\"\"Pairs of rows and the numbers of their samples.\"\"\"\n";
    text_.by_sample +=
        is_dict() ? "        return [(outputs[shape], getattr(self, name)) for shape, name in "
                    "SAMPLES.items()]\n"
                  : "        return [(outputs, torch.arange(SAMPLE_COUNT))]\n";
  }

  // A group's targets as rows of elements, and its samples' weights.
  void add_targets(std::size_t g) {
    const std::vector<std::uint64_t> begin = output_begin(program_);
    const std::uint64_t size = groups_[g].shape.size();
    std::vector<double> targets;
    std::vector<double> weights;
    for (const std::uint32_t sample : groups_[g].samples) {
      for (std::uint64_t i = 0; i < size; ++i) {
        targets.push_back(loss_->samples.targets[begin[sample] + i]);
      }
      weights.push_back(loss_->samples.weights[sample]);
    }
    const std::uint64_t rows = groups_[g].samples.size();
    buffers_.add_numbers("targets" + suffix(g), SharedNumbers::of(std::move(targets)),
                         {rows, size});
    buffers_.add_numbers("sample_weight" + suffix(g), SharedNumbers::of(std::move(weights)),
                         {rows});
  }

  void print_loss() {
    text_.loss = R"py(
    def loss(self, outputs=None, name=LOSS):
        """The mean error of the samples whose weight is not 0: of training, with a target."""
        outputs = self() if outputs is None else outputs
)py";
    for (std::size_t g = 0; g < groups_.size(); ++g) add_targets(g);
    if (!is_dict()) {
      text_.loss +=
          "        errors = LOSSES[name](outputs.view(self.targets.shape), self.targets)\n"
          "        return (self.sample_weight * errors).sum() / "
          "self.sample_weight.count_nonzero()\n";
      return;
    }
    text_.loss += "        total = count = 0\n        for group, shape in enumerate(SAMPLES):\n";
    text_.loss +=
        "            targets = getattr(self, f\"targets_{group}\")\n"
        "            weight = getattr(self, f\"sample_weight_{group}\")\n"
        "            errors = LOSSES[name](outputs[shape].reshape(targets.shape), targets)\n"
        "            total = total + (weight * errors).sum()\n"
        "            count = count + weight.count_nonzero()\n"
        "        return total / count\n";
  }

  void print_ranking() {
    std::vector<std::uint32_t> row_of_sample(program_.sample_count());
    std::uint32_t row = 0;
    for (const Group& group : groups_) {
      for (const std::uint32_t sample : group.samples) row_of_sample[sample] = row++;
    }
    std::vector<std::uint32_t> positives;
    std::vector<std::uint32_t> negatives;
    for (const RankedPair& pair : loss_->samples.pairs) {
      positives.push_back(row_of_sample[pair.positive]);
      negatives.push_back(row_of_sample[pair.negative]);
    }
    const std::uint64_t pairs = positives.size();
    const Buffer positive = buffers_.add_rows("samples_positive", positives, {pairs});
    const Buffer negative = buffers_.add_rows("samples_negative", negatives, {pairs});
    const Buffer weight =
        buffers_.add_numbers("sample_weight", SharedNumbers::of(loss_->samples.weights), {pairs});
    text_.tables += "LOSSES = [LOSS]\nMARGIN = " + number_text(loss_->margin) + "\n";
    text_.loss = R"py(
    def loss(self, outputs=None, name=LOSS):
        """The mean error of the pairs: margin less how much the positive sample is above."""
        outputs = self() if outputs is None else outputs
)py";
    text_.loss +=
        is_dict() ? "        scores = torch.cat([rows.flatten() for rows in outputs.values()])\n"
                  : "        scores = outputs.flatten()\n";
    text_.loss += "        positive = scores.index_select(0, self." + buffers_.name(positive) +
                  ")\n        negative = scores.index_select(0, self." + buffers_.name(negative) +
                  ")\n        errors = torch.relu(MARGIN - positive + negative)\n        return "
                  "(self." +
                  buffers_.name(weight) + " * errors).sum() / self." + buffers_.name(weight) +
                  ".count_nonzero()\n";
  }

  const Program& program_;
  const std::optional<PythonLoss>& loss_;
  std::vector<Group> groups_;
  Buffers buffers_;
  OutputText text_;
};

}  // namespace

OutputText print_outputs(const Program& program, const std::vector<std::string>& reads,
                         const std::optional<PythonLoss>& loss) {
  return OutputPrinter(program, reads, loss).print();
}

}  // namespace vecc::python
